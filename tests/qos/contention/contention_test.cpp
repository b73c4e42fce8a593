// When the node counts as contended: from stall that the services' own limits do not explain, with
// hysteresis.
#include "qos/contention/contention.h"

#include <gtest/gtest.h>

#include "tests/support/scenes/one_policy.h"
#include "tests/support/scenes/snapshot_builder.h"

namespace evenkeel {
namespace {

using namespace literals;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

Pressure waited(double percent) { return {.some = {.avg60_percent = percent}}; }

/// A service with one container, and a batch pod; everything is known, and nothing waits.
class Contention : public testing::Test {
 protected:
  Contention() {
    slo.evenkeel.contention.enable = true;
    build(
        test::node().cpus(4).pod("web").ls().container("main").memory(1024_MiB, 2048_MiB).pod("batch").be());
  }
  void build(const test::SnapshotBuilder& builder) {
    node = builder.build();
    node.since_previous = seconds(1);
    for (auto& cgroup : node.cgroups) {
      cgroup.throttling = Throttling{};
      cgroup.pressure = {.cpu = waited(0), .memory = waited(0), .io = waited(0)};
      cgroup.memory.current = 1024_MiB;
    }
  }
  CgroupSample& web() { return node.cgroups[static_cast<std::size_t>(node.pods[0].cgroup)]; }
  CgroupSample& main() { return node.cgroups[static_cast<std::size_t>(node.containers[0].cgroup)]; }
  CgroupSample& batch() { return node.cgroups[static_cast<std::size_t>(node.pods[1].cgroup)]; }
  /// The state after so many seconds with one tick each.
  std::optional<Contended> after(std::int64_t ticks) {
    for (; ticks > 0; --ticks) {
      node.at += seconds(1);
      decide::Intents out;
      test::decide_one(contention::contention_policy, node, slo, policies, out);
      EXPECT_TRUE(out.all().empty()) << "it sets no lever";
      changes += state().changed ? 1 : 0;
    }
    return state().contended;
  }
  [[nodiscard]] const contention::ContentionState& state() const {
    return policies.of<contention::ContentionState>();
  }
  [[nodiscard]] std::optional<double> stall(Contended what) const {
    return state().stalls[static_cast<std::size_t>(what)];
  }

  NodeSlo slo{};
  NodeSnapshot node{};
  decide::PolicyState policies{};
  int changes = 0;
};

TEST_F(Contention, IsOffUnlessItIsSwitchedOn) {
  EXPECT_FALSE(contention::contention_policy.enabled(NodeSlo{}));
  EXPECT_TRUE(contention::contention_policy.enabled(slo));
}

TEST_F(Contention, BeginsAfterAMinuteAtTheThresholdAndEndsFiveMinutesBelowThreeQuarters) {
  web().pressure.cpu = waited(30);
  EXPECT_EQ(after(60), std::nullopt);
  EXPECT_EQ(after(1), Contended::cpu);
  web().pressure.cpu = waited(23);
  EXPECT_EQ(after(1000), Contended::cpu) << "not below three quarters";
  web().pressure.cpu = waited(22);
  EXPECT_EQ(after(300), Contended::cpu);
  EXPECT_EQ(after(1), std::nullopt);
  EXPECT_EQ(changes, 2);
}

TEST_F(Contention, ShortPeaksChangeNothing) {
  for (int i = 0; i < 100; ++i) {
    web().pressure.cpu = waited(80);
    EXPECT_EQ(after(59), std::nullopt);
    web().pressure.cpu = waited(0);
    EXPECT_EQ(after(1), std::nullopt);
  }
  web().pressure.cpu = waited(80);
  ASSERT_EQ(after(61), Contended::cpu);
  for (int i = 0; i < 10; ++i) {
    web().pressure.cpu = waited(0);
    EXPECT_EQ(after(299), Contended::cpu);
    web().pressure.cpu = waited(80);
    after(1);
  }
  EXPECT_EQ(changes, 1);
}

TEST_F(Contention, WhatTheQuotasOfTheServiceExplainDoesNotCount) {
  web().pressure.cpu = waited(50);
  main().throttling->throttled_time = milliseconds(450);
  EXPECT_EQ(after(300), std::nullopt);
  EXPECT_NEAR(*stall(Contended::cpu), 5, 0.01);
  main().throttling->throttled_time = milliseconds(100);
  web().throttling->throttled_time = milliseconds(50);
  EXPECT_EQ(after(600), Contended::cpu);
  EXPECT_NEAR(*stall(Contended::cpu), 35, 0.1) << "pod and container together";
}

TEST_F(Contention, ThrottlingIsAveragedOverAMinuteAsPressureIs) {
  EXPECT_EQ(after(1), std::nullopt);
  web().pressure.cpu = waited(50);
  main().throttling->throttled_time = seconds(1);
  after(60);
  EXPECT_EQ(*stall(Contended::cpu), 0) << "63 % after a minute";
  main().throttling->throttled_time = {};
  after(60);
  EXPECT_NEAR(*stall(Contended::cpu), 50 - 23.25, 0.1);
}

TEST_F(Contention, BestEffortMayWait) {
  batch().pressure = {.cpu = waited(99), .memory = waited(99), .io = waited(99)};
  EXPECT_EQ(after(1000), std::nullopt);
  EXPECT_EQ(*stall(Contended::cpu), 0);
}

TEST_F(Contention, MemoryCountsUnlessTheServiceIsNearItsOwnLimit) {
  web().pressure.memory = waited(10);
  EXPECT_EQ(after(61), Contended::memory);
  main().memory.current = 2048_MiB;
  web().memory.current = 2048_MiB;
  after(1);
  EXPECT_EQ(stall(Contended::memory), 0) << "its own limit explains it";
  EXPECT_EQ(after(301), std::nullopt);
}

TEST_F(Contention, APodLevelLimitOnMemoryExplainsItToo) {
  build(test::node().cpus(4).pod("web").ls().pod_level_limit(2048_MiB).container("main").pod("batch").be());
  web().pressure.memory = waited(30);
  EXPECT_EQ(after(61), Contended::memory);
  web().memory.current = 2048_MiB;
  after(1);
  EXPECT_EQ(stall(Contended::memory), 0);
}

TEST_F(Contention, DisksCountUnlessThePodHasLimitsOnThem) {
  web().pressure.io = waited(40);
  EXPECT_EQ(after(61), Contended::io);
  policies = {};
  build(test::node().cpus(4).pod("web").ls().blocks({Block{}}).container("main").pod("batch").be());
  web().pressure.io = waited(40);
  EXPECT_EQ(after(200), std::nullopt);
}

TEST_F(Contention, TheResourceThatExceedsItsThresholdByMostIsTheCauseUntilTheEnd) {
  web().pressure.cpu = waited(33);
  web().pressure.memory = waited(20);
  EXPECT_EQ(after(61), Contended::memory);
  web().pressure.memory = waited(0);
  EXPECT_EQ(after(1000), Contended::memory) << "not published again while it lasts";
  EXPECT_EQ(changes, 1);
}

TEST_F(Contention, AThresholdOfZeroDoesNotCount) {
  slo.evenkeel.contention.cpu_percent = Percent(0);
  web().pressure.cpu = waited(99);
  EXPECT_EQ(after(200), std::nullopt);
}

TEST_F(Contention, UnknownIsNeitherCalmNorContended) {
  web().pressure.cpu = waited(80);
  ASSERT_EQ(after(61), Contended::cpu);
  web().pressure.cpu.reset();
  EXPECT_EQ(after(1000), Contended::cpu) << "the others are known, and calm";
  EXPECT_EQ(stall(Contended::cpu), std::nullopt);
  web().pressure.cpu = waited(0);
  node.pods_stale = true;
  EXPECT_EQ(after(1000), Contended::cpu);
  node.pods_stale = false;
  node.measured = false;
  EXPECT_EQ(after(1000), Contended::cpu) << "between two ticks nothing is measured";
  node.measured = true;
  main().throttling.reset();
  EXPECT_EQ(after(1000), Contended::cpu) << "what its quotas explain is not known";
  main().throttling = Throttling{};
  EXPECT_EQ(after(301), std::nullopt);
}

TEST_F(Contention, ANodeWithoutServicesIsNotContended) {
  web().pressure.cpu = waited(80);
  ASSERT_EQ(after(61), Contended::cpu);
  const auto at = node.at;
  build(test::node().cpus(4).pod("batch").be());
  node.at = at;
  EXPECT_EQ(after(301), std::nullopt);
  EXPECT_TRUE(state().services.empty());
}

TEST_F(Contention, SaysOfEachServiceWhatItWaitsFor) {
  web().pressure = {.cpu = waited(12), .io = waited(3)};
  after(1);
  const auto* stalls = contention::stalls_of(node, node.pods[0].spec->uid, state());
  ASSERT_NE(stalls, nullptr);
  EXPECT_EQ(*stalls, (contention::StallPercents{12.0, std::nullopt, 3.0}));
  EXPECT_EQ(contention::stalls_of(node, node.pods[1].spec->uid, state()), nullptr) << "best effort";
  EXPECT_EQ(contention::stalls_of(node, "another", state()), nullptr);
}

TEST_F(Contention, AServiceOutsideOfAllPodsCounts) {
  build(test::node().cpus(4).host_app(QosClass::ls, HostAppBase::cgroup_root));
  node.cgroups[static_cast<std::size_t>(node.host_applications[0].cgroup)].pressure.cpu = waited(40);
  EXPECT_EQ(after(61), Contended::cpu);
}

}  // namespace
}  // namespace evenkeel
