#include <gtest/gtest.h>

#include "qos/cpu/identity/policies.h"
#include "tests/support/scenes/one_policy.h"
#include "tests/support/scenes/snapshot_builder.h"

namespace evenkeel {
namespace {

using test::intended;
using test::intent;
using test::node;

NodeSlo be_enabled() {
  NodeSlo slo;
  slo.qos.be.cpu.enable = true;
  return slo;
}

decide::Intents decide(const NodeSnapshot& snapshot, const NodeSlo& slo) {
  decide::Intents out;
  decide::PolicyState state;
  EXPECT_TRUE(identity::cpu_identity_policy.enabled(slo));
  test::decide_one(identity::cpu_identity_policy, snapshot, slo, state, out);
  return out;
}

CgroupId pod_id(const NodeSnapshot& snapshot, std::size_t pod) {
  return snapshot.cgroup(snapshot.pods[pod].cgroup)->id;
}

TEST(CpuIdentity, IsOffUnlessAClassIsEnabled) {
  EXPECT_FALSE(identity::cpu_identity_policy.enabled(NodeSlo{}));
}

/// A service in the BestEffort directory, as a pod without requests: cpu.idle has an effect beside it.
test::SnapshotBuilder& beside_a_service(test::SnapshotBuilder& builder) {
  return builder.pod("service").ls().kube(KubeQos::besteffort);
}

TEST(CpuIdentity, BestEffortPodsIdleBesideAService) {
  auto builder = node().besteffort().idle(0).pod("batch").be().idle(0).shares(2).container("main").idle(0);
  builder.pod("plain").kube(KubeQos::besteffort).idle(0).container("main").idle(0);
  const auto among_themselves = builder.build();
  EXPECT_TRUE(decide(among_themselves, be_enabled()).all().empty());
  const auto snapshot = beside_a_service(builder).idle(0).build();
  const decide::Intents out = decide(snapshot, be_enabled());
  ASSERT_EQ(out.all().size(), 2U);  // no QoS directory, no container, no service
  EXPECT_EQ(intended(out, pod_id(snapshot, 0), Knob::cpu_idle), 1);
  EXPECT_EQ(intended(out, pod_id(snapshot, 1), Knob::cpu_idle), 1);
}

TEST(CpuIdentity, ABestEffortLabelCountsInEveryDirectory) {
  auto builder = node().pod("labelled").label(QosClass::be).idle(0).container("main");
  const auto without = builder.build();
  EXPECT_TRUE(decide(without, be_enabled()).all().empty()) << "it has no sibling";
  const auto snapshot = builder.pod("web").ls().idle(0).build();
  const decide::Intents out = decide(snapshot, be_enabled());
  ASSERT_EQ(out.all().size(), 1U);
  EXPECT_EQ(intended(out, pod_id(snapshot, 0), Knob::cpu_idle), 1);
}

TEST(CpuIdentity, SharesThatBatchCpuStandsForAreNotCancelled) {
  auto builder = node().pod("batch").be().idle(0).container("main").batch_cpu(MilliCpu(500));
  const auto snapshot = beside_a_service(builder).build();
  EXPECT_TRUE(decide(snapshot, be_enabled()).all().empty());
  NodeSlo slo = be_enabled();
  slo.evenkeel.batch_resources = false;
  EXPECT_EQ(intended(decide(snapshot, slo), pod_id(snapshot, 0), Knob::cpu_idle), 1);
}

TEST(CpuIdentity, APodThatTheKubeletIsStillMakingIsLeftToIt) {
  const auto idle = [](test::SnapshotBuilder builder) {
    const auto snapshot = beside_a_service(builder).build();
    return intended(decide(snapshot, be_enabled()), pod_id(snapshot, 0), Knob::cpu_idle);
  };
  const auto born = [] { return node().pod("batch").be().idle(0); };
  EXPECT_EQ(idle(born().shares(1024)), -1) << "the kernel's default: the kubelet will write its own";
  EXPECT_EQ(idle(born().shares(2)), -1) << "it has, and reads them back; the other controllers follow";
  EXPECT_EQ(idle(born().shares(2).container("main")), 1);
  EXPECT_EQ(idle(born().shares(1024).container("main")), 1) << "1024 are its own";
  EXPECT_EQ(idle(born().shares(2).container("main").without_cgroup()), -1) << "listed, not made yet";
  EXPECT_EQ(idle(born().shares(1).v2()), -1);
  EXPECT_EQ(idle(born().shares(1).v2().container("main")), 1);
}

TEST(CpuIdentity, AServiceThatIsBeingStartedIsLeftToSystemd) {
  const auto idle = [](const test::SnapshotBuilder& builder) {
    const auto snapshot = builder.build();
    return intended(decide(snapshot, be_enabled()), snapshot.cgroup(snapshot.host_applications[0].cgroup)->id,
                    Knob::cpu_idle);
  };
  const auto born = [] { return node().host_app(QosClass::be, HostAppBase::cgroup_root).idle(0); };
  EXPECT_EQ(idle(born().shares(1024)), -1);
  EXPECT_EQ(idle(born().shares(1024).uses(MilliCpu(0))), 1) << "a tick has gone by";
  EXPECT_EQ(idle(born().shares(20)), 1);
}

TEST(CpuIdentity, OldKernelsGetTheSmallestShares) {
  auto builder = node().pod("batch").be().shares(1024).container("main");
  beside_a_service(builder);
  auto v1 = builder;
  auto v2 = builder;
  const auto on_v1 = v1.build(), on_v2 = v2.v2().build();
  EXPECT_EQ(intended(decide(on_v1, be_enabled()), pod_id(on_v1, 0), Knob::cpu_shares), 2);
  EXPECT_EQ(intended(decide(on_v2, be_enabled()), pod_id(on_v2, 0), Knob::cpu_shares), 1);
}

TEST(CpuIdentity, VendorKernelsGetTheIdentityOfEveryEnabledClassAndNoIdle) {
  auto builder = node().besteffort().bvt(0).pod("batch").be().bvt(0).idle(0).container("main").bvt(0);
  const auto snapshot =
      builder.pod("web").ls().bvt(0).container("main").pod("pinned").lsr().bvt(0).container("main").build();
  NodeSlo slo = be_enabled();
  slo.qos.ls.cpu.enable = true;
  const decide::Intents out = decide(snapshot, slo);
  EXPECT_EQ(out.all().size(), 4U);
  EXPECT_EQ(intent(out, pod_id(snapshot, 0), Knob::cpu_bvt)->value, KnobValue(std::int64_t{-1}));
  EXPECT_EQ(intent(out, pod_id(snapshot, 0), Knob::cpu_idle), nullptr);
  EXPECT_EQ(intent(out, CgroupId{3}, Knob::cpu_bvt)->value,
            KnobValue(std::int64_t{-1}));  // BestEffort directory
  EXPECT_EQ(intended(out, pod_id(snapshot, 1), Knob::cpu_bvt), 2);
  EXPECT_EQ(intent(out, pod_id(snapshot, 2), Knob::cpu_bvt), nullptr);  // its class is off
}

TEST(CpuIdentity, CoreSchedulingPolicyIdlesWhatItsClassSays) {
  auto builder = node().pod("batch").be().idle(0).container("main");
  const auto snapshot = beside_a_service(builder).build();
  NodeSlo slo = be_enabled();
  slo.qos.cpu_policy = CpuQosPolicy::core_sched;
  EXPECT_TRUE(decide(snapshot, slo).all().empty());
  slo.qos.be.cpu.sched_idle = 1;
  EXPECT_EQ(intended(decide(snapshot, slo), pod_id(snapshot, 0), Knob::cpu_idle), 1);
}

TEST(CpuIdentity, ANeutralIdentityDoesNotIdle) {
  auto builder = node().pod("batch").be().idle(0).shares(1024).container("main");
  const auto snapshot = beside_a_service(builder).build();
  NodeSlo slo = be_enabled();
  slo.qos.be.cpu.group_identity = 0;
  EXPECT_TRUE(decide(snapshot, slo).all().empty());
}

TEST(CpuIdentity, HostApplicationsThatAreBestEffortIdleToo) {
  auto snapshot = node().host_app(QosClass::be, HostAppBase::cgroup_root).idle(0).build();
  EXPECT_EQ(intended(decide(snapshot, be_enabled()), CgroupId{4}, Knob::cpu_idle), 1);
  snapshot = node().host_app(QosClass::ls, HostAppBase::cgroup_root).idle(0).build();
  EXPECT_TRUE(decide(snapshot, be_enabled()).all().empty());
}

TEST(CpuIdentity, AServicesOwnIdentityCountsForItAndItsContainersWhateverItsClass) {
  auto builder = node().pod("calm").ls().identity(-1).bvt(2).container("main").bvt(2);
  builder.pod("neutral").ls().identity(0).bvt(2).container("main");
  const auto snapshot = builder.pod("plain").ls().bvt(2).container("main").build();
  NodeSlo slo = be_enabled();
  decide::Intents out = decide(snapshot, slo);
  EXPECT_EQ(out.all().size(), 3U) << "the class LS is off: the plain pod is left alone";
  slo.qos.ls.cpu.enable = true;
  out = decide(snapshot, slo);
  EXPECT_EQ(intent(out, pod_id(snapshot, 0), Knob::cpu_bvt)->value, KnobValue(std::int64_t{-1}));
  EXPECT_EQ(intent(out, pod_id(snapshot, 0), Knob::cpu_bvt)->why.text(),
            "group identity -1 of its pod's annotation");
  EXPECT_EQ(intent(out, snapshot.cgroup(snapshot.containers[0].cgroup)->id, Knob::cpu_bvt)->value,
            KnobValue(std::int64_t{-1}));
  EXPECT_EQ(intended(out, pod_id(snapshot, 1), Knob::cpu_bvt), 0);
  EXPECT_EQ(intended(out, pod_id(snapshot, 2), Knob::cpu_bvt), 2);
}

TEST(CpuIdentity, AServicesOwnIdentityHasNoSubstitute) {
  auto builder = node().pod("calm").ls().identity(-1).idle(0).shares(512).container("main");
  const auto snapshot = builder.pod("plain").ls().idle(0).container("main").build();
  NodeSlo slo = be_enabled();
  slo.qos.ls.cpu.enable = true;
  EXPECT_TRUE(decide(snapshot, slo).all().empty()) << "idle would take away the shares that it requests";
  slo.qos.ls.cpu.group_identity = -1;
  const decide::Intents out = decide(snapshot, slo);
  EXPECT_EQ(out.all().size(), 1U) << "what the node says of the whole class is the node's word";
  EXPECT_EQ(intended(out, pod_id(snapshot, 1), Knob::cpu_idle), 1);
}

TEST(CpuIdentity, AServicesOwnIdentitySaysNothingToThePolicyCoreSched) {
  const auto snapshot = node().pod("calm").ls().identity(-1).bvt(0).idle(0).container("main").build();
  NodeSlo slo = be_enabled();
  slo.qos.cpu_policy = CpuQosPolicy::core_sched;
  EXPECT_TRUE(decide(snapshot, slo).all().empty());
}

TEST(CpuIdentity, NothingPresentMeansNothingAsked) {
  const auto snapshot = node().pod("batch").be().pod("gone").be().without_cgroup().build();
  EXPECT_TRUE(decide(snapshot, be_enabled()).all().empty());
}

}  // namespace
}  // namespace evenkeel
