// Who gets which part of cache and memory bandwidth.
#include <gtest/gtest.h>

#include "qos/cache/cache.h"
#include "tests/support/alloc_guard.h"
#include "tests/support/scenes/one_policy.h"
#include "tests/support/scenes/snapshot_builder.h"

namespace evenkeel {
namespace {

using namespace evenkeel::literals;
using test::node;
using test::SnapshotBuilder;

ResctrlSystem machine(int groups = 8, int others = 0) {
  return {
      {{.name = "MB", .unit = ResctrlUnit::percent, .full = 100, .least = 10, .step = 10, .domains = {0, 1}},
       {.name = "L3", .unit = ResctrlUnit::ways, .full = 0x7ff, .domains = {0, 1}}},
      groups,
      others};
}
ResctrlQos part(Percent start, Percent end, Percent bandwidth) { return {true, start, end, bandwidth}; }
NodeSlo batch_only() {
  NodeSlo slo;
  slo.qos.be.resctrl = part(0_pct, 30_pct, 20_pct);
  return slo;
}
NodeSlo three_classes() {
  auto slo = batch_only();
  slo.qos.ls.resctrl = part(0_pct, 100_pct, 90_pct);
  slo.qos.lsr.resctrl = part(30_pct, 100_pct, 100_pct);
  return slo;
}

struct Decided {
  NodeSnapshot node;
  decide::PolicyState state{};
  decide::Intents out{};
  void again(const NodeSlo& slo) {
    out.clear();
    test::decide_one(cache::resctrl_policy, node, slo, state, out);
  }
  [[nodiscard]] const decide::ResctrlPlan& plan() const { return out.resctrl(); }
  /// "evenkeel-be: MB:0=20;1=20 L3:0=f;1=f", one a line; what shares is "name -> other".
  [[nodiscard]] std::string groups() const {
    std::string all;
    for (const auto& group : plan().groups()) {
      std::string schemata = group.schemata;
      std::ranges::replace(schemata, '\n', ' ');
      const auto other =
          group.instead < 0 ? "root" : plan().groups()[static_cast<std::size_t>(group.instead)].name;
      all += group.name + (group.wanted ? ": " + schemata : " -> " + other) + "\n";
    }
    return all;
  }
  /// The group's name of the pod's containers; "-" where they are left alone.
  [[nodiscard]] std::string group_of(std::size_t pod) const {
    for (const auto& member : plan().members())
      for (const auto& container : node.containers_of(node.pods[pod]))
        if (node.cgroup(container.cgroup)->id == member.cgroup)
          return member.group < 0 ? "root" : plan().groups()[static_cast<std::size_t>(member.group)].name;
    return "-";
  }
};
Decided decide(const SnapshotBuilder& builder, const NodeSlo& slo, const ResctrlSystem& system = machine()) {
  Decided out{builder.build()};
  out.node.resctrl = std::make_shared<const ResctrlSystem>(system);
  out.again(slo);
  return out;
}
SnapshotBuilder four_pods() {
  auto builder = node();
  builder.pod("be")
      .be()
      .container("a")
      .container("b")
      .pod("ls")
      .ls()
      .container("c")
      .pod("lse")
      .lse()
      .container("d");
  builder.pod("sys").label(QosClass::system).container("e");
  return builder;
}
/// The pods' specs are shared and constant: a test makes its own.
void annotate(Decided& decided, std::size_t pod, std::vector<ResctrlPart> parts) {
  auto specs = *decided.node.pod_specs;
  specs[pod].resctrl = std::move(parts);
  decided.node.pod_specs = std::make_shared<const std::vector<Pod>>(std::move(specs));
  for (std::size_t i = 0; i < decided.node.pods.size(); ++i)
    decided.node.pods[i].spec = &(*decided.node.pod_specs)[i];
}

TEST(ResctrlPolicy, EveryEnabledClassHasItsGroup) {
  const auto decided = decide(four_pods(), three_classes());
  EXPECT_EQ(decided.groups(),
            "evenkeel-be: MB:0=20;1=20 L3:0=f;1=f \n"
            "evenkeel-ls: MB:0=90;1=90 L3:0=7ff;1=7ff \n"
            "evenkeel-lsr: MB:0=100;1=100 L3:0=7f0;1=7f0 \n");
  EXPECT_EQ(decided.group_of(0), "evenkeel-be");
  EXPECT_EQ(decided.group_of(1), "evenkeel-ls");
  EXPECT_EQ(decided.group_of(2), "evenkeel-lsr") << "LSE counts as LSR";
  EXPECT_EQ(decided.group_of(3), "-") << "there is no class of system pods";
  EXPECT_EQ(decided.plan().members().size(), 4U);
  EXPECT_EQ(decided.plan().groups()[0].why.text(),
            "best effort has 0 % to 30 % of the cache and 20 % of the memory bandwidth");
}

TEST(ResctrlPolicy, AClassThatIsOffIsLeftAlone) {
  const auto decided = decide(four_pods(), batch_only());
  EXPECT_EQ(decided.plan().groups().size(), 1U);
  EXPECT_EQ(decided.group_of(1), "-");
  EXPECT_TRUE(decide(four_pods(), NodeSlo{}).plan().groups().empty());
  auto off = batch_only();
  off.qos.be.resctrl->enable = false;
  EXPECT_TRUE(decide(four_pods(), off).plan().groups().empty());
}

TEST(ResctrlPolicy, WhoMustNotBeTouchedIsNot) {
  auto slo = batch_only();
  EXPECT_EQ(decide(node().pod("p").be().hands_off().container("a").hands_off(), slo).plan().members().size(),
            0U);
  EXPECT_EQ(
      decide(node().pod("p").be().phase(PodPhase::succeeded).container("a"), slo).plan().members().size(),
      0U);
  slo.evenkeel.hands_off = true;
  EXPECT_TRUE(decide(four_pods(), slo).plan().groups().empty());
}

TEST(ResctrlPolicy, WhatIsNotKnownChangesNothing) {
  auto decided = decide(four_pods(), batch_only());
  decided.node.resctrl = nullptr;
  decided.again(batch_only());
  EXPECT_TRUE(decided.plan().holds());
  decided.again(NodeSlo{});
  EXPECT_FALSE(decided.plan().holds()) << "nothing is asked for: everything goes back";
}

TEST(ResctrlPolicy, AMachineWithNothingToShareOutHasNoGroups) {
  const auto decided = decide(four_pods(), three_classes(), ResctrlSystem{{{.name = "SMBA"}}, 8, 0});
  EXPECT_TRUE(decided.plan().groups().empty());
  EXPECT_TRUE(decided.plan().members().empty());
}

TEST(ResctrlPolicy, AnAnnotatedPodHasItsOwn) {
  auto decided = decide(four_pods(), batch_only());
  annotate(decided, 1, {{{}, 0_pct, 50_pct, {}}, {1, 50_pct, 100_pct, {}}});
  decided.again(batch_only());
  const auto uid = decided.node.pods[1].spec->uid;
  EXPECT_EQ(decided.groups(), "evenkeel-be: MB:0=20;1=20 L3:0=f;1=f \nevenkeel-pod-" + uid +
                                  ": MB:0=100;1=100 L3:0=3f;1=7c0 \n");
  EXPECT_EQ(decided.group_of(1), "evenkeel-pod-" + uid);
  decided.again(NodeSlo{});
  EXPECT_EQ(decided.plan().groups().size(), 1U) << "whatever the classes say";
}

TEST(ResctrlPolicy, BestEffortHostApplicationsAreInTheirClass) {
  auto builder = node();
  builder.host_app(QosClass::be, HostAppBase::cgroup_root).host_app(QosClass::ls, HostAppBase::cgroup_root);
  EXPECT_EQ(decide(builder, batch_only()).plan().members().size(), 1U);
}

// --- classes of service are scarce

TEST(ResctrlPolicy, TooFewWhoIsGivenEverythingStaysWithTheRoot) {
  auto slo = three_classes();
  slo.qos.ls.resctrl = part(0_pct, 100_pct, 100_pct);
  EXPECT_EQ(decide(four_pods(), slo, machine(3)).groups(),
            "evenkeel-be: MB:0=20;1=20 L3:0=f;1=f \nevenkeel-ls -> root\n"
            "evenkeel-lsr: MB:0=100;1=100 L3:0=7f0;1=7f0 \n");
}

TEST(ResctrlPolicy, TooFewTheSameIsShared) {
  auto slo = three_classes();
  slo.qos.lsr.resctrl = slo.qos.ls.resctrl;
  EXPECT_EQ(decide(four_pods(), slo, machine(3)).groups(),
            "evenkeel-be: MB:0=20;1=20 L3:0=f;1=f \nevenkeel-ls: MB:0=90;1=90 L3:0=7ff;1=7ff \n"
            "evenkeel-lsr -> evenkeel-ls\n");
}

TEST(ResctrlPolicy, TooFewTheLastInRankGoWithTheirClass) {
  auto decided = decide(four_pods(), three_classes(), machine(8, 4));
  annotate(decided, 0, {{{}, 0_pct, 50_pct, {}}});
  decided.again(three_classes());
  const auto uid = decided.node.pods[0].spec->uid;
  EXPECT_EQ(decided.groups(),
            "evenkeel-be: MB:0=20;1=20 L3:0=f;1=f \nevenkeel-ls: MB:0=90;1=90 L3:0=7ff;1=7ff \n"
            "evenkeel-lsr: MB:0=100;1=100 L3:0=7f0;1=7f0 \nevenkeel-pod-" +
                uid + " -> evenkeel-be\n")
      << "eight, one is the root's, four belong to other programs";
  EXPECT_EQ(decide(four_pods(), three_classes(), machine(2)).groups(),
            "evenkeel-be: MB:0=20;1=20 L3:0=f;1=f \nevenkeel-ls -> root\nevenkeel-lsr -> evenkeel-ls\n");
  EXPECT_EQ(decide(four_pods(), batch_only(), machine(1)).groups(), "evenkeel-be -> root\n");
}

TEST(ResctrlPolicy, AnOlderPodKeepsItsGroup) {
  auto decided =
      decide(node().pod("a").ls().container("a").pod("b").ls().container("b"), NodeSlo{}, machine(2));
  annotate(decided, 1, {{{}, 0_pct, 50_pct, {}}});
  decided.again(NodeSlo{});
  const auto first = decided.groups();
  annotate(decided, 0, {{{}, 0_pct, 20_pct, {}}});
  std::swap(decided.node.cgroups[static_cast<std::size_t>(decided.node.pods[0].cgroup)].id,
            decided.node.cgroups[static_cast<std::size_t>(decided.node.pods[1].cgroup)].id);
  decided.again(NodeSlo{});
  EXPECT_EQ(decided.groups().substr(0, first.size()), first) << "the younger one stays with the root";
}

TEST(ResctrlPolicy, ASteadyTickAllocatesNothing) {
  auto builder = node();
  for (int i = 0; i < 110; ++i)
    builder.pod("pod").label(i % 3 == 0 ? QosClass::be : QosClass::ls).container("c");
  auto decided = decide(builder, three_classes());
  annotate(decided, 5, {{{}, 0_pct, 50_pct, {}}});
  const auto slo = three_classes();
  for (int i = 0; i < 3; ++i) decided.again(slo);
  const test::AllocGuard guard;
  decided.again(slo);
  EXPECT_EQ(guard.allocations(), 0U);
  EXPECT_EQ(decided.plan().members().size(), 110U);
}

}  // namespace
}  // namespace evenkeel
