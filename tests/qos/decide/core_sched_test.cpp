// Who may share a core with whom: worked from Koordinator's rules of groups.
#include <gtest/gtest.h>

#include "qos/cpu/identity/policies.h"
#include "tests/support/scenes/one_policy.h"
#include "tests/support/scenes/snapshot_builder.h"

namespace evenkeel {
namespace {

using test::node;

NodeSlo all_classes() {
  NodeSlo slo;
  slo.qos.cpu_policy = CpuQosPolicy::core_sched;
  slo.qos.lsr.cpu.enable = slo.qos.ls.cpu.enable = slo.qos.be.cpu.enable = true;
  return slo;
}

struct Scene {
  explicit Scene(test::SnapshotBuilder builder) : node(builder.build()) {}
  void label(std::size_t pod, const char* key, const char* value) {
    specs.reserve(node.pods.size());
    specs.push_back(*node.pods[pod].spec);
    specs.back().labels[key] = value;
    node.pods[pod].spec = &specs.back();
  }
  /// The group's name; "-": none.
  std::string group_of(std::size_t pod) {
    out.clear();
    if (identity::core_sched_policy.enabled(slo))
      test::decide_one(identity::core_sched_policy, node, slo, state, out);
    for (const auto& member : out.core_sched().members())
      if (member.cgroup == node.cgroup(node.pods[pod].cgroup)->id) return out.core_sched().name(member.group);
    return "-";
  }
  NodeSnapshot node;
  std::vector<Pod> specs{};
  NodeSlo slo = all_classes();
  decide::PolicyState state{};
  decide::Intents out{};
};

Scene four_pods() {
  return Scene(node().pod("lsr").lsr().pod("ls").ls().pod("be").be().pod("system").label(QosClass::system));
}

TEST(CoreSched, ServicesExpelBestEffort) {
  Scene scene = four_pods();
  EXPECT_EQ(scene.group_of(0), "(common)-expeller");
  EXPECT_EQ(scene.group_of(1), "(common)-expeller");
  EXPECT_EQ(scene.group_of(2), "(common)");
  EXPECT_EQ(scene.group_of(3), "-") << "system pods belong to no group";
  scene.slo.qos.ls.cpu.core_expeller = false;
  EXPECT_EQ(scene.group_of(1), "(common)");
}

TEST(CoreSched, LabelsChooseTheGroup) {
  Scene scene = four_pods();
  scene.label(1, "koordinator.sh/core-sched-group-id", "team-7");
  scene.label(2, "koordinator.sh/core-sched-policy", "none");
  scene.label(0, "koordinator.sh/core-sched-policy", "exclusive");
  EXPECT_EQ(scene.group_of(1), "team-7-expeller");
  EXPECT_EQ(scene.group_of(2), "-");
  EXPECT_EQ(scene.group_of(0), scene.node.pods[0].spec->uid + "-expeller");
}

TEST(CoreSched, OnlyUnderItsPolicyAndForClassesThatAreOn) {
  Scene scene = four_pods();
  scene.slo.qos.be.cpu.enable = false;
  EXPECT_EQ(scene.group_of(2), "-");
  EXPECT_NE(scene.group_of(1), "-");
  scene.slo.evenkeel.hands_off = true;
  EXPECT_EQ(scene.group_of(1), "-");
  scene.slo = all_classes();
  scene.slo.qos.cpu_policy = CpuQosPolicy::group_identity;
  EXPECT_EQ(scene.group_of(1), "-");
}

TEST(CoreSched, AnUnlabelledGuaranteedPodIsOfClassLsWhereLsrIsOff) {
  Scene scene(node().pod("guaranteed").kube(KubeQos::guaranteed).pod("lsr").lsr());
  scene.slo.qos.ls.cpu.core_expeller = false;
  EXPECT_EQ(scene.group_of(0), "(common)-expeller");
  scene.slo.qos.lsr.cpu.enable = false;
  EXPECT_EQ(scene.group_of(0), "(common)");
  EXPECT_EQ(scene.group_of(1), "-") << "its label says what it is";
}

TEST(CoreSched, HandsOffIsHeard) {
  Scene scene(node().pod("mine").ls().hands_off());
  EXPECT_EQ(scene.group_of(0), "-");
}

}  // namespace
}  // namespace evenkeel
