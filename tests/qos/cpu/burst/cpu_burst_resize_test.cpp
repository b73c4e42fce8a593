// What burst does when the kubelet resizes a pod in place.
#include <gtest/gtest.h>

#include "qos/cpu/burst/burst.h"
#include "tests/support/scenes/one_policy.h"
#include "tests/support/scenes/snapshot_builder.h"

namespace evenkeel {
namespace {

using namespace literals;
using test::intended;
using test::node;

/// One throttled container with this limit.
NodeSnapshot sized(MilliCpu limit, std::int64_t pod_quota) {
  const auto quota = limit.count() * 100;
  auto builder = node().cpus(64).uses(8000_mcpu).pod("web").ls().quota(pod_quota).burst(0);
  return builder.container("main").limit(limit).quota(quota).burst(0).uses(limit).throttled(3).build();
}

TEST(BurstResize, ThePodsQuotaIsItsNewOneAndWhatIsGranted) {
  NodeSlo slo;
  slo.cpu_burst.policy = BurstPolicy::automatic;
  decide::PolicyState state;
  MonoTime now{std::chrono::hours(1)};
  const auto pod_quota = [&](MilliCpu limit, std::int64_t found) {
    auto snapshot = sized(limit, found);
    snapshot.at = now += std::chrono::seconds(1);
    snapshot.since_previous = std::chrono::seconds(1);
    decide::Intents out;
    test::decide_one(burst::cpu_burst_policy, snapshot, slo, state, out);
    return intended(out, snapshot.cgroup(snapshot.pods[0].cgroup)->id, Knob::cpu_quota);
  };
  EXPECT_EQ(pod_quota(2000_mcpu, 200000), 240000);
  EXPECT_EQ(pod_quota(4000_mcpu, 400000), 480000) << "resized up while it bursts";
  EXPECT_EQ(pod_quota(1000_mcpu, 100000), 120000) << "and down";
}

struct OneContainer {
  explicit OneContainer(NodeSnapshot found) : snapshot(std::move(found)) {
    slo.cpu_burst.policy = BurstPolicy::automatic;
    snapshot.at = MonoTime{std::chrono::hours(1)};
  }
  void decide() {
    snapshot.at += std::chrono::seconds(1);
    snapshot.since_previous = std::chrono::seconds(1);
    out.clear();
    test::decide_one(burst::cpu_burst_policy, snapshot, slo, state, out);
  }
  /// The executor writes what was wanted, then the next tick.
  void next() {
    for (auto& cgroup : snapshot.cgroups)
      if (const auto quota = intended(out, cgroup.id, Knob::cpu_quota); quota > 0)
        cgroup.applied.cpu_limit->quota = QuotaTime(quota);
    decide();
  }
  CgroupSample& container() {
    return snapshot.cgroups[static_cast<std::size_t>(snapshot.containers[0].cgroup)];
  }
  CgroupSample& pod() { return snapshot.cgroups[static_cast<std::size_t>(snapshot.pods[0].cgroup)]; }
  std::int64_t quota() { return intended(out, container().id, Knob::cpu_quota); }
  NodeSnapshot snapshot;
  NodeSlo slo{};
  decide::PolicyState state{};
  decide::Intents out{};
};

TEST(BurstResize, ASmallerLimitThatTheKubeletIsAboutToWriteIsMadeRoomFor) {
  auto pods = sized(2000_mcpu, 200000);
  Pod resizing = *pods.pods[0].spec;
  OneContainer loop(std::move(pods));
  for (int i = 0; i < 5; ++i) loop.next();
  ASSERT_GT(loop.quota(), 300000);
  resizing.containers[0].pending_cpu_limit = 500_mcpu;
  loop.snapshot.pods[0].spec = &resizing;
  loop.snapshot.containers[0].spec = &resizing.containers[0];
  loop.next();
  EXPECT_EQ(loop.quota(), 200000) << "what the kubelet has carried out so far";
  EXPECT_EQ(intended(loop.out, loop.pod().id, Knob::cpu_quota), -1) << "restored";
  EXPECT_EQ(intended(loop.out, loop.container().id, Knob::cpu_burst), 50000)
      << "a burst above the new quota would make the kubelet's write EINVAL";
  loop.container().applied.cpu_limit->quota = QuotaTime(50000);
  loop.out.clear();  // the executor's write is older than the kubelet's
  loop.next();
  EXPECT_EQ(loop.quota(), -1)
      << "raised again, it would make the kubelet's next write, that to the pod, EINVAL";
  EXPECT_EQ(intended(loop.out, loop.pod().id, Knob::cpu_quota), -1);
  loop.container().applied.cpu_limit->quota = QuotaTime(200000);
  resizing.containers[0].pending_cpu_limit = 2200_mcpu;
  for (int i = 0; i < 3; ++i) loop.next();
  EXPECT_EQ(loop.quota(), 220000) << "on v1 its pod's new quota must not be below it";
  loop.snapshot.v2_cpu = true;
  for (int i = 0; i < 3; ++i) loop.next();
  EXPECT_GT(loop.quota(), 300000) << "on v2 a larger limit, perhaps deferred for long, changes nothing";
}

TEST(BurstResize, TheOwnersNewLimitIsSaidWithTheQuota) {
  OneContainer loop(sized(2000_mcpu, 200000));
  loop.decide();
  for (const auto& intent : loop.out.all())
    EXPECT_EQ(intent.owners, intent.knob == Knob::cpu_quota ? std::optional(200000) : std::nullopt);
}

/// The kubelet writes a raised limit before its list tells it.
struct AheadOfTheList : ::testing::Test, OneContainer {
  AheadOfTheList() : OneContainer(sized(2000_mcpu, 200000)), resized(*snapshot.pods[0].spec) {
    resized.containers[0].limits.cpu = 8000_mcpu;
  }
  void SetUp() override {
    for (int i = 0; i < 3; ++i) next();
    ASSERT_GT(quota(), 250000);
    out.clear();  // the executor's write is older than the kubelet's
    // Above all that burst has set, or it could be burst's own.
    container().applied.cpu_limit->quota = pod().applied.cpu_limit->quota = QuotaTime(800000);
    next();
  }
  std::int64_t pod_quota() { return intended(out, pod().id, Knob::cpu_quota); }
  Pod resized;
};

TEST_F(AheadOfTheList, ARaisedLimitIsNotCutAndNothingIsGrantedOnTop) {
  EXPECT_EQ(quota(), -1);
  EXPECT_EQ(pod_quota(), -1);
}

TEST_F(AheadOfTheList, OnceTheListTellsThePodHasItsNewQuotaAndWhatIsGranted) {
  snapshot.pods[0].spec = &resized;
  snapshot.containers[0].spec = &resized.containers[0];
  next();
  ASSERT_GT(quota(), 800000);
  EXPECT_EQ(pod_quota(), quota()) << "not the difference of the limits once more";
}

TEST_F(AheadOfTheList, AWriteThatNoListConfirmsIsLeftForAMinute) {
  for (int i = 0; i < 58; ++i) next();
  EXPECT_EQ(quota(), -1);
  for (int i = 0; i < 3; ++i) next();
  EXPECT_GE(quota(), 200000);
  EXPECT_LE(quota(), 600000);
}

/// Without a pod list the base is what the owner wrote last.
struct BurstWithoutAList : ::testing::Test, OneContainer {
  BurstWithoutAList() : OneContainer(without_a_list()) {}
  static NodeSnapshot without_a_list() {
    auto builder = node().cpus(64).uses(8000_mcpu).pod("web").cgroup_only().quota(200000).burst(0);
    auto out = builder.container("main").quota(200000).burst(0).uses(2000_mcpu).throttled(3).build();
    for (auto& container : out.containers) container.spec = nullptr;
    return out;
  }
  void SetUp() override {
    for (int i = 0; i < 3; ++i) next();
    ASSERT_EQ(quota(), 345600);
  }
  /// In how many of these seconds there is neither burst nor, if asked for, a raised quota.
  int seconds_with_room(int seconds, bool for_the_pod_as_well) {
    int with_room = 0;
    for (int i = 0; i < seconds; ++i) {
      next();
      const bool burst =
          intended(out, container().id, Knob::cpu_burst) > 0 || intended(out, pod().id, Knob::cpu_burst) > 0;
      const bool raised = quota() > 200000 || intended(out, pod().id, Knob::cpu_quota) > 0;
      with_room += !burst && !(for_the_pod_as_well && raised) ? 1 : 0;
    }
    return with_room;
  }
  void owner_writes(QuotaTime quota) {
    out.clear();  // the executor's write is older than the owner's
    container().applied.cpu_limit->quota = pod().applied.cpu_limit->quota = quota;
    container().throttling->throttled_periods = 0;
    for (int i = 0; i < 3; ++i) next();
  }
};

TEST_F(BurstWithoutAList, AResizeUpIsNotCutBack) {
  owner_writes(QuotaTime(800000));
  EXPECT_EQ(quota(), 800000);
}

TEST_F(BurstWithoutAList, AResizeDownIsNotLifted) {
  owner_writes(QuotaTime(50000));
  EXPECT_EQ(quota(), 50000);
}

/// Any burst makes the kernel refuse some quota of the owner's, who repeats it every minute or so.
TEST_F(BurstWithoutAList, InTwoMinutesOfEachHourAnySmallerQuotaIsAccepted) {
  snapshot.v2_cpu = true;
  EXPECT_EQ(seconds_with_room(7200, false), 240);
  EXPECT_GT(quota(), 200000) << "a raised quota is in nobody's way there";
}

TEST_F(BurstWithoutAList, OnV1AlsoAQuotaOfThePodBelowARaisedContainers) {
  EXPECT_EQ(seconds_with_room(7200, true), 240);
}

TEST_F(BurstWithoutAList, AListMakesTheWaitUnnecessary) {
  OneContainer listed(sized(2000_mcpu, 200000));
  for (int i = 0; i < 3700; ++i) {
    listed.next();
    ASSERT_GT(intended(listed.out, listed.container().id, Knob::cpu_burst), 0) << "after " << i << " s";
  }
}

TEST_F(BurstWithoutAList, AQuotaThatIsTakenAwayIsNotSetAgain) {
  out.clear();
  container().applied.cpu_limit->quota.reset();
  next();
  EXPECT_EQ(quota(), -1);
}

TEST_F(BurstWithoutAList, OnesOwnQuotaCutByTheKernelIsNotTheOwners) {
  out.clear();
  container().applied.cpu_limit->quota = QuotaTime(250000);
  next();
  snapshot.node.cpu_use = 60000_mcpu;
  for (int i = 0; i < 10; ++i) next();
  EXPECT_EQ(quota(), 200000);
}

}  // namespace
}  // namespace evenkeel
