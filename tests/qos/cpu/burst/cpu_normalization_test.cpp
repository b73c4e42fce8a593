// Quotas on CPUs that count for more than one, and who writes them where burst has a say.
#include <gtest/gtest.h>

#include <utility>

#include "qos/cpu/burst/burst.h"
#include "qos/decide/intent.h"
#include "qos/registry.h"
#include "tests/support/scenes/snapshot_builder.h"

namespace evenkeel {
namespace {

using namespace evenkeel::literals;
using std::chrono::seconds;
using test::intended;
using test::node;
using test::SnapshotBuilder;

constexpr std::int64_t kNothing = -1;

/// Two CPUs at most, in a pod with that alone.
SnapshotBuilder service() {
  return node()
      .cpus(64)
      .uses(8000_mcpu)
      .pod("web")
      .ls()
      .quota(200000)
      .burst(0)
      .shares(2048)
      .container("a")
      .limit(2000_mcpu)
      .quota(200000)
      .burst(0)
      .shares(2048)
      .uses(1000_mcpu)
      .throttled(0);
}

/// As crun 1.8 makes it: the container's own cgroup has no quota, that of its processes has.
SnapshotBuilder made_by_crun() { return service().v2().unlimited().subgroup().quota(200000).burst(0); }

struct Scene {
  explicit Scene(const SnapshotBuilder& builder, std::optional<double> ratio = 1.2) : node(builder.build()) {
    node.object.cpu_normalization_ratio = ratio;
    node.at = MonoTime{} + seconds(100);
  }
  /// What all policies together make of it, with one value for each lever.
  void decide() {
    out.clear();
    decide::decide_all(node, slo, state, out);
    decide::arbitrate(node, slo, out, plan);
  }
  void next() {
    test::obey(node, out);
    for (const decide::Intent& intent : plan) set(intent);
    node.at += seconds(1);
    node.since_previous = seconds(1);
    decide();
  }
  [[nodiscard]] std::int64_t planned(CgroupIndex index) const {
    for (const decide::Intent& intent : plan)
      if (intent.target == node.cgroup(index)->id && intent.knob == Knob::cpu_quota)
        return std::get<std::int64_t>(intent.value);
    return kNothing;
  }
  [[nodiscard]] std::int64_t pod() const { return planned(node.pods[0].cgroup); }
  [[nodiscard]] std::int64_t container(std::size_t i = 0) const { return planned(node.containers[i].cgroup); }
  [[nodiscard]] std::int64_t subgroup() const { return planned(node.subgroup_of(node.containers[0].cgroup)); }
  void set(const decide::Intent& intent) {
    if (intent.knob != Knob::cpu_quota || intent.hold) return;
    for (auto& cgroup : node.cgroups)
      if (cgroup.id == intent.target)
        cgroup.applied.cpu_limit->quota = QuotaTime(std::get<std::int64_t>(intent.value));
  }
  CgroupSample& sample(std::size_t i) {
    return node.cgroups[static_cast<std::size_t>(node.containers[i].cgroup)];
  }
  NodeSnapshot node;
  NodeSlo slo{};
  decide::PolicyState state{};
  decide::Intents out{};
  std::vector<decide::Intent> plan{};
};

TEST(CpuNormalization, RoundsUpAndStaysAboveTheKernelsLeast) {
  EXPECT_EQ(burst::divided(QuotaTime(200000), 1.2), QuotaTime(166667));
  EXPECT_EQ(burst::divided(QuotaTime(150000), 1.5), QuotaTime(100000));
  EXPECT_EQ(burst::divided(QuotaTime(1100), 2.0), QuotaTime(1000));
  EXPECT_EQ(burst::divided(QuotaTime(200000), 1.0), QuotaTime(200000));
  EXPECT_EQ(burst::divided(QuotaTime(200000), 0.5), QuotaTime(200000)) << "below one it does nothing";
  EXPECT_EQ(burst::divided(QuotaTime(200000), std::nullopt), QuotaTime(200000));
}

TEST(CpuNormalization, ContainersAndTheirPod) {
  Scene scene(service());
  scene.decide();
  EXPECT_EQ(scene.container(), 166667);
  EXPECT_EQ(scene.pod(), 166667);
  EXPECT_EQ(
      scene.plan[0].why.text(),
      "166667 µs per period: a CPU of this node counts for 120 % of a standard one, which the limit is in");
  for (const auto ratio : {std::optional<double>(), std::optional(1.0), std::optional(0.8)}) {
    Scene none(service(), ratio);
    none.decide();
    EXPECT_TRUE(none.plan.empty());
  }
  scene.slo.evenkeel.cpu_normalization = false;
  scene.decide();
  EXPECT_TRUE(scene.plan.empty());
}

TEST(CpuNormalization, ALimitOfThePodAsAWholeIsDivided) {
  Scene scene(
      service().pod_level_limit(3000_mcpu).container("b").quota(300000).burst(0).shares(2).uses(0_mcpu));
  scene.decide();
  EXPECT_EQ(scene.container(0), 166667);
  EXPECT_EQ(scene.container(1), 250000) << "its limit is the pod's";
  EXPECT_EQ(scene.pod(), 250000);
}

/// The runtime gives a new container its whole quota, which the kernel of v1 refuses below a pod with less.
TEST(CpuNormalization, OnV1NothingIsDividedWhileAContainerIsStillToBeMade) {
  for (const bool v2 : {false, true})
    for (const auto policy : {BurstPolicy::none, BurstPolicy::automatic}) {
      SCOPED_TRACE(v2 ? "v2" : "v1");
      auto two = service().container("b").limit(100_mcpu).quota(10000).burst(0).shares(102).uses(50_mcpu);
      if (v2) two.v2();
      Scene scene(two);
      scene.slo.cpu_burst.policy = policy;
      const auto made = std::exchange(scene.node.containers[0].cgroup, kNoCgroup);
      scene.decide();
      EXPECT_EQ(scene.pod(), v2 ? 175001 : kNothing);
      scene.node.containers[0].cgroup = made;
      scene.next();
      scene.next();
      EXPECT_EQ(scene.container(0), 166667);
      EXPECT_EQ(scene.container(1), 8334);
      EXPECT_EQ(scene.pod(), 175001);
    }
}

/// The kubelet lowers a container's limit before the pod's. Its new quota may still be above what the pod's
/// was divided to.
TEST(CpuNormalization, OnV1NothingIsDividedWhileAResizeIsPending) {
  for (const bool v2 : {false, true})
    for (const auto policy : {BurstPolicy::none, BurstPolicy::automatic}) {
      SCOPED_TRACE(v2 ? "v2" : "v1");
      auto one = service();
      if (v2) one.v2();
      Scene scene(one);
      scene.slo.cpu_burst.policy = policy;
      const Pod* const told = scene.node.pods[0].spec;
      Pod pending = *told;
      pending.containers[0].pending_cpu_limit = 1900_mcpu;
      scene.node.pods[0].spec = &pending;
      scene.node.containers[0].spec = pending.containers.data();
      scene.decide();
      const auto quota = scene.pod();
      EXPECT_TRUE(v2 ? quota == 166667 : quota == kNothing || quota == 200000) << quota;
      scene.node.pods[0].spec = told;
      scene.node.containers[0].spec = told->containers.data();
      scene.next();
      scene.next();
      EXPECT_EQ(scene.container(), 166667);
      EXPECT_EQ(scene.pod(), 166667);
    }
}

/// A larger limit of the pod as a whole is deferred, and the kubelet tells the quota that it finds.
TEST(CpuNormalization, WhatTheKubeletReadsIsNotDividedOnceMore) {
  for (const auto policy : {BurstPolicy::none, BurstPolicy::automatic}) {
    auto pod = node().cpus(64).uses(8000_mcpu).pod("web").ls().pod_level_limit(2000_mcpu).quota(200000);
    pod.burst(0).shares(2048).container("a").quota(200000).burst(0).shares(2048).uses(1000_mcpu).throttled(0);
    Scene scene(pod);
    scene.slo.cpu_burst.policy = policy;
    scene.decide();
    scene.next();
    Pod told = *scene.node.pods[0].spec;
    told.pod_level_limits.cpu = 1666_mcpu;
    told.pending_pod_level_cpu = 8000_mcpu;
    scene.node.pods[0].spec = &told;
    scene.node.containers[0].spec = told.containers.data();
    for (int i = 0; i < 5; ++i) scene.next();
    for (const auto index : {scene.node.pods[0].cgroup, scene.node.containers[0].cgroup})
      EXPECT_EQ(scene.node.cgroup(index)->applied.cpu_limit->quota, QuotaTime(166667));
    for (const decide::Intent& intent : scene.plan)
      EXPECT_EQ(intent.owners.value_or(200000), 200000) << "what is restored";
  }
}

TEST(CpuNormalization, WhoHasNoQuotaOrAnotherSourceOfItIsLeftAlone) {
  const auto untouched = [](SnapshotBuilder builder) {
    Scene scene(builder);
    scene.slo.evenkeel.cpusets = false;
    scene.decide();
    return scene.container() == kNothing && scene.pod() == kNothing;
  };
  EXPECT_TRUE(untouched(node().pod("p").ls().unlimited().container("c").limit(1000_mcpu).unlimited()))
      << "the kubelet sets no quotas here";
  EXPECT_TRUE(untouched(node().pod("p").lsr().quota(100000).container("c").limit(1000_mcpu).quota(100000)));
  EXPECT_TRUE(untouched(node().pod("p").lse().quota(100000).container("c").limit(1000_mcpu).quota(100000)));
  EXPECT_TRUE(untouched(
      node().pod("p").label(QosClass::system).quota(100000).container("c").limit(1000_mcpu).quota(100000)));
  EXPECT_TRUE(untouched(
      node().pod("p").ls().allocated("0-1").quota(100000).container("c").limit(1000_mcpu).quota(100000)));
  EXPECT_TRUE(untouched(node().pod("p").ls().cgroup_only().quota(100000).container("c").quota(100000)));
}

TEST(CpuNormalization, APodWithAnUnlimitedContainerHasNone) {
  Scene scene(service().container("b").unlimited());
  scene.decide();
  EXPECT_EQ(scene.container(0), 166667);
  EXPECT_EQ(scene.container(1), kNothing);
  EXPECT_EQ(scene.pod(), kNothing);
}

TEST(CpuNormalization, OfCrunTheQuotaIsDividedWhereItIs) {
  Scene below(made_by_crun());
  below.decide();
  EXPECT_EQ(below.subgroup(), 166667);
  EXPECT_EQ(below.container(), kNothing) << "its owner set none";
  EXPECT_EQ(below.pod(), 166667);
  Scene both(service().v2().subgroup().quota(200000));
  both.decide();
  EXPECT_EQ(both.subgroup(), 166667);
  EXPECT_EQ(both.container(), 166667);
  Scene above(service().v2().subgroup().unlimited());
  above.decide();
  EXPECT_EQ(above.subgroup(), kNothing);
  EXPECT_EQ(above.container(), 166667);
}

TEST(CpuNormalization, OfCrunNothingIsDividedWhileTheContainerIsSetUp) {
  Scene scene(made_by_crun());
  scene.sample(0).applied.cpu_shares = 100;
  scene.sample(0).cpu_use.reset();
  scene.decide();
  EXPECT_EQ(scene.subgroup(), kNothing);
}

TEST(CpuNormalization, OfCrunBurstSpeaksForTheDividedQuota) {
  Scene scene(made_by_crun());
  scene.slo.cpu_burst.policy = BurstPolicy::automatic;
  scene.decide();
  EXPECT_EQ(scene.subgroup(), 166667);
  scene.next();
  scene.sample(0).throttling->throttled_periods = 3;
  scene.next();
  EXPECT_EQ(scene.subgroup(), 200000) << "a fifth more, and no policy takes it back";
  EXPECT_EQ(scene.container(), kNothing);
}

TEST(CpuNormalization, BurstStartsFromTheDividedLimitAndSpeaksForIt) {
  Scene scene(service());
  scene.slo.cpu_burst.policy = BurstPolicy::automatic;
  scene.decide();
  EXPECT_EQ(scene.container(), 166667) << "what it had before was never its due";
  EXPECT_EQ(scene.pod(), 166667);
  scene.next();
  EXPECT_EQ(scene.container(), 166667);
  EXPECT_EQ(scene.pod(), 166667);
  scene.sample(0).throttling->throttled_periods = 3;
  scene.next();
  EXPECT_EQ(scene.container(), 200000) << "a fifth more";
  EXPECT_EQ(scene.pod(), 200000) << "and no policy takes it back";
  scene.node.node.cpu_use = 64000_mcpu;
  for (int i = 0; i < 20; ++i) scene.next();
  EXPECT_EQ(scene.container(), 166667) << "down to its divided limit, and no further";
  EXPECT_EQ(scene.pod(), 166667);
}

TEST(CpuNormalization, StaticBurstStaysWithinTheDividedLimit) {
  Scene scene(service());
  scene.slo.cpu_burst.policy = BurstPolicy::cpu_burst_only;
  scene.decide();
  EXPECT_EQ(scene.container(), 166667);
  EXPECT_EQ(intended(scene.out, scene.sample(0).id, Knob::cpu_burst), 166667);
}

TEST(CpuNormalization, WhenTheRatioGoesNoQuotaCountsAsRaised) {
  Scene scene(service());
  scene.slo.cpu_burst.policy = BurstPolicy::automatic;
  scene.decide();
  scene.next();
  scene.node.object.cpu_normalization_ratio.reset();
  scene.next();
  EXPECT_EQ(scene.container(), 200000);
  EXPECT_EQ(scene.pod(), kNothing) << "its original goes back";
  for (auto& cgroup : scene.node.cgroups)
    if (cgroup.kind == CgroupKind::pod) cgroup.applied.cpu_limit->quota = QuotaTime(200000);
  scene.next();
  EXPECT_EQ(scene.pod(), kNothing);
}

}  // namespace
}  // namespace evenkeel
