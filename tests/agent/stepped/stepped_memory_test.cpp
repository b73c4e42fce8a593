// Tests the program as a black box: memory QoS.
#include <gtest/gtest.h>

#include "tests/support/agents/stepped_node.h"

namespace evenkeel::test {
namespace {

using Kernel = FakeNode::Kernel;

constexpr const char* kUid = "11111111-1111-1111-1111-111111111111";
constexpr const char* kService =
    "resourceQOSStrategy: {lsClass: {memoryQOS: {enable: true, minLimitPercent: 50, lowLimitPercent: 60, "
    "throttlingPercent: 80}}}\n";

/// One service with a request of 1 GiB, a limit of 3 GiB and this text in its annotation.
std::string pods_with(const std::string& memory_qos = {}) {
  const std::string annotation =
      memory_qos.empty() ? "" : ", annotations: {koordinator.sh/memoryQOS: '" + memory_qos + "'}";
  return "items: [{metadata: {uid: " + std::string(kUid) + ", namespace: shop, name: cart" + annotation +
         "}, spec: {containers: [{name: a, resources: {requests: {memory: 1Gi}, limits: {memory: 3Gi}}}]}, "
         "status: {phase: Running, qosClass: Burstable, "
         "containerStatuses: [{name: a, containerID: 'containerd://aaa', state: {running: {}}}]}}]\n";
}

class SteppedMemory : public testing::TestWithParam<Kernel> {
 protected:
  SteppedMemory() : pod(node.host.pod(KubeQos::burstable, kUid, {"aaa"})) {}
  [[nodiscard]] std::string of(const std::string& cgroup, const char* file) const {
    return node.setting(Controller::memory, cgroup, file);
  }
  void expect_untouched() const {
    for (const auto& cgroup :
         {pod, pod + "/aaa", node.host.qos_path(KubeQos::burstable), node.host.kubepods_path()}) {
      EXPECT_EQ(of(cgroup, "memory.min"), "0") << cgroup;
      EXPECT_EQ(of(cgroup, "memory.low"), "0") << cgroup;
      EXPECT_EQ(of(cgroup, "memory.high"), "max") << cgroup;
    }
  }
  SteppedNode node{16, GetParam(), kService};
  std::string pod;
};

using OnV2 = SteppedMemory;
TEST_P(OnV2, ProtectsFromTheTopDownAndRestores) {
  SteppedAgent agent(node.args(node.pod_list(pods_with())));
  const Step step = agent.advance();
  EXPECT_EQ(of(node.host.kubepods_path(), "memory.min"), "536870912") << step.line;
  EXPECT_EQ(of(node.host.qos_path(KubeQos::burstable), "memory.min"), "536870912");
  EXPECT_EQ(of(pod, "memory.min"), "536870912");
  EXPECT_EQ(of(pod + "/aaa", "memory.min"), "536870912");
  EXPECT_EQ(of(pod + "/aaa", "memory.low"), "644245094");
  EXPECT_EQ(of(pod + "/aaa", "memory.high"), "2791727104");
  EXPECT_EQ(of(pod, "memory.high"), "max");
  const auto first = step.line.find("kubepods/memory.min"), last = step.line.find("aaa/memory.min");
  EXPECT_LT(first, last) << "a child's protection counts only where the parent's does: " << step.line;
  const Step still = agent.advance();
  EXPECT_NE(still.line.find("\"writes\":[]"), std::string::npos)
      << "what holds is not written: " << still.line;
  node.pod_list(pods_with(R"({"policy":"none"})"));
  agent.advance();
  expect_untouched();
  agent.quit();
}

TEST_P(OnV2, AValidAnnotationReplacesFieldByField) {
  SteppedAgent agent(node.args(node.pod_list(pods_with(R"({"throttlingPercent":0,"minLimitPercent":100})"))));
  agent.advance();
  EXPECT_EQ(of(pod + "/aaa", "memory.min"), "1073741824");
  EXPECT_EQ(of(pod + "/aaa", "memory.low"), "1073741824") << "low is at least min";
  EXPECT_EQ(of(pod + "/aaa", "memory.high"), "max");
  node.pod_list(pods_with(R"({"minLimitPercent":101})"));
  agent.advance();
  EXPECT_EQ(of(pod + "/aaa", "memory.min"), "536870912") << "the class's again";
  agent.quit();
  expect_untouched();
}

TEST_P(OnV2, ADisabledClassIsRestored) {
  SteppedAgent agent(node.args(node.pod_list(pods_with())));
  agent.advance();
  node.configure("resourceQOSStrategy: {lsClass: {memoryQOS: {enable: false, minLimitPercent: 50}}}\n");
  agent.advance();
  expect_untouched();
}
INSTANTIATE_TEST_SUITE_P(Kernels, OnV2, testing::Values(Kernel::v2), kernel_name);

class SteppedMemoryV1 : public SteppedMemory {};
TEST_P(SteppedMemoryV1, MissingFilesOnMainlineV1AreNoError) {
  SteppedAgent agent(node.args(node.pod_list(pods_with())));
  const Step step = agent.advance();
  EXPECT_NE(step.line.find("\"writes\":[]"), std::string::npos) << step.line;
  EXPECT_NE(step.line.find("\"errors\":[]"), std::string::npos) << step.line;
  EXPECT_EQ(of(pod, "memory.min"), "<missing>");
}
INSTANTIATE_TEST_SUITE_P(Kernels, SteppedMemoryV1, testing::Values(Kernel::v1), kernel_name);

}  // namespace
}  // namespace evenkeel::test
