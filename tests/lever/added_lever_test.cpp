// A lever that is a plain cgroup file costs one row: this program links a knob table with one more row in
// place of the program's, and the lever is read, merged, planned, written, journalled, restored, probed and
// documented without any other change.
#include <gtest/gtest.h>

#include "cgroup/executor/executor.h"
#include "cgroup/features/features.h"
#include "cgroup/kernel/knob_files.h"
#include "cgroup/tree/watch.h"
#include "qos/decide/intent.h"
#include "qos/model/knob_values.h"
#include "tests/support/lever_docs.h"
#include "tests/support/scenes/executor_node.h"
#include "tests/support/scenes/sampler_node.h"
#include "tests/support/state_dir.h"

namespace evenkeel {
namespace {

constexpr Knob kAdded{kKnobCount};

constexpr KnobRow kTable[] = {
#define EVENKEEL_KNOB(id, ...) KnobRow{.knob = Knob::id, __VA_ARGS__},
#include "qos/model/knob_rows.inc"
#undef EVENKEEL_KNOB
    {.knob = kAdded,
     .name = "memory-added",
     .controller = Controller::memory,
     .v1_file = "memory.added_in_bytes",
     .v2_file = "memory.added",
     .values = bytes(kPlainMax, "-1"),
     .merge = Merge::lowest,
     .order = WriteOrder::by_level,
     .kernels = Kernels::v2,
     .read_in = ReadIn::pods_and_containers,
     .capability = {.name = "memory-added",
                    .what = "a lever of this test",
                    .substitute = "the hard limit",
                    .stand_in = {"memory.reclaim", "memory-reclaim"}}},
};

}  // namespace

/// Instead of the one in qos/model/knob_table.cpp.
std::span<const KnobRow> knob_table() { return kTable; }

namespace test {
namespace {

constexpr std::int64_t kPage = 4096;

std::string file_of(bool v2) { return std::string(row(kAdded).file(v2)); }

class AddedLever : public testing::TestWithParam<bool> {
 protected:
  const bool v2 = GetParam();
  const std::string file = file_of(v2);

  FakeHost& machine(FakeHost& fake) const {
    fake.machine();
    return v2 ? fake.v2() : fake.v1();
  }
};

TEST(AddedLevers, OneRowIsAdded) {
  ASSERT_EQ(knob_table().size(), kKnobCount + 1);
  EXPECT_TRUE(is_plain(kAdded));
}

TEST_P(AddedLever, IsReadBackFromPodsAndContainers) {
  SampledNode sampled;
  machine(sampled.fake).kubepods();
  const auto pod = sampled.fake.pod(KubeQos::burstable, "11-22", {"c1"});
  sampled.fake.write(Controller::memory, pod, file, "8192\n");
  sampled.fake.write(Controller::memory, sampled.fake.kubepods_path(), file, "4096\n");
  sampled.start();
  sampled.tick();
  EXPECT_EQ(sampled.at(pod).applied.plain.get(kAdded), 2 * kPage);
  EXPECT_EQ(sampled.at(sampled.fake.kubepods_path()).applied.plain.get(kAdded), std::nullopt);
  sampled.fake.write(Controller::memory, pod, file, v2 ? "max\n" : "9223372036854771712\n");
  for (int i = 0; i < 10; ++i) sampled.tick();
  EXPECT_EQ(sampled.at(pod).applied.plain.get(kAdded), kPlainMax);
}

TEST_P(AddedLever, IsWatchedForForeignWrites) { EXPECT_TRUE(tree::is_setting(file)); }

TEST(AddedLevers, TwoIntentsAreMergedByItsRule) {
  decide::Intents intents;
  std::vector<decide::Intent> plan;
  const auto ask = [&](decide::PolicyIndex policy, std::int64_t value) {
    intents.set_policy(policy);
    intents.want(CgroupId{7}, kAdded, value, because("the test wants it"));
  };
  ask(0, 3 * kPage);
  ask(1, 2 * kPage);
  decide::arbitrate(NodeSnapshot{}, NodeSlo{}, intents, plan);
  ASSERT_EQ(plan.size(), 1U);
  EXPECT_EQ(plan[0].value, KnobValue(2 * kPage));
}

TEST_P(AddedLever, TakesTheValuesOfItsRule) {
  EXPECT_TRUE(kernel::legal_value(kAdded, kPage));
  EXPECT_TRUE(kernel::legal_value(kAdded, Unlimited{}));
  EXPECT_FALSE(kernel::legal_value(kAdded, -kPage));
  FakeKernel kernel(v2, 8, true);
  kernel.make("a");
  EXPECT_EQ(kernel.text("a", file), v2 ? "max" : "9223372036854771712");
  EXPECT_EQ(kernel.other("a", file, "-5"), EINVAL);
  EXPECT_EQ(kernel.other("a", file, "8192"), 0);
  EXPECT_EQ(kernel.text("a", file), "8192");
  EXPECT_EQ(kernel.other("a", file, v2 ? "max" : "-1"), 0);
}

TEST_P(AddedLever, IsLoweredInChildrenFirstAndRaisedInParentsFirst) {
  ExecutorNode node(v2, {}, true);
  const auto want = [&](std::int64_t value) {
    node.plan.clear();
    for (const char* path : {kBe, kPod, kCtr}) node.want(path, kAdded, value);
    node.tick();
    return node.kernel.taken();
  };
  const auto lines = [&](const std::string& text, std::initializer_list<const char*> paths) {
    std::string out;
    for (const auto* path : paths) out += std::string(path) + "/" + file + " <- " + text + "\n";
    return out;
  };
  EXPECT_EQ(want(2 * kPage), lines("8192", {kCtr, kPod, kBe}));
  EXPECT_EQ(want(3 * kPage), lines("12288", {kBe, kPod, kCtr}));
  node.plan.clear();
  node.tick();
  EXPECT_EQ(node.kernel.taken(), lines(v2 ? "max" : "9223372036854771712", {kBe, kPod, kCtr})) << "restored";
  EXPECT_EQ(node.journal.size(), 0U);
}

TEST_P(AddedLever, IsRestoredFromTheJournalAfterACrash) {
  const StateDir state;
  FakeKernel kernel(v2, 8, true);
  kernel.make("a");
  const std::string dir = v2 ? "sys/fs/cgroup/a" : "sys/fs/cgroup/memory/a";
  ASSERT_EQ(kernel.other("a", file, "8192"), 0);
  {
    auto journal = *executor::Journal::open(state.path, kBoot);
    ASSERT_TRUE(journal.record_write({dir, *kernel.inode(dir), kAdded, file, "8192", {}}, "4096"));
    ASSERT_EQ(kernel.other("a", file, "4096"), 0);
  }
  auto journal = *executor::Journal::open(state.path, kBoot);
  ASSERT_EQ(journal.size(), 1U);
  EXPECT_EQ(journal.entries().front().knob, kAdded);
  const auto report = executor::restore_from_journal(kernel, journal);
  EXPECT_TRUE(report.refusals.empty() && report.foreign.empty());
  EXPECT_EQ(kernel.text("a", file), "8192");
  EXPECT_EQ(journal.size(), 0U);
}

features::Capability capability(const FakeHost& fake) {
  const auto host = std::move(*Host::open(fake.root()));
  tree::CgroupTree tree(host, *tree::detect_layout(host, ""));
  tree.scan();
  for (auto& each : features::probe(host, tree))
    if (each.feature == row(kAdded).capability.name) return each;
  ADD_FAILURE() << "no row of the added lever";
  return {};
}

TEST_P(AddedLever, IsProbed) {
  FakeHost fake;
  machine(fake).kubepods();
  // The fake host has the files of the mainline rows, and of this one with them.
  EXPECT_EQ(capability(fake).works, v2);
  for (const auto& cgroup :
       {fake.kubepods_path(), fake.qos_path(KubeQos::burstable), fake.qos_path(KubeQos::besteffort)})
    fake.remove(fake.dir_of(Controller::memory, cgroup) + "/" + file);
  const auto missing = capability(fake);
  EXPECT_FALSE(missing.works);
  EXPECT_EQ(missing.why_not, "no " + file + " in /" + fake.dir_of(Controller::memory, "kubepods"));
  EXPECT_EQ(missing.substitute, v2 ? "memory.reclaim" : "the hard limit") << "v1 has no memory.reclaim";
  fake.write(Controller::memory, fake.kubepods_path(), file, "max\n");
  EXPECT_TRUE(capability(fake).works);
}

TEST(AddedLevers, ItsRowGivesTheLinesOfTheDocumentation) {
  EXPECT_EQ(
      lever_line(row(kAdded)),
      "| `memory-added` | `memory.added_in_bytes` (vendor kernels) | `memory.added` | the original text |");
  EXPECT_EQ(capability_line(row(kAdded)),
            "| `memory-added` | a lever of this test | memory.reclaim, else the hard limit |");
}

INSTANTIATE_TEST_SUITE_P(Cgroups, AddedLever, testing::Bool(), [](const testing::TestParamInfo<bool>& v2) {
  return std::string(v2.param ? "v2" : "v1");
});

}  // namespace
}  // namespace test
}  // namespace evenkeel
