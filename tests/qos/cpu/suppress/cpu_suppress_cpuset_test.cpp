// Worked examples C* and B* of the Koordinator reference, and what we do better than it.
#include <gtest/gtest.h>

#include "qos/cpu/suppress/suppress.h"
#include "tests/support/scenes/one_policy.h"
#include "tests/support/scenes/snapshot_builder.h"

namespace evenkeel {
namespace {

using namespace literals;
using std::chrono::seconds;
using test::node;
using test::SnapshotBuilder;

NodeSlo cpuset_policy() {
  NodeSlo slo;
  slo.threshold.enable = true;
  slo.threshold.cpu_suppress_policy = SuppressPolicy::cpuset;
  slo.threshold.cpu_suppress_threshold_percent = 100_pct;
  return slo;
}

/// 32 CPUs, the sibling of core c is CPU c + 16, eight cores per NUMA node and socket.
SnapshotBuilder topology_a(std::int64_t target, const char* old_cpus) {
  const auto node_of = [](int cpu) { return cpu % 16 / 8; };
  return node()
      .topology(test::cpu_infos(
          32, [](int cpu) { return cpu % 16; }, node_of, node_of))
      .uses(MilliCpu(32000 - target))
      .besteffort()
      .cpuset(old_cpus);
}

/// 8 CPUs, cores of two, NUMA nodes of four; an LSR pod on {0,6}, an LSE pod on {7}.
SnapshotBuilder topology_b(const char* reserved) {
  const auto quarter = [](int cpu) { return cpu / 4; };
  NodeObject object;
  object.reserved_cpus = test::cpu_list(reserved);
  return node()
      .topology(test::cpu_infos(
          8, [](int cpu) { return cpu / 2; }, quarter, quarter))
      .uses(5000_mcpu)
      .object(object)
      .besteffort()
      .cpuset("0-2")
      .pod("pinned")
      .lsr()
      .allocated("0,6")
      .pod("exclusive")
      .lse()
      .allocated("7");
}

struct Decision {
  decide::Intents out{};
  decide::PolicyState state{};

  void decide(const NodeSnapshot& snapshot, const NodeSlo& slo = cpuset_policy()) {
    out.clear();
    test::decide_one(suppress::cpu_suppress_policy, snapshot, slo, state, out);
  }
  [[nodiscard]] std::string cpus(const NodeSnapshot& snapshot) const {
    const decide::Intent* found =
        test::intent(out, snapshot.cgroup(snapshot.besteffort)->id, Knob::cpuset_cpus);
    return found ? text(found->value) : "held";
  }
};

std::string decided(const SnapshotBuilder& builder) {
  const NodeSnapshot snapshot = builder.build();
  Decision decision;
  decision.decide(snapshot);
  return decision.cpus(snapshot);
}

TEST(CpuSuppressCpuset, PicksAsManyCpusAsTheTargetNeeds) {
  EXPECT_EQ(decided(topology_a(9300, "0-15")), "0-2,8-9,16-18,24-25");  // C1
  EXPECT_EQ(decided(topology_a(500, "0-7")), "0,16");                   // C3
  EXPECT_EQ(decided(topology_a(-4000, "0-11")), "0,16");                // C4
  EXPECT_EQ(decided(topology_a(7000, "0-31")), "0-1,8-9,16-17,24");     // C5
  EXPECT_EQ(decided(topology_a(8001, "0-31")), "0-2,8-9,16-17,24-25");  // C6
}

TEST(CpuSuppressCpuset, GrowsByATenthOfTheCpusPerSecond) {  // C2
  EXPECT_EQ(decided(topology_a(20000, "0-3")), "0-1,8-9,16-17,24-25");
}

TEST(CpuSuppressCpuset, SharesPinnedCpusInProportion) {  // C7
  EXPECT_EQ(decided(topology_a(12000, "0-11").pod("pinned").lsr().allocated("0-3,16-19")),
            "0-1,4-5,8-10,16,20-21,24-25");
}

TEST(CpuSuppressCpuset, TakesAllThereIsWhenExclusivePodsLeaveTooLittle) {
  // C8: the reference keeps the old 20 CPUs, those of the exclusive pod among them (W4).
  EXPECT_EQ(decided(topology_a(20000, "0-19").pod("exclusive").lse().allocated("0-7,16-23")), "8-15,24-31");
}

TEST(CpuSuppressCpuset, AvoidsReservedAndExclusiveCpus) {
  EXPECT_EQ(decided(topology_b("")), "2-4");         // B1
  EXPECT_EQ(decided(topology_b("3")), "0,4-5");      // B2
  EXPECT_EQ(decided(topology_b("0-1,5-6")), "2-4");  // B4
  EXPECT_EQ(decided(topology_b("1-6")), "0");        // B3, where the reference changes nothing (W4)
}

TEST(CpuSuppressCpuset, HoldsWhenEveryCpuIsTaken) {  // W2: the reference divides by zero
  EXPECT_EQ(decided(topology_b("0-6")), "held");
}

TEST(CpuSuppressCpuset, TheLaterOfTwoClaimsCounts) {
  const auto claims =
      topology_a(32000, "0-31").pod("a").lse().allocated("0-15").pod("b").lsr().allocated("0-7");
  EXPECT_EQ(decided(claims), "0-7,16-31");
}

TEST(CpuSuppressCpuset, PodsThatEndedClaimNothing) {
  const auto ended = topology_a(32000, "0-31").pod("a").lse().allocated("0-15").phase(PodPhase::succeeded);
  EXPECT_EQ(decided(ended), "0-31");
}

TEST(CpuSuppressCpuset, HoldsWhileItDoesNotKnow) {
  EXPECT_EQ(decided(topology_a(9300, "0-15").no_use()), "held");
  EXPECT_EQ(decided(topology_a(9300, "0-15").pods_unknown()), "held");
  EXPECT_EQ(decided(topology_a(9300, "")), "held");
  EXPECT_EQ(decided(node().uses(1000_mcpu).besteffort().cpuset("0-3")), "held");
}

TEST(CpuSuppressCpuset, AnInheritedSetCountsAsWhatItIsInForce) {  // v2: cpuset.cpus is empty
  EXPECT_EQ(decided(topology_a(20000, "").effective("0-3")), "0-1,8-9,16-17,24-25");
}

/// Once it has a set of its own, the kernel does not let it inherit again while processes run in it.
TEST(CpuSuppressCpuset, WhatInheritsNoOtherCpusIsLeftAlone) {
  EXPECT_EQ(decided(topology_a(32000, "").effective("0-31")), "held");
  EXPECT_EQ(decided(topology_a(32000, "0-31")), "0-31") << "a set of its own";
}

TEST(CpuSuppressCpuset, StaysInsideWhatKubepodsMayUse) {
  NodeSnapshot snapshot = topology_a(20000, "0-19").build();
  snapshot.cgroups[static_cast<std::size_t>(snapshot.kubepods)].applied.cpus = test::cpu_list("0-3,16-19");
  Decision decision;
  decision.decide(snapshot);
  EXPECT_EQ(decision.cpus(snapshot), "0-3,16-19");
}

SnapshotBuilder populated(std::int64_t target) {
  return topology_a(target, "0-15")
      .pod("batch")
      .be()
      .cpuset("0-15")
      .container("main")
      .cpuset("0-15")
      .pod("web")
      .ls()
      .cpuset("0-31")
      .container("main")
      .cpuset("0-31");
}

TEST(CpuSuppressCpuset, WritesTheWholeBranchAndNothingElse) {
  Decision decision;
  decision.decide(populated(9300).build());
  ASSERT_EQ(decision.out.all().size(), 3U);
  for (const decide::Intent& intent : decision.out.all())
    EXPECT_EQ(text(intent.value), "0-2,8-9,16-18,24-25");
}

TEST(CpuSuppressCpuset, BelowAStaticCpuManagerOnlyContainersAreWrittenAndGrowthIsStillLimited) {
  NodeObject object;
  object.kubelet_static_cpu_manager = true;
  auto snapshot = populated(8000).object(object).build();
  snapshot.cgroups[static_cast<std::size_t>(snapshot.besteffort)].applied.cpus = test::cpu_list("0-31");
  snapshot.cgroups[static_cast<std::size_t>(snapshot.besteffort)].applied.cpus_effective.reset();
  Decision decision;
  decision.decide(snapshot);
  ASSERT_EQ(decision.out.all().size(), 1U);
  EXPECT_EQ(decision.out.all()[0].target, snapshot.cgroup(snapshot.containers[0].cgroup)->id);
  EXPECT_EQ(text(decision.out.all()[0].value), "0-1,8-9,16-17,24-25");

  snapshot.at += seconds(20);  // the low target is out of sight
  snapshot.since_previous = seconds(1);
  snapshot.node.cpu_use = 0_mcpu;
  decision.decide(snapshot);
  EXPECT_EQ(std::get<CpuSet>(decision.out.all()[0].value).size(), 12U);
}

TEST(CpuSuppressCpuset, KeepsTheSameCpusWhileTheyServe) {
  NodeSnapshot snapshot = topology_a(9300, "0-15").build();
  Decision decision;
  decision.decide(snapshot);
  const std::string first = decision.cpus(snapshot);
  test::obey(snapshot, decision.out);
  // A reservation elsewhere would change a fresh pick's proportions, not these CPUs.
  snapshot.reserved_cpus = test::cpu_list("7,23");
  snapshot.at += seconds(1);
  decision.decide(snapshot);
  EXPECT_EQ(decision.cpus(snapshot), first);
  // Taking one of them away does.
  snapshot.reserved_cpus = test::cpu_list("0");
  snapshot.at += seconds(1);
  decision.decide(snapshot);
  EXPECT_NE(decision.cpus(snapshot), first);
}

TEST(CpuSuppressCpuset, GivesUpCpusAtOnceAndTakesThemBackAfterTheRecoveryTime) {
  NodeSnapshot snapshot = topology_a(16000, "0-15").build();
  Decision decision;
  const auto second = [&](std::int64_t target) {
    snapshot.at += seconds(1);
    snapshot.node.cpu_use = MilliCpu(32000 - target);
    decision.decide(snapshot);
    test::obey(snapshot, decision.out);
    return snapshot.cgroup(snapshot.besteffort)->applied.cpus->size();
  };
  for (int i = 0; i < 20; ++i) EXPECT_EQ(second(16000), 16U);
  EXPECT_EQ(second(6000), 6U);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(second(16000), 6U);
  EXPECT_EQ(second(16000), 10U);
  EXPECT_EQ(second(16000), 14U);
  EXPECT_EQ(second(16000), 16U);
}

}  // namespace
}  // namespace evenkeel
