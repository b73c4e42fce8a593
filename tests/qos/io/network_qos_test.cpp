// Shares of the network from networkQOS, and whose packets are of which class.
#include <gtest/gtest.h>

#include "qos/io/policies.h"
#include "tests/support/scenes/one_policy.h"
#include "tests/support/scenes/snapshot_builder.h"

namespace evenkeel {
namespace {

using test::node;
using State = decide::NetworkPlan::State;

constexpr BitRate mbit(std::int64_t count) { return BitRate(count * 1000000); }
constexpr Bandwidth percent(std::int64_t value) { return {value, true}; }

/// The worked example of a node with 10 Gbit/s: LSR 40..100 %, LS 30..100 %, best effort 20..50 %.
NodeSlo worked_example() {
  NodeSlo slo;
  slo.system.total_network_bandwidth = mbit(10000);
  slo.qos.lsr.network = NetworkQos{true, percent(40), percent(100), percent(40), percent(100)};
  slo.qos.ls.network = NetworkQos{true, percent(30), percent(100), percent(30), percent(100)};
  slo.qos.be.network = NetworkQos{true, percent(20), percent(50), percent(20), percent(50)};
  return slo;
}

struct Scene {
  explicit Scene(const test::SnapshotBuilder& builder) : node(builder.build()) {
    node.network = std::make_shared<const NetworkLink>(NetworkLink{"eth0", 2, mbit(25000)});
  }
  const decide::NetworkPlan& decide() {
    out.clear();
    if (io::network_qos_policy.enabled(slo)) test::decide_one(io::network_qos_policy, node, slo, state, out);
    return out.network();
  }
  NodeSnapshot node;
  NodeSlo slo = worked_example();
  decide::PolicyState state{};
  decide::Intents out{};
};

Scene four_pods() {
  return Scene(node().pod("lsr").lsr().pod("ls").ls().pod("be").be().pod("system").label(QosClass::system));
}

const decide::NetworkShare& share(const decide::NetworkPlan& plan, decide::NetworkClass of) {
  return plan.classes[static_cast<std::size_t>(of)];
}

TEST(NetworkQos, ABandwidthOfZeroIsNotSet) {
  Scene scene = four_pods();
  scene.slo.system.total_network_bandwidth = mbit(0);
  EXPECT_EQ(scene.decide().total, mbit(25000)) << "that of the interface";
}

TEST(NetworkQos, PercentagesAreOfTheNodesTotal) {
  Scene scene = four_pods();
  const auto& plan = scene.decide();
  ASSERT_EQ(plan.state, State::on);
  EXPECT_EQ(plan.total, mbit(10000));
  EXPECT_EQ(share(plan, decide::NetworkClass::lsr), (decide::NetworkShare{mbit(4000), mbit(10000), {}}));
  EXPECT_EQ(share(plan, decide::NetworkClass::ls), (decide::NetworkShare{mbit(3000), mbit(10000), {}}));
  EXPECT_EQ(share(plan, decide::NetworkClass::be),
            (decide::NetworkShare{mbit(2000), mbit(5000), mbit(5000)}));
  EXPECT_EQ(share(plan, decide::NetworkClass::system).egress_request, mbit(1000))
      << "what no class is guaranteed";
  EXPECT_EQ(share(plan, decide::NetworkClass::system).egress_limit, mbit(10000));
}

TEST(NetworkQos, QuantitiesAreBitsPerSecond) {
  Scene scene = four_pods();
  scene.slo.qos.be.network =
      NetworkQos{true, {}, {mbit(300).count(), false}, {mbit(50).count(), false}, {mbit(400).count(), false}};
  EXPECT_EQ(share(scene.decide(), decide::NetworkClass::be),
            (decide::NetworkShare{mbit(50), mbit(400), mbit(300)}));
}

TEST(NetworkQos, AClassThatIsNotEnabledIsNeitherGuaranteedNorLimited) {
  Scene scene = four_pods();
  scene.slo.qos.be.network->enable = false;
  const auto& of = share(scene.decide(), decide::NetworkClass::be);
  EXPECT_EQ(of.egress_request, mbit(10)) << "the kernel's queue wants some";
  EXPECT_EQ(of.egress_limit, mbit(10000));
  EXPECT_FALSE(of.ingress_limit);
}

TEST(NetworkQos, ZeroLimitsNothingAndNoRequestIsAboveItsLimit) {
  Scene scene = four_pods();
  scene.slo.qos.be.network = NetworkQos{true, {}, percent(0), percent(60), percent(0)};
  EXPECT_EQ(share(scene.decide(), decide::NetworkClass::be),
            (decide::NetworkShare{mbit(6000), mbit(10000), {}}));
  scene.slo.qos.be.network->egress_limit = percent(30);
  EXPECT_EQ(share(scene.decide(), decide::NetworkClass::be),
            (decide::NetworkShare{mbit(3000), mbit(3000), {}}));
}

TEST(NetworkQos, TheTotalIsTheNodesThenTheNodeSlosThenTheDevices) {
  Scene scene = four_pods();
  scene.node.object.network_bandwidth = mbit(1000);
  EXPECT_EQ(scene.decide().total, mbit(1000));
  scene.node.object.network_bandwidth.reset();
  scene.slo.system.total_network_bandwidth.reset();
  EXPECT_EQ(scene.decide().total, mbit(25000));
  scene.node.network = std::make_shared<const NetworkLink>(NetworkLink{"eth0", 2, {}});
  EXPECT_EQ(scene.decide().state, State::hold);
  EXPECT_NE(std::string(scene.decide().why_not).find("totalNetworkBandwidth"), std::string::npos);
}

TEST(NetworkQos, WhatIsUnknownIsHeld) {
  Scene scene = four_pods();
  scene.node.pods_known = false;
  EXPECT_EQ(scene.decide().state, State::hold);
  scene.node.pods_known = true;
  scene.node.network.reset();
  EXPECT_EQ(scene.decide().state, State::hold);
  EXPECT_NE(*scene.decide().why_not, '\0');
}

TEST(NetworkQos, OffIsOff) {
  Scene scene = four_pods();
  scene.slo.qos.lsr.network.reset();
  scene.slo.qos.ls.network->enable = scene.slo.qos.be.network->enable = false;
  EXPECT_EQ(scene.decide().state, State::off);
  scene.slo.qos.be.network->enable = true;
  EXPECT_EQ(scene.decide().state, State::on);
  scene.slo.qos.net_qos_policy = NetQosPolicy::terway_qos;
  EXPECT_EQ(scene.decide().state, State::off) << "another component's";
  scene.slo.qos.net_qos_policy = NetQosPolicy::tc;
  scene.slo.evenkeel.hands_off = true;
  EXPECT_EQ(scene.decide().state, State::off);
}

TEST(NetworkQos, PodsAreOfTheirClass) {
  const PodNetwork batch{.addresses = {{.bytes = {10, 0, 0, 9}}},
                         .limits = {percent(10), Bandwidth{mbit(7).count(), false}}};
  Scene scene(node()
                  .pod("lse")
                  .lse()
                  .pod("ls")
                  .ls()
                  .network({.of_host = true})
                  .pod("be")
                  .be()
                  .network(batch)
                  .pod("mine")
                  .be()
                  .hands_off()
                  .pod("done")
                  .be()
                  .phase(PodPhase::succeeded)
                  .host_app(QosClass::be, HostAppBase::kubepods_besteffort));
  const auto& plan = scene.decide();
  ASSERT_EQ(plan.members.size(), 4U);
  EXPECT_EQ(plan.members[0].of, decide::NetworkClass::lsr);
  EXPECT_EQ(plan.members[1].of, decide::NetworkClass::ls);
  EXPECT_TRUE(plan.members[1].by_cgroup);
  EXPECT_EQ(plan.members[2].of, decide::NetworkClass::be);
  EXPECT_EQ(plan.members[2].addresses.size(), 1U);
  EXPECT_EQ(plan.members[2].ingress_limit, mbit(1000));
  EXPECT_EQ(plan.members[2].egress_limit, mbit(7));
  EXPECT_TRUE(plan.members[3].by_cgroup) << "a host application";
}

}  // namespace
}  // namespace evenkeel
