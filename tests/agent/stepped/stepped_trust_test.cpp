// Tests the program as a black box: a batch pod that asks to be left out of the operator's rules.
#include <gtest/gtest.h>

#include "tests/support/agents/stepped_node.h"

namespace evenkeel::test {
namespace {

constexpr const char* kService = "11111111-1111-1111-1111-111111111111";
constexpr const char* kBatch = "22222222-2222-2222-2222-222222222222";
constexpr const char* kIdle = "resourceQOSStrategy: {beClass: {cpuQOS: {enable: true}}}\n";

std::string pod(const char* uid, const char* name, const char* qos, const char* container,
                const char* annotations) {
  return std::string("- {metadata: {uid: ") + uid + ", namespace: shop, name: " + name +
         ", labels: {koordinator.sh/qosClass: " + qos + "}, annotations: {" + annotations +
         "}}, spec: {containers: [{name: a}]}, status: {phase: Running, qosClass: Burstable, "
         "containerStatuses: "
         "[{name: a, containerID: 'containerd://" +
         container + "', state: {running: {}}}]}}\n";
}

/// A service and a batch pod side by side; the batch pod asks for hands off.
struct TrustNode : SteppedNode {
  TrustNode() : SteppedNode(16, Kernel::v2, kIdle) {
    service = host.pod(KubeQos::burstable, kService, {"aaa"});
    batch = host.pod(KubeQos::burstable, kBatch, {"bbb"});
    pods = pod_list("items:\n" + pod(kService, "cart", "LS", "aaa", "") +
                    pod(kBatch, "train", "BE", "bbb", "evenkeel.io/hands-off: 'true'"));
  }
  void trust(const char* rule) const {
    configure(std::string(kIdle) + "extensions: {evenkeel: {trust: [" + rule + "]}}\n");
  }
  [[nodiscard]] std::string idle() const { return setting(Controller::cpu, batch, "cpu.idle"); }
  std::string service, batch, pods;
};

TEST(SteppedTrust, ABatchPodCannotExemptItself) {
  TrustNode node;
  SteppedAgent agent(node.args(node.pods));
  node.seconds(3, agent);
  EXPECT_EQ(node.idle(), "1");
  agent.quit();
  const std::string log = agent.stderr_text();
  EXPECT_NE(log.find("pod shop/train: evenkeel.io/hands-off does not count"), std::string::npos) << log;
  EXPECT_EQ(node.idle(), "0");
}

TEST(SteppedTrust, TheOperatorMayTrustItAndChangeHisMind) {
  TrustNode node;
  node.trust("{namespaces: [shop], claims: [hands-off]}");
  SteppedAgent agent(node.args(node.pods));
  node.seconds(3, agent);
  EXPECT_EQ(node.idle(), "0");
  node.trust("{namespaces: [other], claims: [hands-off]}");
  node.seconds(3, agent);
  EXPECT_EQ(node.idle(), "1");
  node.trust("{namespaces: [shop], claims: [hands-off]}");
  node.seconds(3, agent);
  EXPECT_EQ(node.idle(), "0") << "what was written is restored";
}

TEST(SteppedTrust, TheFirstRefusalIsLoggedOnce) {
  TrustNode node;
  SteppedAgent agent(node.args(node.pods));
  node.seconds(3, agent);
  node.trust("{namespaces: [other], claims: [hands-off]}");
  node.seconds(3, agent);
  agent.quit();
  const std::string log = agent.stderr_text();
  const auto first = log.find("event=claim-refused");
  ASSERT_NE(first, std::string::npos) << log;
  EXPECT_EQ(log.find("event=claim-refused", first + 1), std::string::npos) << log;
}

}  // namespace
}  // namespace evenkeel::test
