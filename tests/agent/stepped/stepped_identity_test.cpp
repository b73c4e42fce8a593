// Tests the program as a black box: a service that sets its own group identity.
#include <gtest/gtest.h>

#include "tests/support/agents/stepped_node.h"

namespace evenkeel::test {
namespace {

using Kernel = FakeNode::Kernel;

constexpr const char* kUid = "11111111-1111-1111-1111-111111111111";
constexpr const char* kBothClasses =
    "resourceQOSStrategy: {lsClass: {cpuQOS: {enable: true}}, beClass: {cpuQOS: {enable: true}}}\n";

/// One service from a pod list, with this text in its annotation.
std::string pods_with(const std::string& cpu_qos) {
  const std::string annotation =
      cpu_qos.empty() ? "" : ", annotations: {koordinator.sh/cpuQOS: '" + cpu_qos + "'}";
  return "items: [{metadata: {uid: " + std::string(kUid) +
         ", namespace: shop, name: cart, labels: {koordinator.sh/qosClass: LS}" + annotation +
         "}, spec: {containers: [{name: a}]}, status: {phase: Running, qosClass: Burstable, "
         "containerStatuses: [{name: a, containerID: 'containerd://aaa', state: {running: {}}}]}}]\n";
}

class SteppedIdentity : public testing::TestWithParam<Kernel> {
 protected:
  SteppedIdentity() : pod(node.host.pod(KubeQos::burstable, kUid, {"aaa"})) {}
  /// Vendor kernels have this file in every cgroup.
  void give_identities() {
    for (const auto& cgroup : cgroups()) node.host.write(Controller::cpu, cgroup, "cpu.bvt_warp_ns", "0\n");
  }
  [[nodiscard]] std::vector<std::string> cgroups() const {
    return {node.host.qos_path(KubeQos::burstable), pod, pod + "/aaa"};
  }
  [[nodiscard]] std::vector<std::string> identities() const {
    std::vector<std::string> all;
    for (const auto& cgroup : cgroups()) {
      const auto text = node.host.read(Controller::cpu, cgroup, "cpu.bvt_warp_ns");
      all.push_back(text.substr(0, text.find('\n')));
    }
    return all;
  }
  SteppedAgent start(const std::string& cpu_qos) {
    return SteppedAgent(node.args(node.pod_list(pods_with(cpu_qos))));
  }
  SteppedNode node{16, GetParam(), kBothClasses};
  std::string pod;
  using Texts = std::vector<std::string>;
};

TEST_P(SteppedIdentity, FollowsAValidAnnotationElseTheClass) {
  give_identities();
  auto agent = start(R"({"enable":true,"groupIdentity":-1})");
  Step step = agent.advance();
  EXPECT_EQ(identities(), (Texts{"2", "-1", "-1"})) << step.line;
  EXPECT_NE(step.line.find("group identity -1 of its pod's annotation"), std::string::npos) << step.line;
  node.pod_list(pods_with(R"({"enable":false,"groupIdentity":-1})"));
  agent.advance();
  EXPECT_EQ(identities(), (Texts{"2", "0", "0"}));
  node.pod_list(pods_with(R"({"enable":true,"groupIdentity":7})"));
  agent.advance();
  EXPECT_EQ(identities(), (Texts{"2", "2", "2"})) << "not legal: the pod follows its class";
  agent.quit();
  EXPECT_EQ(identities(), (Texts{"0", "0", "0"}));
}

TEST_P(SteppedIdentity, WithoutGroupIdentityAServiceIsNeverMadeIdle) {
  auto agent = start(R"({"enable":true,"groupIdentity":-1})");
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(agent.advance().writes.empty());
  EXPECT_EQ(node.host.read(Controller::cpu, pod, "cpu.idle"), "0\n");
}

INSTANTIATE_TEST_SUITE_P(Kernels, SteppedIdentity, testing::Values(Kernel::v1, Kernel::v2),
                         [](const auto& kernel) { return kernel.param == Kernel::v1 ? "v1" : "v2"; });

}  // namespace
}  // namespace evenkeel::test
