// Worked examples T* and Q* of the Koordinator reference (capacity, threshold and uses in CPUs; quotas in µs
// per 100 ms), and what we do better than it.
#include <gtest/gtest.h>

#include "qos/cpu/suppress/suppress.h"
#include "tests/support/scenes/one_policy.h"
#include "tests/support/scenes/snapshot_builder.h"

namespace evenkeel {
namespace {

using namespace literals;
using std::chrono::milliseconds;
using std::chrono::seconds;
using test::node;

NodeSlo quota_policy() {
  NodeSlo slo;
  slo.threshold.enable = true;
  slo.threshold.cpu_suppress_policy = SuppressPolicy::cfs_quota;
  return slo;
}

ThresholdStrategy threshold(int percent) {
  ThresholdStrategy strategy;
  strategy.cpu_suppress_threshold_percent = Percent(percent);
  return strategy;
}

MilliCpu target_of(const NodeSnapshot& snapshot, const ThresholdStrategy& strategy) {
  Reason unknown;
  return suppress::suppress_target(snapshot, strategy, suppress::AppLever::quota, unknown).value().target;
}

NodeObject reserving(MilliCpu cpu) {
  NodeObject object;
  object.reserved_cpu = cpu;
  return object;
}

test::SnapshotBuilder t1() {
  return node()
      .cpus(64)
      .uses(30500_mcpu)
      .pod("web")
      .ls()
      .uses(18250_mcpu)
      .pod("plain")
      .uses(1500_mcpu)
      .pod("batch")
      .be()
      .uses(6000_mcpu);
}

TEST(SuppressTarget, LeavesBestEffortWhatServicesAndSystemDoNotUse) {  // T1
  EXPECT_EQ(target_of(t1().object(reserving(2000_mcpu)).build(), threshold(65)), 17100_mcpu);
}

TEST(SuppressTarget, CountsTheReservationWhenItIsMoreThanTheSystemUses) {  // T2
  EXPECT_EQ(target_of(t1().object(reserving(6000_mcpu)).build(), threshold(65)), 15850_mcpu);
  NodeObject object;
  object.cpu_capacity = 64000_mcpu;
  object.cpu_allocatable = 58000_mcpu;
  EXPECT_EQ(target_of(t1().object(object).build(), threshold(65)), 15850_mcpu);
}

TEST(SuppressTarget, ANodeObjectOlderThanTheMachineDoesNotOutrankIt) {
  NodeObject older;
  older.cpu_capacity = 128000_mcpu;
  older.cpu_allocatable = 126000_mcpu;  // 2 CPUs are reserved, as in T1
  EXPECT_EQ(target_of(t1().object(older).build(), threshold(65)), 17100_mcpu);
}

TEST(SuppressTarget, MayBeNegativeAndRespectsTheMinimum) {  // T3, T4
  const auto full =
      node().cpus(16).uses(14000_mcpu).pod("web").uses(12000_mcpu).pod("batch").be().uses(1000_mcpu).build();
  EXPECT_EQ(target_of(full, threshold(65)), MilliCpu(-2600));
  ThresholdStrategy with_minimum = threshold(65);
  with_minimum.cpu_suppress_min_percent = 10_pct;
  EXPECT_EQ(target_of(full, with_minimum), 1600_mcpu);
}

test::SnapshotBuilder t5(int cpus) {
  return node().cpus(cpus).uses(12000_mcpu).pod("web").ls().uses(8000_mcpu).pod("batch").be().uses(2000_mcpu);
}

TEST(SuppressTarget, FollowsTheCapacity) {  // T5, T6
  EXPECT_EQ(target_of(t5(16).build(), threshold(70)), 1200_mcpu);
  EXPECT_EQ(target_of(t5(20).build(), threshold(70)), 4000_mcpu);
}

TEST(SuppressTarget, HostApplicationsCountAsServicesUnlessTheyAreBestEffortBelowBestEffort) {  // T7, T8
  auto be = t5(20).host_app(QosClass::be, HostAppBase::kubepods_besteffort).uses(1000_mcpu).build();
  EXPECT_EQ(target_of(be, threshold(70)), 5000_mcpu);
  auto ls = t5(20).host_app(QosClass::ls, HostAppBase::cgroup_root).uses(1000_mcpu).build();
  EXPECT_EQ(target_of(ls, threshold(70)), 4000_mcpu);
  auto be_elsewhere = t5(20).host_app(QosClass::be, HostAppBase::cgroup_root).uses(1000_mcpu).build();
  EXPECT_EQ(target_of(be_elsewhere, threshold(70)), 4000_mcpu);
}

TEST(SuppressTarget, MinimumOfTheStrategyCounts) {  // T9
  ThresholdStrategy strategy = threshold(70);
  strategy.cpu_suppress_min_percent = 60_pct;
  EXPECT_EQ(target_of(t5(20).build(), strategy), 12000_mcpu);
}

TEST(SuppressTarget, SystemIsNeverNegative) {  // T10
  const auto uneven =
      node().cpus(8).uses(3000_mcpu).pod("web").uses(2500_mcpu).pod("batch").be().uses(1000_mcpu).build();
  EXPECT_EQ(target_of(uneven, threshold(65)), 2700_mcpu);
}

TEST(SuppressTarget, BestEffortUseWithoutAPodIsNotTheSystem) {
  // A batch pod in its first second has no measurement of its own, but its directory's parent has: 5 of 16.
  const auto fresh = node().cpus(16).uses(8000_mcpu).besteffort().uses(5000_mcpu).pod("batch").be().build();
  EXPECT_EQ(target_of(fresh, threshold(65)), 10400_mcpu - 3000_mcpu);
}

TEST(SuppressTarget, UnmeasuredServicesLandInTheSystem) {
  const auto fresh = node().cpus(16).uses(8000_mcpu).pod("web").build();
  EXPECT_EQ(target_of(fresh, threshold(65)), 10400_mcpu - 8000_mcpu);
}

/// A node whose target is `target`: the system's use makes it so, at a threshold of 65 %.
test::SnapshotBuilder aiming(int cpus, std::int64_t target) {
  return node().cpus(cpus).uses(MilliCpu(cpus * 650 - target)).besteffort();
}

std::int64_t decided(const NodeSnapshot& snapshot) {
  decide::Intents out;
  decide::PolicyState state;
  test::decide_one(suppress::cpu_suppress_policy, snapshot, quota_policy(), state, out);
  return test::intended(out, snapshot.cgroup(snapshot.besteffort)->id, Knob::cpu_quota);
}

TEST(CpuSuppressQuota, UnlimitedGoesStraightToTheTarget) {  // Q1
  EXPECT_EQ(decided(aiming(64, 17100).unlimited().build()), 1710000);
}

TEST(CpuSuppressQuota, GrowsByATenthOfTheNodePerSecond) {  // Q2, Q7
  EXPECT_EQ(decided(aiming(64, 17100).quota(1000000).build()), 1640000);
  EXPECT_EQ(decided(aiming(80, 20000).quota(1000000).build()), 1800000);
}

TEST(CpuSuppressQuota, KeepsWhatIsNearEnough) {  // Q3, Q4, Q9: "no write" is the applied value itself
  EXPECT_EQ(decided(aiming(64, 17100).quota(1700000).build()), 1700000);
  EXPECT_EQ(decided(aiming(64, 16500).quota(1700000).build()), 1700000);
  EXPECT_EQ(decided(aiming(80, 20000).quota(1980000).build()), 1980000);
}

TEST(CpuSuppressQuota, KeepsTheFloorWhenTheNodeIsFull) {  // Q5, Q6, Q11
  EXPECT_EQ(decided(aiming(16, -1600).quota(300000).build()), 2000);
  EXPECT_EQ(decided(aiming(16, -1600).quota(2000).build()), 2000);
  EXPECT_EQ(decided(aiming(80, 1).quota(80000).build()), 2000);
}

TEST(CpuSuppressQuota, MovesByOnePercentOrMore) {  // Q8
  EXPECT_EQ(decided(aiming(80, 20000).quota(1900000).build()), 2000000);
}

TEST(CpuSuppressQuota, CutsAtOnceHoweverFar) {  // Q10
  EXPECT_EQ(decided(aiming(80, 20000).quota(2400000).build()), 2000000);
}

TEST(CpuSuppressQuota, UnlimitedIsAboveEverySmallTarget) {  // Q12, where the reference leaves BE unlimited
  EXPECT_EQ(decided(aiming(64, 500).unlimited().build()), 50000);
}

TEST(CpuSuppressQuota, CountsPerThePeriodOfTheDirectory) {
  EXPECT_EQ(decided(aiming(64, 17100).unlimited(milliseconds(50)).build()), 855000);
  EXPECT_EQ(decided(aiming(64, -1).unlimited(milliseconds(10)).build()), 1000);  // the kernel's 1 ms
  EXPECT_EQ(decided(aiming(64, -1).unlimited(seconds(1)).build()), 20000);
}

void expect_held(const NodeSnapshot& snapshot, const char* why) {
  decide::Intents out;
  decide::PolicyState state;
  test::decide_one(suppress::cpu_suppress_policy, snapshot, quota_policy(), state, out);
  ASSERT_EQ(out.all().size(), 1U);
  EXPECT_TRUE(out.all()[0].hold);
  EXPECT_EQ(out.all()[0].why.text(), why);
}

TEST(CpuSuppressQuota, HoldsWhileItDoesNotKnow) {
  expect_held(aiming(64, 17100).no_use().build(), "held: the node's CPU use is unknown");
  expect_held(aiming(64, 17100).pods_unknown().build(), "held: the pods are unknown");
  expect_held(node().uses(1000_mcpu).build(), "held: the node's CPU capacity is unknown");
  expect_held(aiming(64, 17100).no_quota_file().build(),
              "held: the BestEffort directory's quota cannot be read");
}

TEST(CpuSuppressQuota, IntendsNothingWithoutABestEffortDirectory) {
  decide::Intents out;
  decide::PolicyState state;
  test::decide_one(suppress::cpu_suppress_policy, node().cpus(8).uses(1000_mcpu).without_besteffort().build(),
                   quota_policy(), state, out);
  EXPECT_TRUE(out.all().empty());
}

TEST(CpuSuppressQuota, SaysWhyWithTheNumbers) {
  decide::Intents out;
  decide::PolicyState state;
  test::decide_one(suppress::cpu_suppress_policy, t1().build(), quota_policy(), state, out);
  ASSERT_EQ(out.all().size(), 1U);
  EXPECT_EQ(
      out.all()[0].why.text(),
      "best effort may use 17.1 CPUs: 41.6 CPUs of 64 CPUs are the threshold, services use 19.75 CPUs, the "
      "system 4.75 CPUs");
}

TEST(CpuSuppressQuota, NarrowsLimitedBatchPodsAlongOnV1AndRemembersWhatTheyHad) {
  auto snapshot = aiming(16, 2000).unlimited().pod("batch").be().quota(800000).build();
  const CgroupId dir = snapshot.cgroup(snapshot.besteffort)->id;
  const CgroupId pod = snapshot.cgroup(snapshot.pods[0].cgroup)->id;
  decide::Intents out;
  decide::PolicyState state;
  test::decide_one(suppress::cpu_suppress_policy, snapshot, quota_policy(), state, out);
  EXPECT_EQ(test::intended(out, dir, Knob::cpu_quota), 200000);
  EXPECT_EQ(test::intended(out, pod, Knob::cpu_quota), 200000);

  // Ten quiet seconds later there is room for all: one step grows the directory by 1.6 CPUs, the pod with it,
  // and when the directory has more than the pod ever had, the pod is left alone and gets its own value back.
  for (int second = 0; second < 20; ++second) {
    test::obey(snapshot, out);
    snapshot.at += seconds(1);
    snapshot.node.cpu_use = 400_mcpu;
    out.clear();
    test::decide_one(suppress::cpu_suppress_policy, snapshot, quota_policy(), state, out);
    const auto whole = test::intended(out, dir, Knob::cpu_quota);
    const bool narrowed = whole < 800000;
    EXPECT_EQ(test::intended(out, pod, Knob::cpu_quota), narrowed ? whole : -1);
  }
  EXPECT_EQ(test::intended(out, dir, Knob::cpu_quota), 1000000);
  EXPECT_EQ(test::intent(out, pod, Knob::cpu_quota), nullptr);
}

TEST(CpuSuppressQuota, LeavesBatchPodsAloneOnV2) {
  auto snapshot = aiming(16, 2000).v2().unlimited().pod("batch").be().quota(800000).build();
  decide::Intents out;
  decide::PolicyState state;
  test::decide_one(suppress::cpu_suppress_policy, snapshot, quota_policy(), state, out);
  EXPECT_EQ(out.all().size(), 1U);
}

TEST(SuppressActuator, WithTheWeightAloneNothingIsWritten) {
  auto snapshot = t1().build();
  snapshot.scheduler.fair = FairScheduler::eevdf;
  auto slo = quota_policy();
  slo.threshold.cpu_suppress_policy = SuppressPolicy::automatic;
  decide::PolicyState state;
  decide::Intents out;
  test::decide_one(suppress::cpu_suppress_policy, snapshot, slo, state, out);
  EXPECT_TRUE(out.all().empty());
}

}  // namespace
}  // namespace evenkeel
