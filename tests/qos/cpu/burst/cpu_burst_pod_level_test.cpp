// CPU burst where the limit is the pod's as a whole (pod-level resources).
#include <gtest/gtest.h>

#include <chrono>
#include <optional>

#include "qos/cpu/burst/burst.h"
#include "tests/support/scenes/one_policy.h"
#include "tests/support/scenes/snapshot_builder.h"

namespace evenkeel {
namespace {

using namespace literals;
using std::chrono::seconds;
using test::intended;
using test::node;
using test::SnapshotBuilder;

/// A pod of at most half a CPU. Container "own" has a limit of 200m, "held" none but the pod's.
SnapshotBuilder half_a_cpu() {
  auto builder =
      node().cpus(64).uses(8000_mcpu).pod("web").ls().pod_level_limit(500_mcpu).quota(50000).burst(0);
  builder.container("own").limit(200_mcpu).quota(20000).burst(0).uses(200_mcpu).throttled(3);
  return builder.container("held").quota(50000).burst(0).uses(300_mcpu).throttled(3);
}

struct Loop {
  explicit Loop(const SnapshotBuilder& builder) : snapshot(builder.build()) {
    slo.cpu_burst.policy = BurstPolicy::automatic;
    snapshot.at = MonoTime{std::chrono::hours(1)};
  }
  void tick() {
    for (auto& cgroup : snapshot.cgroups)
      if (const auto quota = intended(out, cgroup.id, Knob::cpu_quota); quota > 0)
        cgroup.applied.cpu_limit->quota = QuotaTime(quota);
    snapshot.at += seconds(1);
    snapshot.since_previous = seconds(1);
    out.clear();
    test::decide_one(burst::cpu_burst_policy, snapshot, slo, state, out);
  }
  std::int64_t quota_of(CgroupIndex index) {
    return intended(out, snapshot.cgroup(index)->id, Knob::cpu_quota);
  }
  std::int64_t burst_of(CgroupIndex index) {
    return intended(out, snapshot.cgroup(index)->id, Knob::cpu_burst);
  }
  std::optional<std::int64_t> owners_of(CgroupIndex index) {
    for (const auto& intent : out.all())
      if (intent.target == snapshot.cgroup(index)->id && intent.knob == Knob::cpu_quota) return intent.owners;
    return std::nullopt;
  }
  NodeSnapshot snapshot;
  NodeSlo slo{};
  decide::PolicyState state{};
  decide::Intents out{};
};

TEST(BurstPodLevel, AContainerThatIsHeldByThePodsLimitBurstsLikeAnyOther) {
  Loop loop(half_a_cpu());
  loop.tick();
  const auto& [own, held] = std::pair(loop.snapshot.containers[0].cgroup, loop.snapshot.containers[1].cgroup);
  const CgroupIndex pod = loop.snapshot.pods[0].cgroup;
  EXPECT_EQ(loop.quota_of(own), 24000);
  EXPECT_EQ(loop.quota_of(held), 60000);
  EXPECT_EQ(loop.quota_of(pod), 64000) << "4000 and 10000 are granted";
  EXPECT_EQ(loop.burst_of(held), 50000) << "what its limit allows in a period";
}

TEST(BurstPodLevel, ThePodGrowsByNoLargerFactorThanItsContainers) {
  Loop loop(half_a_cpu());
  for (int i = 0; i < 30; ++i) loop.tick();
  const auto& containers = loop.snapshot.containers;
  EXPECT_EQ(loop.quota_of(containers[0].cgroup), 60000);
  EXPECT_EQ(loop.quota_of(containers[1].cgroup), 150000);
  EXPECT_EQ(loop.quota_of(loop.snapshot.pods[0].cgroup), 150000) << "not 50000 + 40000 + 100000";
}

/// The pod's limit is to become 8 CPUs. The kubelet defers that, and tells the quota that it finds.
struct DeferredPodLevel : testing::Test, Loop {
  DeferredPodLevel() : Loop(half_a_cpu()), told(*snapshot.pods[0].spec) {}
  /// Until the pod has 150000, which is all that burst may set.
  void burst() {
    for (int i = 0; i < 30; ++i) tick();
  }
  void kubelet_tells(MilliCpu limit, std::optional<MilliCpu> pending) {
    told.pod_level_limits.cpu = limit;
    told.pending_pod_level_cpu = pending;
    snapshot.pods[0].spec = &told;
    for (std::size_t i = 0; i < told.containers.size(); ++i)
      snapshot.containers[i].spec = &told.containers[i];
  }
  void owner_has(QuotaTime quota) {
    for (const CgroupIndex each : {pod, held})
      snapshot.cgroups[static_cast<std::size_t>(each)].applied.cpu_limit->quota = quota;
    out.clear();  // the executor's write is older
  }
  Pod told;
  CgroupIndex pod = snapshot.pods[0].cgroup;
  CgroupIndex own = snapshot.containers[0].cgroup, held = snapshot.containers[1].cgroup;
};

TEST_F(DeferredPodLevel, BurstDoesNotCarryItOutStepByStep) {
  burst();
  for (int i = 0; i < 60; ++i) {
    kubelet_tells(cpu_of(*snapshot.cgroup(pod)->applied.cpu_limit->quota, std::chrono::milliseconds(100)),
                  8000_mcpu);
    tick();
    ASSERT_EQ(quota_of(pod), 150000) << "after " << i << " s";
    ASSERT_EQ(quota_of(held), 150000) << "after " << i << " s";
    ASSERT_EQ(owners_of(pod), 50000);
    ASSERT_EQ(owners_of(held), 50000);
  }
}

TEST_F(DeferredPodLevel, AQuotaThatTheKubeletReadEarlierIsBurstsAsWell) {
  burst();
  snapshot.node.cpu_use = 60000_mcpu;
  for (int i = 0; i < 15; ++i) tick();
  ASSERT_EQ(quota_of(held), 50000);
  kubelet_tells(1500_mcpu, 8000_mcpu);
  for (int i = 0; i < 3; ++i) tick();
  EXPECT_EQ(quota_of(held), 50000);
  EXPECT_EQ(owners_of(held), 50000);
}

TEST_F(DeferredPodLevel, WhatAnAgentBeforeHadRaisedIsNotTheLimit) {
  kubelet_tells(1500_mcpu, 8000_mcpu);
  tick();
  EXPECT_EQ(quota_of(held), 60000);
  EXPECT_EQ(owners_of(pod), 50000);
  EXPECT_EQ(owners_of(held), 50000);
}

TEST_F(DeferredPodLevel, OnceCarriedOutItIsTheOwners) {
  burst();
  kubelet_tells(1500_mcpu, 8000_mcpu);
  tick();
  owner_has(QuotaTime(800000));
  kubelet_tells(8000_mcpu, std::nullopt);
  tick();
  EXPECT_EQ(owners_of(held), 800000);
  EXPECT_GE(quota_of(held), 800000);
  EXPECT_EQ(owners_of(pod), 800000);
}

TEST_F(DeferredPodLevel, OnePartOfItMayBeCarriedOut) {
  burst();
  owner_has(QuotaTime(400000));
  kubelet_tells(4000_mcpu, 8000_mcpu);
  tick();
  EXPECT_EQ(owners_of(held), 400000) << "more than burst may set, so it is the owner's";
}

/// The kernel of cgroup v1 refuses the pod a quota below that of one of its containers.
TEST_F(DeferredPodLevel, OneIntoBurstsRangeFindsRoomOnV1) {
  for (const bool v2 : {false, true}) {
    SCOPED_TRACE(v2 ? "v2" : "v1");
    snapshot.v2_cpu = v2;
    kubelet_tells(500_mcpu, std::nullopt);
    burst();
    ASSERT_EQ(quota_of(held), 150000);
    kubelet_tells(1000_mcpu, 1000_mcpu);
    tick();
    EXPECT_EQ(quota_of(held), v2 ? 150000 : 100000);
    EXPECT_EQ(quota_of(own), 60000) << "no more than what the pod gets";
    EXPECT_EQ(owners_of(held), 50000) << "it is not carried out yet";
  }
}

}  // namespace
}  // namespace evenkeel
