// Counting a container with real perf events, in both ways: hardware events where the machine has counters,
// and on any x86 the time stamp counter, which the kernel counts just like cycles.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <thread>

#include "collectors/counters/group.h"
#include "tests/support/alloc_guard.h"
#include "tests/support/live/counting_node.h"
#include "tests/support/live/pinned_task.h"

namespace evenkeel::test {
namespace {

using namespace literals;
using namespace std::chrono_literals;

class LiveCounters : public testing::TestWithParam<CounterBackend> {
 protected:
  void SetUp() override {
    if (!node_.why_not().empty()) GTEST_SKIP() << node_.why_not();
    node_.uses("aa", 1000_mcpu);
    node_.uses("bb", 0_mcpu);
  }
  /// Returns an empty text while counting works.
  std::string begin(const counters::CounterEvents& events) {
    if (events.empty()) return "no msr events on this machine";
    if (const auto own = counters::CounterGroup::open_self(events); !own)
      return "perf events: " + std::string(errno_name(own.error().code));
    return node_.begin(GetParam(), events);
  }
  [[nodiscard]] PinnedTask spinner() {
    return {node_.cgroups(), CountingNode::container("aa"), -1, [] { spin(); }};
  }
  [[nodiscard]] std::size_t cpus() { return node_.node().topology.cpus.size(); }

  CountingNode node_{{"aa", "bb"}};
};

TEST_P(LiveCounters, AStandInIsCountedPerContainer) {
  if (const auto why = begin(stand_in()); !why.empty()) GTEST_SKIP() << why;
  const auto own = counters::CounterGroup::open_self(stand_in());
  ASSERT_TRUE(own);
  const auto busy = spinner();
  const auto counts = node_.counts_of("aa");
  ASSERT_TRUE(counts) << node_.node().counters.why;
  EXPECT_EQ(node_.node().counters.backend, GetParam());
  EXPECT_EQ(counts->counted_share, 1);
  ASSERT_TRUE(counts->cpu_use);
  EXPECT_NEAR(static_cast<double>(counts->cpu_use->count()), 1000, 10);
  const auto until = std::chrono::steady_clock::now() + 50ms;
  while (std::chrono::steady_clock::now() < until) {
  }
  const auto reading = own->read();
  ASSERT_TRUE(reading);
  const double frequency = static_cast<double>(reading->counts[0]) / static_cast<double>(reading->counts[1]);
  EXPECT_GT(frequency, 0.1);
  EXPECT_NEAR(counts->cpi(), frequency, frequency * 0.05);
}

TEST_P(LiveCounters, AnIdleContainerHasNoResult) {
  if (const auto why = begin(stand_in()); !why.empty()) GTEST_SKIP() << why;
  const auto busy = spinner();
  node_.uses("bb", 1_mcpu);  // so it gets its turn
  ASSERT_FALSE(node_.counts_of("bb", 12));
  EXPECT_GE(node_.node().counters.windows, 4U);
  EXPECT_EQ(node_.node().counters.dropped, 0U);
}

TEST_P(LiveCounters, ARemovedCgroupIsNoLongerCounted) {
  if (const auto why = begin(stand_in()); !why.empty()) GTEST_SKIP() << why;
  const auto all_the_time = GetParam() == CounterBackend::per_cpu ? 2 * cpus() : 0;
  node_.settings.counter_period = 10s;
  {
    const auto busy = spinner();
    node_.tick();
    ASSERT_EQ(node_.node().counters.descriptors, 2 * cpus()) << node_.node().counters.why;
  }
  node_.cgroups().remove("kubepods/burstable/podaa");
  node_.look();
  node_.tick();
  EXPECT_EQ(node_.node().counters.descriptors, all_the_time) << "between windows nothing more is held";
  EXPECT_TRUE(node_.node().counters.why.empty());
}

TEST_P(LiveCounters, ASteadyTickAllocatesNothing) {
  if (const auto why = begin(stand_in()); !why.empty()) GTEST_SKIP() << why;
  const auto busy = spinner();
  for (int i = 0; i < 2; ++i)
    ASSERT_TRUE(node_.counts_of("aa")) << node_.node().counters.why;  // room is made by dropping an event
  const AllocGuard guard;
  for (int i = 0; i < 12; ++i) {
    std::this_thread::sleep_for(100ms);
    ASSERT_TRUE(node_.tick());
  }
  EXPECT_EQ(guard.allocations(), 0U);
}

// A loop of a few instructions has a plausible ratio on every machine with counters.
TEST_P(LiveCounters, CyclesPerInstructionOfALoop) {
  const auto events = counters::encode_counter_events();
  ASSERT_TRUE(events);
  const auto probe = counters::probe_counters(*events, node_.cgroups().host());
  if (probe.events.empty()) GTEST_SKIP() << probe.error;
  if (const auto why = begin(probe.events); !why.empty()) GTEST_SKIP() << why;
  const auto busy = spinner();
  const auto counts = node_.counts_of("aa");
  ASSERT_TRUE(counts) << node_.node().counters.why;
  std::printf("cycles per instruction: %.3f\n", counts->cpi());
  EXPECT_GT(counts->cpi(), 0.1);
  EXPECT_LT(counts->cpi(), 20);
}

INSTANTIATE_TEST_SUITE_P(Live, LiveCounters,
                         testing::Values(CounterBackend::rotating, CounterBackend::per_cpu),
                         [](const auto& chosen) {
                           return chosen.param == CounterBackend::rotating ? "rotating" : "per_cpu";
                         });

// For the same spinner in the same windows. A machine that pauses between the readings of two events, as an
// emulated one does, spoils a window, but not one after the other.
TEST(LiveCounterWays, GiveTheSameResult) {
  CountingNode node({"aa"});
  if (!node.why_not().empty()) GTEST_SKIP() << node.why_not();
  if (stand_in().empty()) GTEST_SKIP() << "no msr events on this machine";
  if (const auto why = node.begin(CounterBackend::per_cpu, stand_in()); !why.empty()) GTEST_SKIP() << why;
  const auto rotating = counters::make_rotating_counting(stand_in());
  rotating->follow(node.tree());
  const PinnedTask busy(node.cgroups(), CountingNode::container("aa"), 0, [] { spin(); });
  const auto ratio = [](std::int64_t a, std::int64_t b) {
    return static_cast<double>(a) / static_cast<double>(b);
  };
  std::optional<double> apart;
  for (int window = 0; window < 5 && apart.value_or(1) > 0.02; ++window) {
    std::optional<CpuCounts> by_cpu, in_turn;
    for (int i = 0; i < 20 && !in_turn; ++i) {
      by_cpu = node.counts_of("aa", 1);
      collectors::Tick again = node.lent();
      again.node.cpu_counts.clear();
      rotating->collect(again, node.settings);
      if (!again.node.cpu_counts.empty()) in_turn = again.node.cpu_counts.front();
    }
    ASSERT_TRUE(by_cpu && in_turn) << node.node().counters.why;
    EXPECT_EQ(by_cpu->window, in_turn->window);
    const double cycles = ratio(by_cpu->cycles, in_turn->cycles);
    const double per_instruction = by_cpu->cpi() / in_turn->cpi();
    std::printf("by CPU against in turn: cycles %.4f, instructions %.4f, per instruction %.6f\n", cycles,
                ratio(by_cpu->instructions, in_turn->instructions), per_instruction);
    // One starts a moment after the other, which may be long on a busy or an emulated machine.
    if (std::abs(cycles - 1) <= 0.1) apart = std::abs(per_instruction - 1);
  }
  if (!apart) GTEST_SKIP() << "never the same window";
  EXPECT_LE(*apart, 0.02);
}

// Without counters there is a clear reason instead of a number.
TEST(LiveCounterProbe, AMissingEventHasAReason) {
  const auto events = counters::encode_counter_events();
  ASSERT_TRUE(events);
  ASSERT_GE(events->size(), counters::kCountedKinds) << "of one kind there may be two";
  const auto probe = counters::probe_counters(*events, *Host::open("/"));
  if (probe.events.size() == counters::kCountedKinds) GTEST_SKIP() << "this machine counts everything";
  EXPECT_FALSE(probe.error.empty());
}

}  // namespace
}  // namespace evenkeel::test
