// CPUs that go offline and return while waits and cycles are measured on them.
#include <gtest/gtest.h>

#include "tests/support/live/counting_node.h"
#include "tests/support/live/offline_cpu.h"
#include "tests/support/live/pinned_task.h"
#include "tests/support/live/run_queue_node.h"

namespace evenkeel::test {
namespace {

using namespace std::chrono_literals;

/// Each of two hogs on this CPU waits for about half of the time, because of the other.
void expect_blame_on(RunQueueNode& node, int cpu) {
  const PinnedTask a(node.cgroups(), RunQueueNode::container("aa"), cpu, spin);
  const PinnedTask b(node.cgroups(), RunQueueNode::container("bb"), cpu, spin);
  ASSERT_TRUE(a.why_not().empty() && b.why_not().empty()) << a.why_not() << b.why_not();
  node.begin();
  node.watch(1500ms);
  EXPECT_EQ(node.node().run_queue.source, RunQueueSource::bpf) << node.node().run_queue.why;
  EXPECT_GT(node.waited("aa"), 300ms) << "on CPU " << cpu;
  EXPECT_GT(node.blamed("aa", "bb"), 300ms) << "on CPU " << cpu;
}

TEST(LiveHotPlug, WaitsAreMeasuredOnTheOnlineCpus) {
  RunQueueNode node({"aa", "bb"});
  if (const auto why = node.why_not(); !why.empty()) GTEST_SKIP() << why;
  const auto cpus = node.node().topology.cpus;
  OfflineCpu offline(cpus.back().id);
  if (!offline.why_not().empty()) GTEST_SKIP() << offline.why_not();
  for (int i = 0; i < 2; ++i) node.tick();  // the change is noticed, and measuring restarts
  EXPECT_EQ(node.node().topology.cpus.size(), cpus.size() - 1);
  expect_blame_on(node, cpus.front().id);
  ASSERT_TRUE(offline.back());
  for (int i = 0; i < 2; ++i) node.tick();
  EXPECT_EQ(node.node().topology.cpus.size(), cpus.size());
  expect_blame_on(node, cpus.back().id);
}

class HotPlugCountingLive : public testing::TestWithParam<CounterBackend> {};

TEST_P(HotPlugCountingLive, CountsOnTheOnlineCpus) {
  CountingNode node({"aa"});
  if (!node.why_not().empty()) GTEST_SKIP() << node.why_not();
  if (stand_in().empty()) GTEST_SKIP() << "no msr events on this machine";
  if (const auto why = node.begin(GetParam(), stand_in()); !why.empty()) GTEST_SKIP() << why;
  const int first = node.node().topology.cpus.front().id, last = node.node().topology.cpus.back().id;
  const auto expect_counts_on = [&](int cpu) {
    const PinnedTask task(node.cgroups(), CountingNode::container("aa"), cpu, spin);
    node.counts_of("aa");  // skip a window that began before
    const auto counts = node.counts_of("aa");
    ASSERT_TRUE(counts) << "on CPU " << cpu << ": " << node.node().counters.why;
    EXPECT_GT(counts->instructions, 10'000'000) << "on CPU " << cpu;
  };
  expect_counts_on(last);
  const auto all = node.node().counters.descriptors;
  OfflineCpu offline(last);
  if (!offline.why_not().empty()) GTEST_SKIP() << offline.why_not();
  EXPECT_TRUE(node.tick()) << "not noticed yet";
  node.look_at_cpus();
  expect_counts_on(first);
  EXPECT_EQ(node.node().counters.descriptors, all - stand_in().size());
  ASSERT_TRUE(offline.back());
  node.look_at_cpus();
  expect_counts_on(last);
  EXPECT_EQ(node.node().counters.descriptors, all);
}

INSTANTIATE_TEST_SUITE_P(Ways, HotPlugCountingLive,
                         testing::Values(CounterBackend::rotating, CounterBackend::per_cpu),
                         [](const auto& param) {
                           return param.param == CounterBackend::rotating ? "Rotating" : "PerCpu";
                         });

}  // namespace
}  // namespace evenkeel::test
