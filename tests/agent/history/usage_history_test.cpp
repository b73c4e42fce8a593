#include "agent/history/usage_history.h"

#include <gtest/gtest.h>

#include "tests/support/alloc_guard.h"
#include "tests/support/scenes/snapshot_builder.h"

namespace evenkeel {
namespace {

using namespace literals;
using std::chrono::seconds;
using test::SnapshotBuilder;

struct UsageHistoryTest : ::testing::Test {
  history::UsageHistory history{};
  ColocationStrategy strategy{};
  int second = 0;

  void tick(NodeSnapshot node, std::optional<MilliCpu> node_cpu, Bytes node_memory = Bytes{}) {
    node.at = MonoTime(seconds(++second));
    node.since_previous = seconds(1);
    node.node.cpu_use = node_cpu;
    node.node.memory =
        NodeMemory{.total = 100_MiB, .available = 100_MiB - node_memory, .free = 90_MiB - node_memory};
    history.observe(node, strategy);
  }
  static Usage pod(const RecentUsage& recent, std::string_view uid) {
    for (const auto& one : recent.pods)
      if (one.uid == uid) return one.usage;
    return {};
  }
};

NodeSnapshot two_pods(MilliCpu first, MilliCpu second) {
  auto node = SnapshotBuilder().cpus(8).pod("a").ls().uses(first).pod("b").be().uses(second).build();
  for (auto& cgroup : node.cgroups)
    if (cgroup.kind == CgroupKind::pod) cgroup.memory.anonymous = 10_MiB;
  for (auto& cgroup : node.cgroups)
    if (cgroup.kind == CgroupKind::pod) cgroup.memory.page_cache = 2_MiB;
  return node;
}

TEST_F(UsageHistoryTest, TheRestOfTheNodeIsSystem) {
  tick(two_pods(1000_mcpu, 2000_mcpu), 4000_mcpu, 30_MiB);
  tick(two_pods(3000_mcpu, 2000_mcpu), 6000_mcpu, 30_MiB);
  const auto recent = history.recent();
  EXPECT_EQ(recent.node, (Usage{5000_mcpu, 30_MiB}));
  EXPECT_EQ(recent.system, (Usage{1000_mcpu, 10_MiB}));
  EXPECT_EQ(pod(recent, "a"), (Usage{2000_mcpu, 10_MiB}));
  EXPECT_EQ(recent.newest, MonoTime(seconds(2)));
  ASSERT_EQ(recent.pods.size(), 2u);
  EXPECT_EQ(recent.pods[0].priority_class, PriorityClass::prod);
  EXPECT_EQ(recent.pods[1].priority_class, PriorityClass::batch);
}

TEST_F(UsageHistoryTest, SystemIsNeverBelowZeroAndUnknownWithTheNode) {
  tick(two_pods(3000_mcpu, 2000_mcpu), 4000_mcpu, 10_MiB);
  EXPECT_EQ(history.recent().system, (Usage{0_mcpu, 0_B}));
  history.forget();
  tick(two_pods(3000_mcpu, 2000_mcpu), std::nullopt, 10_MiB);
  EXPECT_FALSE(history.recent().system.cpu);
  EXPECT_FALSE(history.recent().node.cpu);
}

TEST_F(UsageHistoryTest, TheFirstTickCoversNoTime) {
  auto node = two_pods(1_mcpu, 1_mcpu);
  node.since_previous.reset();
  history.observe(node, strategy);
  EXPECT_TRUE(history.recent().pods.empty());
  EXPECT_FALSE(history.recent().newest);
}

TEST_F(UsageHistoryTest, ADeletedPodIsDroppedAndANewOneStartsEmpty) {
  tick(two_pods(1000_mcpu, 2000_mcpu), 4000_mcpu);
  tick(SnapshotBuilder().cpus(8).pod("c").ls().uses(500_mcpu).build(), 4000_mcpu);
  const auto recent = history.recent();
  ASSERT_EQ(recent.pods.size(), 1u);
  EXPECT_EQ(recent.pods[0].uid, "c");
  EXPECT_EQ(recent.pods[0].usage.cpu, 500_mcpu);
  EXPECT_EQ(history.pods(), 1u);
}

TEST_F(UsageHistoryTest, APodMissingFromTheListKeepsItsClass) {
  tick(SnapshotBuilder().cpus(8).pod("a").label(QosClass::be).uses(500_mcpu).build(), 4000_mcpu);
  tick(SnapshotBuilder().cpus(8).pod("a").cgroup_only().uses(500_mcpu).build(), 4000_mcpu);
  ASSERT_EQ(history.recent().pods.size(), 1u);
  EXPECT_EQ(history.recent().pods[0].priority_class, PriorityClass::batch);
}

TEST_F(UsageHistoryTest, PageCacheCountsWhereThePolicySaysSo) {
  strategy.metric_memory_collect_policy = "usageWithPageCache";
  tick(two_pods(1_mcpu, 1_mcpu), 4_mcpu, 30_MiB);
  const auto recent = history.recent();
  EXPECT_EQ(recent.node.memory, 40_MiB);  // total - free
  EXPECT_EQ(pod(recent, "a").memory, 12_MiB);
  EXPECT_EQ(recent.system.memory, 10_MiB) << "without page cache whatever the policy says";
}

TEST_F(UsageHistoryTest, ASteadyTickAllocatesNothing) {
  auto node = two_pods(1000_mcpu, 2000_mcpu);
  node.since_previous = seconds(1);
  node.node.cpu_use = 4000_mcpu;
  const auto observe = [&] {
    node.at = MonoTime(seconds(++second));
    history.observe(node, strategy);
  };
  observe();
  const test::AllocGuard guard;
  for (int i = 0; i < 1000; ++i) observe();
  EXPECT_EQ(guard.allocations(), 0u);
}

}  // namespace
}  // namespace evenkeel
