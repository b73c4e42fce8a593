// Who is told to give up memory, how much, and when he is let alone.
#include <gtest/gtest.h>

#include "qos/memory/policies.h"
#include "qos/registry.h"
#include "tests/support/alloc_guard.h"
#include "tests/support/scenes/snapshot_builder.h"

namespace evenkeel {
namespace {

using namespace evenkeel::literals;
using std::chrono::seconds;
using test::node;
using test::SnapshotBuilder;

NodeSlo watermarks() {
  NodeSlo slo;
  slo.qos.ls.memory = MemoryQos{.enable = true, .wmark_ratio = 95_pct, .wmark_scale_permill = 20};
  return slo;
}

/// Services limited to 1000 MiB each on a v2 node: nothing is protected, no pod is stalled.
struct Scene {
  explicit Scene(const SnapshotBuilder& builder, NodeSlo with = watermarks())
      : node(builder.build()), slo(std::move(with)) {
    node.at = MonoTime{} + seconds(100);
    node.since_previous = seconds(1);
    node.reclaim.on_demand = true;
    node.node.memory = NodeMemory{.total = 8192_MiB, .available = 4096_MiB, .swap_total = Bytes{}};
    for (auto& cgroup : node.cgroups) {
      for (const Knob knob : {Knob::memory_min, Knob::memory_low}) cgroup.applied.plain.set(knob, 0);
      cgroup.applied.plain.set(Knob::memory_high, kPlainMax);
      cgroup.memory.current = 100_MiB;
      cgroup.pressure.memory = Pressure{};
    }
  }
  CgroupSample& container(std::size_t index) {
    return node.cgroups[static_cast<std::size_t>(node.containers[index].cgroup)];
  }
  CgroupSample& pod(std::size_t index) {
    return node.cgroups[static_cast<std::size_t>(node.pods[index].cgroup)];
  }
  void uses(std::size_t index, Bytes used) { container(index).memory.current = used; }
  const std::vector<ReclaimOrder>& decide() {
    memory::decide_reclaim(node, slo, state.memory_reclaim, memory::ReclaimFacts(state.shared), out);
    return out;
  }
  const std::vector<ReclaimOrder>& next(Duration later = seconds(1)) {
    node.at += later;
    node.since_previous = later;
    decide();
    node.reclaimed.clear();
    return out;
  }
  void came_of(std::size_t index, ReclaimEnd end, Bytes reclaimed = {}) {
    node.reclaimed.push_back({.target = container(index).id, .reclaimed = reclaimed, .end = end});
  }
  NodeSnapshot node;
  NodeSlo slo;
  decide::PolicyState state{};
  std::vector<ReclaimOrder> out{};
};

SnapshotBuilder one_service() { return node().pod("a").ls().container("a").memory(500_MiB, 1000_MiB); }
SnapshotBuilder services(int count) {
  auto builder = node();
  for (int i = 0; i < count; ++i) builder.pod("p").ls().container("c").memory(500_MiB, 1000_MiB);
  return builder;
}

TEST(MemoryReclaim, FromAboveTheHighMarkToBelowTheLow) {
  Scene scene(one_service());
  scene.uses(0, 950_MiB);
  EXPECT_TRUE(scene.decide().empty()) << "at the mark is not above it";
  scene.uses(0, 960_MiB);
  ASSERT_EQ(scene.next().size(), 1U);
  const ReclaimOrder& order = scene.out[0];
  EXPECT_EQ(order.target, scene.container(0).id);
  EXPECT_EQ(order.down_to, 930_MiB);
  EXPECT_EQ(order.above, 930_MiB) << "it has begun, and goes on to the low mark";
  EXPECT_GE(order.most, 30_MiB);
  EXPECT_FALSE(order.file_only);
  EXPECT_EQ(order.why.text(), "960 MiB are in use; above 950 MiB of 1000 MiB it is brought down to 930 MiB");
  scene.uses(0, 940_MiB);
  ASSERT_EQ(scene.next().size(), 1U) << "between its marks, on the way down";
  scene.uses(0, 929_MiB);
  ASSERT_EQ(scene.next().size(), 1U) << "watched: it may grow again before the next tick";
  EXPECT_EQ(scene.out[0].above, 950_MiB);
  EXPECT_TRUE(scene.next(seconds(10)).empty());
}

TEST(MemoryReclaim, WhatWillBeAboveAtTheNextTickIsWatchedNow) {
  Scene scene(one_service());
  scene.uses(0, 700_MiB);
  scene.decide();
  scene.uses(0, 800_MiB);
  EXPECT_TRUE(scene.next().empty());
  scene.uses(0, 900_MiB);
  ASSERT_EQ(scene.next().size(), 1U);
  EXPECT_EQ(scene.out[0].above, 950_MiB) << "nothing is taken before";
}

TEST(MemoryReclaim, MemoryHighCountsAsALimit) {
  Scene scene(one_service());
  scene.container(0).applied.plain.set(Knob::memory_high, (500_MiB).count());
  scene.uses(0, 480_MiB);
  ASSERT_EQ(scene.decide().size(), 1U);
  EXPECT_EQ(scene.out[0].down_to, 465_MiB);
}

TEST(MemoryReclaim, SparesWhatIsProtected) {
  Scene scene(one_service());
  scene.uses(0, 960_MiB);
  scene.container(0).applied.plain.set(Knob::memory_low, (940_MiB).count());
  ASSERT_EQ(scene.decide().size(), 1U);
  EXPECT_EQ(scene.out[0].down_to, 940_MiB);
  scene.container(0).applied.plain.set(Knob::memory_min, (955_MiB).count());
  EXPECT_TRUE(scene.next().empty());
}

TEST(MemoryReclaim, LeavesAStalledContainerAloneLongerEachTime) {
  Scene scene(one_service());
  scene.uses(0, 960_MiB);
  ASSERT_EQ(scene.decide().size(), 1U);
  scene.came_of(0, ReclaimEnd::pressure);
  EXPECT_TRUE(scene.next().empty());
  EXPECT_TRUE(scene.next(seconds(9)).empty());
  EXPECT_EQ(scene.next().size(), 1U) << "after 10 s";
  scene.came_of(0, ReclaimEnd::nothing_left);
  EXPECT_TRUE(scene.next().empty());
  EXPECT_TRUE(scene.next(seconds(19)).empty());
  EXPECT_EQ(scene.next().size(), 1U) << "after 20 s";
  scene.came_of(0, ReclaimEnd::going, 4_MiB);
  scene.next();
  scene.came_of(0, ReclaimEnd::failed);
  EXPECT_TRUE(scene.next().empty());
  EXPECT_EQ(scene.next(seconds(10)).size(), 1U) << "10 s again after a success";
}

TEST(MemoryReclaim, TriesAgainEveryTenSecondsWhereServicesAreShort) {
  Scene scene(node().pod("batch").be().container("job"));
  scene.state.shared.of<decide::PushedBackMemory>().target = 900_MiB;
  scene.state.shared.of<decide::MemoryLimits>().limits = {{scene.pod(0).id, 800_MiB}};
  auto& besteffort = scene.node.cgroups[static_cast<std::size_t>(scene.node.besteffort)];
  besteffort.memory.current = scene.pod(0).memory.current = 1000_MiB;
  scene.pod(0).memory.anonymous = 100_MiB;
  EXPECT_EQ(scene.decide().size(), 2U);
  for (int i = 0; i < 3; ++i) {
    scene.node.reclaimed = {
        {.target = besteffort.id, .cause = ReclaimCause::push_back, .end = ReclaimEnd::nothing_left},
        {.target = scene.pod(0).id, .cause = ReclaimCause::interference, .end = ReclaimEnd::nothing_left}};
    EXPECT_TRUE(scene.next().empty()) << i;
    EXPECT_TRUE(scene.next(seconds(9)).empty()) << i;
    EXPECT_EQ(scene.next().size(), 2U) << i;
  }
  scene.node.reclaimed = {{.target = besteffort.id,
                           .cause = ReclaimCause::push_back,
                           .reclaimed = 4_MiB,
                           .end = ReclaimEnd::done}};
  EXPECT_EQ(scene.next().size(), 2U);
}

TEST(MemoryReclaim, AServiceThatIsShortDoesNotWaitForAnotherPause) {
  Scene scene(node().pod("batch").be().container("job"));
  scene.pod(0).memory.current = 1000_MiB;
  scene.pod(0).memory.anonymous = 100_MiB;
  for (int i = 0; i < 4; ++i) {
    scene.node.reclaimed = {
        {.target = scene.pod(0).id, .cause = ReclaimCause::watermark, .end = ReclaimEnd::nothing_left}};
    scene.next();
  }
  scene.node.reclaimed.clear();
  scene.state.shared.of<decide::MemoryLimits>().limits = {{scene.pod(0).id, 800_MiB}};
  EXPECT_EQ(scene.next().size(), 1U);
}

TEST(MemoryReclaim, DoesNotBeginWhereTasksAreStalledUnlessTheyAreAtTheirLimit) {
  Scene scene(one_service());
  scene.container(0).pressure.memory->some.avg10_percent = 12;
  scene.uses(0, 960_MiB);
  EXPECT_TRUE(scene.decide().empty());
  Scene full(one_service());
  full.container(0).pressure.memory->some.avg10_percent = 12;
  full.uses(0, 995_MiB);
  ASSERT_EQ(full.decide().size(), 1U) << "there they reclaim for themselves";
  EXPECT_EQ(full.out[0].own_stalls_above, 990_MiB);
  EXPECT_EQ(full.out[0].stall_allowed, Duration(std::chrono::milliseconds(20))) << "2 % of the tick";
}

TEST(MemoryReclaim, TheNodesBudgetGoesToTheLargestExcessFirst) {
  Scene scene(services(3));
  scene.slo.evenkeel.reclaim_per_second = 60_MiB;
  scene.uses(0, 960_MiB);  // 30 MiB
  scene.uses(1, 980_MiB);  // 50 MiB
  scene.uses(2, 955_MiB);  // 25 MiB
  ASSERT_EQ(scene.decide().size(), 3U);
  EXPECT_EQ(scene.out[0].target, scene.container(1).id);
  EXPECT_EQ(scene.out[0].most, 50_MiB);
  EXPECT_EQ(scene.out[1].target, scene.container(0).id);
  EXPECT_EQ(scene.out[1].most, 10_MiB);
  EXPECT_EQ(scene.out[2].most, Bytes{});
  EXPECT_TRUE(scene.out[2].rationed);
  scene.slo.evenkeel.reclaim_per_second = 165_MiB;
  scene.next();
  EXPECT_EQ(scene.out[0].most, 70_MiB) << "and a third of the 60 MiB that no other pod wants yet";
}

TEST(MemoryReclaim, SoManyOrdersAtATime) {
  Scene scene(services(40));
  for (std::size_t i = 0; i < 40; ++i) scene.uses(i, 960_MiB);
  scene.uses(33, 999_MiB);
  ASSERT_EQ(scene.decide().size(), memory::kMostReclaimOrders);
  EXPECT_EQ(scene.out[0].target, scene.container(33).id);
}

TEST(MemoryReclaim, NothingRestsOnWhatIsNotKnown) {
  const auto orders = [](auto change) {
    Scene scene(one_service());
    scene.uses(0, 990_MiB);
    change(scene);
    return scene.decide().size();
  };
  EXPECT_EQ(orders([](Scene&) {}), 1U);
  EXPECT_EQ(orders([](Scene& s) { s.container(0).memory.current.reset(); }), 0U);
  EXPECT_EQ(orders([](Scene& s) { s.container(0).pressure.memory.reset(); }), 0U);
  EXPECT_EQ(orders([](Scene& s) { s.container(0).applied.plain.set(Knob::memory_high, std::nullopt); }), 0U);
  EXPECT_EQ(orders([](Scene& s) { s.container(0).applied.plain.set(Knob::memory_low, std::nullopt); }), 0U);
  EXPECT_EQ(orders([](Scene& s) { s.node.pods_stale = true; }), 0U);
  EXPECT_EQ(orders([](Scene& s) { s.node.pods_known = false; }), 0U);
  EXPECT_EQ(orders([](Scene& s) { s.node.since_previous.reset(); }), 0U);
  EXPECT_EQ(orders([](Scene& s) { s.node.reclaim.on_demand = false; }), 0U);
  EXPECT_EQ(orders([](Scene& s) { s.container(0).applied.plain.set(Knob::memory_wmark_ratio, 0); }), 0U)
      << "the kernel does it";
  EXPECT_EQ(orders([](Scene& s) { s.container(0).hands_off = true; }), 0U);
  EXPECT_EQ(orders([](Scene& s) { s.slo.evenkeel.hands_off = true; }), 0U);
  EXPECT_EQ(orders([](Scene& s) { s.slo.qos.ls.memory->enable = false; }), 0U);
}

TEST(MemoryReclaim, ThePageCacheOfAPodIsTakenOnceForEachReading) {
  NodeSlo slo;
  slo.qos.ls.memory = MemoryQos{.enable = true};
  slo.qos.ls.memory->page_cache_limit_percent = 50_pct;
  Scene scene(one_service(), slo);
  scene.pod(0).memory.page_cache = 600_MiB;
  ASSERT_EQ(scene.decide().size(), 1U);
  EXPECT_EQ(scene.out[0].target, scene.pod(0).id);
  EXPECT_EQ(scene.out[0].most, 100_MiB);
  EXPECT_FALSE(scene.out[0].file_only) << "nothing can be swapped here";
  Scene vendor(one_service(), slo);
  vendor.pod(0).memory.page_cache = 600_MiB;
  vendor.pod(0).applied.plain.set(Knob::page_cache_limit_size, 0);
  EXPECT_TRUE(vendor.decide().empty()) << "the kernel does it";
  EXPECT_TRUE(scene.next().empty()) << "the reading is the same";
  scene.pod(0).memory.page_cache = 510_MiB;
  ASSERT_EQ(scene.next().size(), 1U);
  EXPECT_EQ(scene.out[0].most, 10_MiB);
  scene.pod(0).memory.page_cache = 700_MiB;
  scene.node.node.memory->swap_total = 1024_MiB;
  EXPECT_TRUE(scene.next().empty()) << "the kernel would swap instead";
  scene.node.reclaim.file_only = true;
  ASSERT_EQ(scene.next().size(), 1U);
  EXPECT_TRUE(scene.out[0].file_only);
  scene.pod(0).memory.page_cache.reset();
  EXPECT_TRUE(scene.next().empty());
}

TEST(MemoryReclaim, ForgetsWhoIsGoneAndASteadyTickAllocatesNothing) {
  Scene scene(services(40));
  for (std::size_t i = 0; i < 40; ++i) scene.uses(i, i < 20 ? 960_MiB : 500_MiB);
  for (int i = 0; i < 5; ++i) scene.next();
  scene.node.at += seconds(1);
  {
    const test::AllocGuard guard;
    scene.decide();
    EXPECT_EQ(guard.allocations(), 0U);
  }
  EXPECT_EQ(scene.state.memory_reclaim.cgroups.size(), 40U);
  scene.node.pods.resize(10);
  scene.next();
  EXPECT_EQ(scene.state.memory_reclaim.cgroups.size(), 10U);
}

}  // namespace
}  // namespace evenkeel
