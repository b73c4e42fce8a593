#include "qos/eviction/eviction.h"

#include <gtest/gtest.h>

#include <functional>

#include "tests/support/scenes/evicting_node.h"

namespace evenkeel {
namespace {

using namespace literals;
using std::chrono::seconds;
using test::operator""_GiB;

struct EvictionTest : ::testing::Test, test::EvictingNode {
  EvictionTest() : EvictingNode({FeatureGate::be_memory_evict}) {}
};

TEST_F(EvictionTest, TakesTheLargestOfTheLowestPriorityOneAtATime) {
  pod("small", 1_GiB, 5000);
  pod("large", 9_GiB, 5000);
  pod("important", 20_GiB, 5500);
  used(80_GiB);
  EXPECT_EQ(victim(), "large");
  EXPECT_EQ(victim(), "") << "it has not gone yet";
  gone("large");
  used(75_GiB);
  EXPECT_EQ(victim(), "") << "the node's figures follow late";
  EXPECT_EQ(victim(4), "small");
}

TEST_F(EvictionTest, StartsAtTheThresholdAndGoesOnToTheLowerMark) {
  pod("a", 1_GiB);
  pod("b", 1_GiB);
  used(70_GiB - 1_B);
  EXPECT_EQ(victim(), "");
  used(70_GiB);
  EXPECT_EQ(victim(), "b");
  gone("b");
  used(69_GiB);  // below the threshold, above the lower mark of 68
  EXPECT_EQ(victim(1), "");
  EXPECT_EQ(victim(4), "a");
  gone("a");
  used(68_GiB - 1_B);
  EXPECT_EQ(victim(10), "");
  pod("c", 1_GiB);
  used(69_GiB);
  EXPECT_EQ(victim(10), "") << "below the threshold it does not begin again";
}

/// Whether a pod goes after eviction began and was off for a moment, below the threshold.
bool evicts_after_a_pause(const std::function<void(NodeSlo&, bool)>& turn) {
  test::EvictingNode scene({FeatureGate::be_memory_evict});
  scene.pod("a", 1_GiB);
  scene.pod("b", 1_GiB);
  scene.used(70_GiB);
  EXPECT_EQ(scene.victim(), "b");
  scene.gone("b");
  scene.used(69_GiB);  // below the threshold, above the lower mark of 68
  turn(scene.slo, false);
  EXPECT_EQ(scene.victim(), "");
  turn(scene.slo, true);
  return !scene.victim_within(10).empty();
}

TEST_F(EvictionTest, SwitchedOnAgainItBeginsAtTheThreshold) {
  EXPECT_FALSE(evicts_after_a_pause([](NodeSlo& of, bool on) { of.threshold.enable = on; }));
  EXPECT_FALSE(evicts_after_a_pause([](NodeSlo& of, bool on) { of.evenkeel.hands_off = !on; }));
}

TEST_F(EvictionTest, WhatHasBegunGoesOnAfterThePodsWereUnknown) {
  pod("a", 1_GiB);
  pod("b", 1_GiB);
  used(70_GiB);
  EXPECT_EQ(victim(), "b");
  gone("b");
  used(69_GiB);
  node.pods_stale = true;
  EXPECT_EQ(victim(), "");
  node.pods_stale = false;
  EXPECT_EQ(victim_within(10), "a");
}

TEST_F(EvictionTest, SaysWhyWithTheNumbers) {
  pod("a", 1_GiB);
  used(80_GiB);
  const auto chosen = decide();
  ASSERT_TRUE(chosen);
  EXPECT_EQ(chosen->by, "memory-evict");
  EXPECT_EQ(chosen->namespace_, "batch");
  EXPECT_EQ(
      chosen->why.text(),
      "the node uses 80 GiB of 100 GiB memory, the threshold is 70 %; 12 GiB must be freed, down to 68 %");
}

TEST_F(EvictionTest, NeverWithoutKnowledgeOrPermission) {
  pod("a", 1_GiB);
  used(90_GiB);
  const auto refuses = [&](auto&& change) {
    const auto [slo_before, node_before] = std::pair(slo, node);
    change();
    const auto chosen = victim();
    slo = slo_before;
    node = node_before;
    return chosen.empty();
  };
  EXPECT_TRUE(refuses([&] { slo.threshold.enable = false; }));
  EXPECT_TRUE(refuses([&] { slo.evenkeel.feature_gates = {}; }));
  EXPECT_TRUE(refuses([&] { slo.evenkeel.hands_off = true; }));
  EXPECT_TRUE(refuses([&] { node.pods_known = false; }));
  EXPECT_TRUE(refuses([&] { node.pods_stale = true; }));
  EXPECT_TRUE(refuses([&] { node.pods_stale = true; })) << "an old list may not cost a life";
  EXPECT_TRUE(refuses([&] { node.node.memory.reset(); }));
  EXPECT_TRUE(refuses([&] { node.node.memory->total = Bytes{}; }));
  EXPECT_EQ(victim(), "a") << "and with both it does";
}

TEST_F(EvictionTest, PassesOverThoseWhoMayNotOrCannotGo) {
  pod("service", 50_GiB).label_qos = QosClass::ls;
  pod("unlabelled", 50_GiB).label_qos.reset();
  pod("protected", 50_GiB).eviction.by = 0;
  pod("other-trigger", 50_GiB).eviction.by = 1U << static_cast<unsigned>(FeatureGate::cpu_evict);
  pod("hands-off", 50_GiB).hands_off = true;
  pod("static", 50_GiB).is_static = true;
  pod("daemon", 50_GiB).eviction.daemon = true;
  pod("terminating", 50_GiB).terminating = true;
  pod("unlisted", 50_GiB).unlisted = true;
  pod("finished", 50_GiB).phase = PodPhase::succeeded;
  pod("unknown", 50_GiB).from_cgroup_only = true;
  pod("no-cgroup", 50_GiB);
  gone("no-cgroup");
  used(90_GiB);
  EXPECT_EQ(victim(), "");
  pod("unmeasured", std::nullopt);
  pod("last", 1_GiB);
  EXPECT_EQ(victim(), "last");
  gone("last");
  EXPECT_EQ(victim(), "");
  EXPECT_EQ(victim(10), "") << "whose use is not known would go for nothing, perhaps";
}

TEST_F(EvictionTest, ARefusedOneIsPassedOverForAWhile) {
  pod("guarded", 9_GiB);
  pod("free", 1_GiB);
  used(90_GiB);
  ASSERT_EQ(victim(), "guarded");
  eviction::skip_pod(state, "guarded", MonoTime(seconds(second + 100)));
  EXPECT_EQ(victim(), "free");
  gone("free");
  EXPECT_EQ(victim(1), "");
  EXPECT_EQ(victim(10), "");
  EXPECT_EQ(victim(100), "guarded");
}

TEST_F(EvictionTest, OneThatDoesNotGoIsNotWaitedForForEver) {
  pod("stuck", 9_GiB);
  pod("next", 1_GiB);
  used(90_GiB);
  ASSERT_EQ(victim(), "stuck");
  EXPECT_EQ(victim(59), "");
  EXPECT_EQ(victim(1), "next");
}

TEST_F(EvictionTest, TheSmallerOfObjectAndMachineIsTheCapacity) {
  pod("a", 1_GiB);
  used(60_GiB);
  EXPECT_EQ(victim(), "");
  node.object.memory_capacity = 200_GiB;
  EXPECT_EQ(victim(), "") << "the machine has 100 GiB";
  node.object.memory_capacity = 80_GiB;
  EXPECT_EQ(victim(), "a");
}

TEST_F(EvictionTest, ANodeObjectOlderThanTheMachineHidesNoPressure) {
  pod("a", 1_GiB);
  used(75_GiB);
  node.object.memory_capacity = 200_GiB;
  EXPECT_EQ(victim(), "a");
}

}  // namespace
}  // namespace evenkeel
