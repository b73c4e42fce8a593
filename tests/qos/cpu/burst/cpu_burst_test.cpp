#include <gtest/gtest.h>

#include "qos/cpu/burst/burst.h"
#include "tests/support/scenes/one_policy.h"
#include "tests/support/scenes/snapshot_builder.h"

namespace evenkeel {
namespace {

using namespace literals;
using std::chrono::milliseconds;
using std::chrono::seconds;
using test::held;
using test::intended, test::intent;
using test::node;
using test::SnapshotBuilder;

NodeSlo burst(BurstPolicy policy) {
  NodeSlo slo;
  slo.cpu_burst.policy = policy;
  return slo;
}

struct Burst : testing::Test {
  NodeSlo slo = burst(BurstPolicy::automatic);
  decide::PolicyState state{};
  NodeSnapshot snapshot{};
  decide::Intents out{};

  void decide() {
    out.clear();
    test::decide_one(burst::cpu_burst_policy, snapshot, slo, state, out);
  }
  void decide_again(Duration later = seconds(1)) {
    test::obey(snapshot, out);
    snapshot.at += later;
    snapshot.since_previous = later;
    decide();
  }
  CgroupSample& container(std::size_t index) {
    return snapshot.cgroups[static_cast<std::size_t>(snapshot.containers[index].cgroup)];
  }
  CgroupSample& pod(std::size_t index) {
    return snapshot.cgroups[static_cast<std::size_t>(snapshot.pods[index].cgroup)];
  }
  std::int64_t quota(std::size_t index) { return intended(out, container(index).id, Knob::cpu_quota); }
  std::int64_t pod_quota(std::size_t index = 0) { return intended(out, pod(index).id, Knob::cpu_quota); }
};

/// A throttled container of two CPUs and a calm one of two, on an idle node of 64.
SnapshotBuilder two_containers() {
  return node()
      .cpus(64)
      .uses(8000_mcpu)
      .pod("web")
      .ls()
      .quota(400000)
      .burst(0)
      .container("busy")
      .limit(2000_mcpu)
      .quota(200000)
      .burst(0)
      .uses(2000_mcpu)
      .throttled(3)
      .container("calm")
      .limit(2000_mcpu)
      .quota(200000)
      .burst(0)
      .uses(1500_mcpu)
      .throttled(0);
}

TEST_F(Burst, RaisesTheThrottledContainerAndItsPod) {  // quota steps 13
  snapshot = two_containers().build();
  decide();
  EXPECT_EQ(quota(0), 240000);
  EXPECT_EQ(quota(1), 200000);
  EXPECT_EQ(pod_quota(), 440000);
  EXPECT_EQ(
      intent(out, container(0).id, Knob::cpu_quota)->why.text(),
      "240000 µs per period, its limit being 200000 µs and the most 600000 µs: 8 CPUs of the shared 64 CPUs "
      "are in use, and it was throttled in 3 periods");
}

TEST_F(Burst, LeavesAnUnlimitedPodAlone) {  // quota steps 14
  snapshot = two_containers().build();
  pod(0).applied.cpu_limit->quota.reset();
  decide();
  EXPECT_EQ(quota(0), 240000);
  EXPECT_EQ(pod_quota(), -1);
}

TEST_F(Burst, ThePodFollowsItsContainersAllTheWayUpAndBack) {
  snapshot = two_containers().build();
  decide();
  for (int i = 0; i < 9; ++i) decide_again();
  EXPECT_EQ(quota(0), 600000);
  EXPECT_EQ(pod_quota(), 800000);
  snapshot.node.cpu_use = 60000_mcpu;
  for (int i = 0; i < 10; ++i) {
    decide_again();
    const std::int64_t both = quota(0) + quota(1);
    EXPECT_EQ(pod_quota(), both > 400000 ? both : -1);
  }
  EXPECT_EQ(quota(0), 200000);
  EXPECT_EQ(pod_quota(), -1);  // nothing is asked of the pod any more: it gets its own value back
}

TEST_F(Burst, AFailedOrForeignWriteLeavesNoDrift) {  // W22
  snapshot = two_containers().build();
  decide();
  decide_again();
  EXPECT_EQ(pod_quota(), 488000);
  container(0).id = CgroupId{1000};  // the container started anew
  container(0).applied.cpu_limit->quota = 200000_us_cpu;
  pod(0).applied.cpu_limit->quota = 900000_us_cpu;
  out.clear();
  decide_again();
  EXPECT_EQ(quota(0), 240000);
  EXPECT_EQ(pod_quota(), 440000);
}

TEST_F(Burst, ThePodNeverGetsLessThanItHad) {
  snapshot = two_containers().build();
  pod(0).applied.cpu_limit->quota = 430000_us_cpu;  // overhead of its runtime class: 300m
  decide();
  EXPECT_EQ(pod_quota(), 470000) << "what its container was granted, on top";
  snapshot.node.cpu_use = 60000_mcpu;
  decide_again();
  EXPECT_EQ(pod_quota(), -1);
}

TEST_F(Burst, AContainerWithoutALimitMeansThePodIsNotOurs) {
  auto builder = two_containers().container("free").unlimited().throttled(3);
  snapshot = builder.build();
  decide();
  EXPECT_EQ(pod_quota(), -1);
  EXPECT_EQ(intent(out, container(2).id, Knob::cpu_quota), nullptr);
}

/// The kubelet sets none with cpuCFSQuota: false, and none for a container with CPUs of its own.
TEST_F(Burst, AContainerWhoseOwnerSetNoQuotaGetsNone) {
  auto builder = node().cpus(64).uses(8000_mcpu).pod("web").unlimited().burst(0);
  snapshot = builder.container("a").limit(1000_mcpu).unlimited().throttled(3).build();
  decide();
  EXPECT_EQ(intent(out, container(0).id, Knob::cpu_quota), nullptr);
  EXPECT_EQ(pod_quota(), -1);
}

TEST_F(Burst, PolicyDecidesWhichHalfRuns) {
  snapshot = two_containers().build();
  slo = burst(BurstPolicy::cpu_burst_only);
  decide();
  EXPECT_EQ(quota(0), -1);
  EXPECT_EQ(intended(out, container(0).id, Knob::cpu_burst), 200000);
  slo = burst(BurstPolicy::cfs_quota_burst_only);
  decide();
  EXPECT_EQ(quota(0), 240000);
  EXPECT_EQ(intended(out, container(0).id, Knob::cpu_burst), -1);
  slo = burst(BurstPolicy::none);
  decide();
  EXPECT_TRUE(out.all().empty());
}

TEST_F(Burst, StaticBurstIsWhatTheKernelTakes) {  // W21: the reference asks for ten times the quota
  snapshot = two_containers().build();
  decide();
  EXPECT_EQ(intended(out, container(0).id, Knob::cpu_burst), 200000);
  EXPECT_EQ(intended(out, pod(0).id, Knob::cpu_burst), 400000);
  slo.cpu_burst.cpu_burst_percent = 50_pct;
  decide();
  EXPECT_EQ(intended(out, container(0).id, Knob::cpu_burst), 100000);
  EXPECT_EQ(intended(out, pod(0).id, Knob::cpu_burst), 200000);
}

TEST_F(Burst, StaticBurstOfUnlimitedQuotasIsWhole) {  // static burst 8
  auto builder = node().cpus(64).uses(8000_mcpu).pod("web").unlimited().burst(0);
  builder.container("a").limit(1000_mcpu).unlimited().burst(0);
  snapshot = builder.container("b").limit(500_mcpu).unlimited().burst(0).build();
  slo = burst(BurstPolicy::cpu_burst_only);
  decide();
  EXPECT_EQ(intended(out, container(0).id, Knob::cpu_burst), 1000000);
  EXPECT_EQ(intended(out, container(1).id, Knob::cpu_burst), 500000);
  EXPECT_EQ(intended(out, pod(0).id, Knob::cpu_burst), 1500000);
}

TEST_F(Burst, SkipsPodsThatOwnCpusAreBatchHaveEndedOrAreNotOurs) {
  const auto refused = [&](auto change) {
    auto builder = node().cpus(64).uses(8000_mcpu).pod("web").quota(200000).burst(0);
    change(builder);
    snapshot = builder.container("main").limit(2000_mcpu).quota(200000).burst(0).throttled(3).build();
    decide();
    return out.all().empty();
  };
  EXPECT_FALSE(refused([](SnapshotBuilder&) {}));
  EXPECT_FALSE(refused([](SnapshotBuilder& pod) { pod.label(QosClass::system); }));
  EXPECT_TRUE(refused([](SnapshotBuilder& pod) { pod.lsr(); }));
  EXPECT_TRUE(refused([](SnapshotBuilder& pod) { pod.lse(); }));
  EXPECT_TRUE(refused([](SnapshotBuilder& pod) { pod.ls().allocated("0-1"); }));
  EXPECT_TRUE(refused([](SnapshotBuilder& pod) { pod.be(); }));
  EXPECT_TRUE(refused([](SnapshotBuilder& pod) { pod.phase(PodPhase::succeeded); }));
  EXPECT_TRUE(refused([](SnapshotBuilder& pod) { pod.cgroup_only().kube(KubeQos::besteffort); }));
  EXPECT_TRUE(refused([](SnapshotBuilder& pod) { pod.hands_off(); }));
}

TEST_F(Burst, AnAnnotationReplacesTheNodesFields) {
  CpuBurstOverride fields;
  fields.policy = "auto";
  fields.cfs_quota_burst_percent = 110_pct;
  slo = burst(BurstPolicy::none);
  snapshot = node()
                 .cpus(64)
                 .uses(8000_mcpu)
                 .pod("web")
                 .overrides(fields)
                 .container("main")
                 .limit(2000_mcpu)
                 .quota(200000)
                 .throttled(3)
                 .build();
  decide();
  EXPECT_EQ(quota(0), 220000);
  EXPECT_EQ(burst::burst_strategy(slo.cpu_burst, {.policy = "sometimes"}).policy, BurstPolicy::none);
}

TEST_F(Burst, APodKnownFromItsCgroupGrowsFromTheQuotaItWasFirstSeenWith) {
  snapshot = two_containers().cgroup_only().build();
  for (auto& one : snapshot.containers) one.spec = nullptr;
  decide();
  EXPECT_EQ(quota(0), 240000);
  EXPECT_EQ(pod_quota(), 440000);
  for (int i = 0; i < 10; ++i) decide_again();
  EXPECT_EQ(quota(0), 600000);
  snapshot.node.cpu_use = 60000_mcpu;
  for (int i = 0; i < 10; ++i) decide_again();
  EXPECT_EQ(quota(0), 200000);
}

TEST_F(Burst, HoldsWhatCannotBeReadForAMoment) {
  snapshot = two_containers().build();
  decide();
  test::obey(snapshot, out);
  container(0).applied.cpu_limit.reset();
  decide();
  EXPECT_TRUE(held(out, container(0).id, Knob::cpu_quota));
  EXPECT_TRUE(held(out, pod(0).id, Knob::cpu_quota));
}

struct RaisedBurst : Burst {
  void raised_and_using(MilliCpu use) {
    snapshot = two_containers().build();
    container(0).applied.cpu_limit->quota = 600000_us_cpu;
    container(0).throttling = Throttling{.periods = 10};
    container(0).cpu_use = use;
    decide();
  }
};

TEST_F(RaisedBurst, AnUnusedRaiseGoesBackAfterAQuietMinute) {  // the reference keeps it for ever (W23)
  raised_and_using(900_mcpu);
  for (int i = 0; i < 59; ++i) {
    decide_again();
    ASSERT_EQ(quota(0), 600000);
  }
  decide_again();
  EXPECT_EQ(quota(0), 480000);
  for (int i = 0; i < 5; ++i) decide_again();
  EXPECT_EQ(quota(0), 200000);
}

TEST_F(RaisedBurst, AUsedRaiseStays) {
  raised_and_using(3000_mcpu);
  for (int i = 0; i < 200; ++i) decide_again();
  EXPECT_EQ(quota(0), 600000);
}

TEST_F(RaisedBurst, SpentTokensBringItDown) {
  slo.cpu_burst.cfs_quota_burst_period_seconds = 10;  // 2000 percent seconds, a quarter at first
  raised_and_using(6000_mcpu);                        // three times its limit: 200 percent a second
  decide_again();
  decide_again();
  EXPECT_EQ(quota(0), 600000);
  decide_again();
  EXPECT_EQ(quota(0), 480000);
}

TEST_F(Burst, ForgetsContainersThatAreGone) {
  snapshot = two_containers().build();
  decide();
  EXPECT_EQ(state.of<burst::CpuBurstState>().containers.size(), 2U);
  const MonoTime then = snapshot.at;
  snapshot = node().cpus(64).uses(1000_mcpu).build();
  snapshot.at = then + seconds(1);
  decide();
  EXPECT_TRUE(state.of<burst::CpuBurstState>().containers.empty());
  EXPECT_TRUE(state.of<burst::CpuBurstState>().pods.empty());
}

}  // namespace
}  // namespace evenkeel
