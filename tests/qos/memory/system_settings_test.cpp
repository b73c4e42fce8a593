// systemStrategy: the worked examples, and where a value out of bounds becomes a sensible one.
#include <gtest/gtest.h>

#include "qos/memory/policies.h"
#include "tests/support/scenes/one_policy.h"
#include "tests/support/scenes/snapshot_builder.h"

namespace evenkeel {
namespace {

using namespace evenkeel::literals;
using test::held;
using test::intended;
using test::node;

constexpr std::int64_t kGiB = std::int64_t{1} << 30;

NodeSnapshot with_files(std::optional<Bytes> memory = Bytes(64 * kGiB)) {
  auto out = node().build();
  if (memory) out.node.memory = NodeMemory{*memory, *memory, {}, {}, {}};
  out.node.settings.set(Knob::min_free_kbytes, 67584);
  out.node.settings.set(Knob::watermark_scale_factor, 10);
  return out;
}
decide::Intents decide(const NodeSnapshot& snapshot, const SystemStrategy& system) {
  NodeSlo slo;
  slo.system = system;
  decide::PolicyState state;
  decide::Intents out;
  if (memory::system_settings_policy.enabled(slo))
    test::decide_one(memory::system_settings_policy, snapshot, slo, state, out);
  return out;
}

TEST(SystemSettings, MinFreeKbytesOfTheWorkedExamples) {
  EXPECT_EQ(memory::min_free_kbytes(Bytes(512 * kGiB), 100), 5368709);
  EXPECT_EQ(memory::min_free_kbytes(Bytes(64 * kGiB), 100), 671088);
  EXPECT_EQ(memory::min_free_kbytes(Bytes(512 * kGiB), 88), 4724464);
  EXPECT_EQ(memory::min_free_kbytes(Bytes(8 * kGiB), 100), 83886);
  EXPECT_EQ(memory::min_free_kbytes(Bytes(1 * kGiB), 100), 10485);
}

TEST(SystemSettings, OutOfBoundsBecomesTheNearestThatIsSensible) {
  // Koordinator skips these without a word.
  EXPECT_EQ(memory::min_free_kbytes(Bytes(512 * kGiB), 400), 10485760);
  EXPECT_EQ(memory::min_free_kbytes(Bytes(1024 * kGiB), 100), 10485760);
  EXPECT_EQ(memory::min_free_kbytes(Bytes(kGiB / 2), 100), 10240);
  EXPECT_EQ(memory::min_free_kbytes(Bytes(16 * kGiB), 10000), 16 * kGiB / 1024 / 10)
      << "a tenth of memory at most";
}

TEST(SystemSettings, WritesWhatIsGivenWhereTheKernelHasIt) {
  const auto out =
      decide(with_files(),
             {.min_free_kbytes_factor = 100, .watermark_scale_factor = 150, .memcg_reap_background = 1});
  EXPECT_EQ(intended(out, kNodeItself, Knob::min_free_kbytes), 671088);
  EXPECT_EQ(intended(out, kNodeItself, Knob::watermark_scale_factor), 150);
  EXPECT_EQ(out.all().size(), 2U) << "no vendor kernel, no reaper";
  EXPECT_TRUE(decide(with_files(), {}).all().empty());
}

TEST(SystemSettings, AWatermarkBelowKoordinatorsLeastIsWrittenIfTheKernelTakesIt) {
  for (const std::int64_t factor : {5, 10, 99, 400}) {  // of 5 Koordinator says nothing, and writes nothing
    const auto out = decide(with_files(), {.watermark_scale_factor = factor});
    EXPECT_EQ(intended(out, kNodeItself, Knob::watermark_scale_factor), factor);
  }
}

TEST(SystemSettings, UnknownMemoryHoldsWhatIsThere) {
  const auto out = decide(with_files(std::nullopt), {.min_free_kbytes_factor = 100});
  EXPECT_TRUE(held(out, kNodeItself, Knob::min_free_kbytes));
}

}  // namespace
}  // namespace evenkeel
