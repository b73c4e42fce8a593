// Tests the addresses that identify a pod's packets, and the annotation koordinator.sh/networkQOS.
#include <gtest/gtest.h>

#include "agent/pods/pod_list.h"

namespace evenkeel {
namespace {

pods::PodList with(const std::string& annotation, const std::string& spec = "",
                   const std::string& addresses = "[{ip: 10.0.0.9}, {ip: 'fd00::9'}]") {
  return pods::parse_pod_list(
      "items: [{metadata: {uid: u, name: p, annotations: {koordinator.sh/networkQOS: '" + annotation +
          "'}}, spec: {" + spec + "}, status: {qosClass: Burstable, podIPs: " + addresses + "}}]",
      "f");
}
PodNetwork network(const pods::PodList& list) {
  EXPECT_EQ(list.pods.size(), 1U);
  return list.pods.empty() ? PodNetwork{} : list.pods[0].network;
}

TEST(PodNetwork, HasTheAddressesOfThePod) {
  const auto of = network(with("{}"));
  EXPECT_FALSE(of.of_host);
  ASSERT_EQ(of.addresses.size(), 2U);
  EXPECT_EQ(of.addresses[0], (IpAddress{{10, 0, 0, 9}, false}));
  EXPECT_EQ(of.addresses[1], (IpAddress{{0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9}, true}));
}

TEST(PodNetwork, TheNodesOwnAddressIsIgnored) {
  const auto of = network(with("{}", "hostNetwork: true"));
  EXPECT_TRUE(of.of_host);
  EXPECT_TRUE(of.addresses.empty());
}

TEST(PodNetwork, InvalidAddressesAreIgnored) {
  EXPECT_EQ(network(with("{}", "", "[{ip: ''}, {ip: 10.0.0}, {}, 7, {ip: 10.0.0.1}]")).addresses.size(), 1U);
  EXPECT_TRUE(network(with("{}", "", "nonsense")).addresses.empty());
  std::string many = "[";
  for (int i = 0; i < 200; ++i) many += "{ip: 10.0.1." + std::to_string(i) + "}, ";
  EXPECT_EQ(network(with("{}", "", many + "]")).addresses.size(), 16U);
}

TEST(PodNetwork, LimitsAreQuantitiesOrPercentages) {
  const auto of = network(with(R"({"ingressLimit": "10M", "egressLimit": 25})"));
  EXPECT_EQ(of.limits.ingress, (Bandwidth{10000000, false}));
  EXPECT_EQ(of.limits.egress, (Bandwidth{25, true}));
  EXPECT_EQ(network(with(R"({"egressLimit": "1G"})")).limits.ingress, std::nullopt);
}

TEST(PodNetwork, AnInvalidAnnotationSetsNoLimitAndIsReported) {
  for (const char* bad : {"{", "[]", R"({"egressLimit": -1})", R"({"egressLimit": 101})",
                          R"({"egressLimit": "fast"})", R"({"egress": "1M"})"}) {
    const auto list = with(bad);
    EXPECT_EQ(network(list).limits, NetworkLimits{}) << bad;
    EXPECT_EQ(network(list).addresses.size(), 2U) << bad;
    ASSERT_EQ(list.notices.size(), 1U) << bad;
    EXPECT_NE(list.notices[0].find("koordinator.sh/networkQOS"), std::string::npos) << list.notices[0];
  }
}

TEST(NodeNetwork, ItsBandwidthIsAnAnnotation) {
  const auto node = [](const std::string& text) {
    return pods::parse_node(
        "kind: Node\nmetadata: {name: n, annotations: {node.koordinator.sh/network-bandwidth: '" + text +
            "'}}\n",
        "f");
  };
  EXPECT_EQ(node("10G").node.network_bandwidth, BitRate(10000000000));
  for (const char* bad : {"", "fast", "-1", "0"}) {
    EXPECT_FALSE(node(bad).node.network_bandwidth) << bad;
    EXPECT_EQ(node(bad).notices.size(), 1U) << bad;
  }
}

}  // namespace
}  // namespace evenkeel
