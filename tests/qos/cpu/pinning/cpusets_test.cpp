// CPU sets: who has CPUs of his own runs there, who has none shares the rest.
#include <gtest/gtest.h>

#include <algorithm>

#include "qos/cpu/pinning/pinning.h"
#include "tests/support/scenes/one_policy.h"
#include "tests/support/scenes/snapshot_builder.h"

namespace evenkeel {
namespace {

using namespace evenkeel::literals;
using test::intent;
using test::node;
using test::SnapshotBuilder;

constexpr const char* kNothing = "nothing";

struct Decided {
  NodeSnapshot node;
  decide::Intents out{};
  explicit Decided(const SnapshotBuilder& builder) : node(builder.build()) {
    decide::PolicyState state;
    test::decide_one(pinning::cpusets_policy, node, NodeSlo{}, state, out);
  }
  [[nodiscard]] CgroupId container_id(std::size_t index) const {
    return node.cgroup(node.containers[index].cgroup)->id;
  }
  [[nodiscard]] std::string container(std::size_t index, Knob knob = Knob::cpuset_cpus) const {
    const auto* found = intent(out, container_id(index), knob);
    return found ? text(found->value) : kNothing;
  }
};

/// Eight CPUs in two NUMA nodes.
SnapshotBuilder eight_cpus() {
  const auto half = [](int cpu) { return cpu / 4; };
  return node().topology(test::cpu_infos(
      8, [](int cpu) { return cpu; }, half, half));
}

/// On them a service, a batch pod, and one that owns CPUs 2 and 3.
SnapshotBuilder three(QosClass owner = QosClass::lse) {
  return eight_cpus()
      .pod("owner")
      .label(owner)
      .kube(KubeQos::guaranteed)
      .allocated("2-3")
      .container("a")
      .quota(200000)
      .cpuset("0-7")
      .pod("service")
      .ls()
      .kube(KubeQos::burstable)
      .container("b")
      .cpuset("0-7")
      .pod("batch")
      .be()
      .container("c")
      .cpuset("0-7");
}

TEST(Cpusets, TheOwnerHasItsCpusAndServicesShareTheRest) {
  const Decided decided(three());
  EXPECT_EQ(decided.container(0), "2-3");
  EXPECT_EQ(decided.container(0, Knob::cpu_quota), "unlimited") << "whole CPUs are limit enough";
  EXPECT_EQ(decided.container(1), "0-1,4-7");
  EXPECT_EQ(decided.container(1, Knob::cpu_quota), kNothing);
  EXPECT_EQ(decided.container(2), "0-1,4-7") << "nobody shares an LSE pod's";
}

/// The plan for best effort beside other pods: of its directory, a pod and a container in it, "CPUs by
/// POLICY".
struct BestEffort {
  NodeSnapshot node;
  NodeSlo slo{};
  decide::PolicyState state{};
  explicit BestEffort(SnapshotBuilder builder) : node(builder.besteffort().cpuset("0-7").build()) {
    node.node.cpu_use = 2000_mcpu;
    for (CgroupSample& sample : node.cgroups)
      if (sample.kind == CgroupKind::pod) sample.applied.cpus = test::cpu_list("0-7");
    slo.threshold.enable = true;
    slo.threshold.cpu_suppress_policy = SuppressPolicy::cfs_quota;
  }
  std::string decided() {
    decide::Intents out;
    std::vector<decide::Intent> plan;
    decide::decide_all(node, slo, state, out);
    decide::arbitrate(node, slo, out, plan);
    std::string all;
    int found = 0;
    for (const decide::Intent& intent : plan) {
      const auto is_target = [&](const CgroupSample& sample) { return sample.id == intent.target; };
      const auto at = std::ranges::find_if(node.cgroups, is_target) - node.cgroups.begin();
      if (intent.knob != Knob::cpuset_cpus || !node.is_within(static_cast<CgroupIndex>(at), node.besteffort))
        continue;
      const std::string one =
          (intent.hold ? "held" : text(intent.value)) + " by " + std::string(decide::policy_name(intent.by));
      EXPECT_TRUE(all.empty() || all == one) << one;
      all = one;
      ++found;
    }
    EXPECT_TRUE(found == 0 || found == 3) << found;
    return found == 0 ? kNothing : all;
  }
};

TEST(Cpusets, BestEffortIsKeptOffTheCpusThatNoOtherPodMayUse) {
  EXPECT_EQ(BestEffort(three()).decided(), "0-1,4-7 by cpusets");
  EXPECT_EQ(BestEffort(three(QosClass::lsr)).decided(), kNothing) << "it may share those";
  NodeObject object;
  object.reserved_cpus = test::cpu_list("0");
  object.system_qos_cpus = test::cpu_list("1");
  EXPECT_EQ(BestEffort(three().object(object)).decided(), "4-7 by cpusets");
  object.system_qos_cpus_shared = true;
  EXPECT_EQ(BestEffort(three(QosClass::lsr).object(object)).decided(), "1-7 by cpusets");
}

TEST(Cpusets, BestEffortKeepsWhatItHasWhereNoCpuIsLeft) {
  EXPECT_EQ(BestEffort(three().pod("all").lse().allocated("0-7")).decided(), kNothing);
}

TEST(Cpusets, SuppressionByCpuSetComesFirst) {
  BestEffort scene(three());
  scene.slo.threshold.cpu_suppress_policy = SuppressPolicy::cpuset;
  EXPECT_EQ(scene.decided(), "0-1,4-5 by cpu-suppress");
  scene.node.node.cpu_use.reset();
  EXPECT_EQ(scene.decided(), "0-1,4-7 by cpusets") << "what it holds has CPUs in it that are not its own";
  for (auto& cgroup : scene.node.cgroups)
    if (cgroup.applied.cpus) cgroup.applied.cpus = cgroup.applied.cpus_effective = test::cpu_list("0-1,4-5");
  EXPECT_EQ(scene.decided(), "0-1,4-5 by cpusets") << "no more than what it holds";
  scene.slo.threshold.enable = false;
  EXPECT_EQ(scene.decided(), "0-1,4-7 by cpusets");
}

// A DaemonSet's pod without requests.
TEST(Cpusets, ASystemPodInBestEffortKeepsTheCpusOfTheSystem) {
  NodeObject object;
  object.system_qos_cpus = test::cpu_list("1");
  const Decided decided(three()
                            .object(object)
                            .pod("system")
                            .label(QosClass::system)
                            .kube(KubeQos::besteffort)
                            .cpuset("0-7")
                            .container("d")
                            .cpuset("0-7")
                            .besteffort()
                            .cpuset("0-7"));
  const auto cpus = [&](CgroupIndex index) {
    const auto* found = intent(decided.out, decided.node.cgroup(index)->id, Knob::cpuset_cpus);
    return found ? text(found->value) : kNothing;
  };
  EXPECT_EQ(decided.container(3), "1");
  EXPECT_EQ(cpus(decided.node.pods[3].cgroup), "0-1,4-7");
  EXPECT_EQ(cpus(decided.node.besteffort), "0-1,4-7");
  EXPECT_EQ(decided.container(2), "0,4-7");
}

TEST(Cpusets, ABatchPodOutsideOfBestEffortIsKeptOffThem) {
  const Decided decided(
      three().pod("batch-2").label(QosClass::be).kube(KubeQos::burstable).container("d").cpuset("0-7"));
  EXPECT_EQ(decided.container(3), "0-1,4-7");
}

// With a CPU bind policy of the Node the scheduler gives CPUs to every pod that requests whole ones.
TEST(Cpusets, AnOwnerOfAnyClassHasItsCpus) {
  const Decided decided(three(QosClass::ls));
  EXPECT_EQ(decided.container(0), "2-3");
  EXPECT_EQ(decided.container(0, Knob::cpu_quota), "unlimited");
  EXPECT_EQ(decided.container(1), "0-1,4-7");
  EXPECT_EQ(Decided(three(QosClass::be)).container(0), kNothing) << "best effort owns none";
}

TEST(Cpusets, WithoutAnOwnerNoCpusetIsWritten) {
  EXPECT_TRUE(Decided(node().cpus(8).pod("service").ls().container("b").cpuset("0-7")).out.all().empty());
}

TEST(Cpusets, ReservedCpusBelongToNoPodAndTheSystemHasItsOwn) {
  NodeObject object;
  object.reserved_cpus = test::cpu_list("0");
  object.system_qos_cpus = test::cpu_list("1");
  const Decided decided(
      three().object(object).pod("system").label(QosClass::system).container("d").cpuset("0-7"));
  EXPECT_EQ(decided.container(1), "4-7");
  EXPECT_EQ(decided.container(3), "1");
}

// The scheduler gives them to nobody; a pod's annotation may name them all the same.
TEST(Cpusets, ReservedCpusAreNotGivenToAPodThatNamesThem) {
  NodeObject object;
  object.reserved_cpus = test::cpu_list("0-1");
  const auto beside = [&](const char* named) {
    return Decided(three().object(object).pod("greedy").lse().allocated(named).container("d").cpuset("0-7"));
  };
  EXPECT_EQ(beside("1,4").container(3), "4");
  EXPECT_EQ(beside("0-1").container(3), "4-7") << "it shares, as a pod without CPUs of its own";
  EXPECT_EQ(beside("0-1").container(0), "2-3");
}

/// What the second pod, a service, gets when the scheduler bound its CPU to these NUMA nodes.
std::string bound_to(std::vector<int> numa_nodes, const SnapshotBuilder& builder) {
  auto snapshot = builder.build();
  auto specs = *snapshot.pod_specs;
  for (std::size_t i = 0; i < specs.size(); ++i) snapshot.pods[i].spec = &specs[i];
  specs[1].cpu_numa_nodes = std::move(numa_nodes);
  decide::PolicyState state;
  decide::Intents out;
  test::decide_one(pinning::cpusets_policy, snapshot, NodeSlo{}, state, out);
  const auto* found = intent(out, snapshot.cgroup(snapshot.containers[1].cgroup)->id, Knob::cpuset_cpus);
  return found == nullptr ? kNothing : text(found->value);
}

TEST(Cpusets, APodOfOneNumaNodeSharesThere) {
  EXPECT_EQ(bound_to({0}, three()), "0-1");
  EXPECT_EQ(bound_to({}, three()), "0-1,4-7");
}

TEST(Cpusets, APodOfOneNumaNodeIsBoundWhetherOrNotAnotherOwnsCpus) {
  const auto nobody_owns = [] {
    return eight_cpus().pod("a").ls().container("a").cpuset("0-7").pod("b").ls().container("b").cpuset("0-7");
  };
  EXPECT_EQ(bound_to({1}, nobody_owns()), "4-7");
  EXPECT_EQ(bound_to({0, 1}, nobody_owns()), kNothing) << "that is every CPU";
  EXPECT_EQ(bound_to({}, nobody_owns()), kNothing);
}

TEST(Cpusets, SystemPodsHaveTheirCpusAlsoWhereOthersMayUseThem) {
  NodeObject object;
  object.system_qos_cpus = test::cpu_list("1");
  object.system_qos_cpus_shared = true;
  const Decided decided(
      three().object(object).pod("system").label(QosClass::system).container("d").cpuset("0-7"));
  EXPECT_EQ(decided.container(1), "0-1,4-7");
  EXPECT_EQ(decided.container(3), "1");
}

TEST(Cpusets, WhereTheKubeletPinsWeStandBack) {
  NodeObject object;
  object.kubelet_static_cpu_manager = true;
  EXPECT_TRUE(Decided(three().object(object)).out.all().empty());
}

TEST(Cpusets, AnOwnerWhoseCpusAreAllOffKeepsWhatItHas) {
  const Decided decided(three().pod("lost").lse().allocated("9").container("d").cpuset("0-7"));
  EXPECT_EQ(decided.container(3), kNothing);
}

TEST(Cpusets, ANewContainerIsLeftToItsMaker) {
  const Decided decided(
      three().pod("new").ls().kube(KubeQos::burstable).container("d").cpuset("0-7").shares(1024));
  EXPECT_EQ(decided.container(3), kNothing);
}

TEST(CpuClaims, OfServicesThatAreNotLseBestEffortSharesTheCpus) {
  for (const QosClass owner : {QosClass::ls, QosClass::lsr}) {
    const auto claims = pinning::cpu_claims(three(owner).build());
    EXPECT_EQ(claims.pinned.text(), "2-3");
    EXPECT_EQ(claims.shared().text(), "0-1,4-7");
  }
  EXPECT_TRUE(pinning::cpu_claims(three(QosClass::be).build()).pinned.empty());
}

TEST(CpuClaims, CpusPinnedByTheKubeletBelongToTheirPodAlone) {
  NodeObject object;
  object.kubelet_pinned_cpus = test::cpu_list("4-5");
  const auto claims = pinning::cpu_claims(three(QosClass::lsr).object(object).build());
  EXPECT_EQ(claims.pinned.text(), "2-3");
  EXPECT_EQ(claims.exclusive.text(), "4-5");
  EXPECT_EQ(claims.shared().text(), "0-1,6-7");
}

}  // namespace
}  // namespace evenkeel
