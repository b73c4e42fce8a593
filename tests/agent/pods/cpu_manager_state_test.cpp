// Tests the checkpoint of the kubelet's CPU manager, as several kubelet versions write it.
#include <gtest/gtest.h>

#include "agent/pods/pod_list.h"
#include "tests/support/agents/stepped_node.h"

namespace evenkeel {
namespace {

TEST(CpuManagerState, ReadsBothFormsOfEntries) {
  const auto now = pods::parse_cpu_manager_state(
      R"({"policyName":"static","defaultCpuSet":"0,4-7","entries":{"pod-a":{"main":"1","side":"2"},"pod-b":{"main":"3"}},"checksum":4195836012})",
      "state");
  EXPECT_TRUE(now.is_static);
  EXPECT_EQ(now.pinned.text(), "1-3");
  const auto old = pods::parse_cpu_manager_state(
      R"({"policyName":"static","defaultCpuSet":"0-2","entries":{"0123456789ab":"3"},"checksum":1})",
      "state");
  EXPECT_EQ(old.pinned.text(), "3");
  const auto none = pods::parse_cpu_manager_state(
      R"({"policyName":"none","defaultCpuSet":"","checksum":1353318690})", "state");
  EXPECT_FALSE(none.is_static);
  EXPECT_TRUE(none.pinned.empty());
  EXPECT_EQ(none.problem, "");
}

TEST(CpuManagerState, AnythingElseIsAProblem) {
  for (const char* text :
       {"", "{", "[]", "{}", "null", R"({"policyName":"static","entries":{"a":{"b":"x"}}})",
        R"({"policyName":"static","entries":{"a":["1"]}})", R"({"policyName":"static","entries":7})"}) {
    const auto state = pods::parse_cpu_manager_state(text, "state");
    EXPECT_NE(state.problem, "") << text;
    EXPECT_FALSE(state.is_static) << text;
    EXPECT_TRUE(state.pinned.empty()) << text;
  }
}

using test::SteppedAgent;
using test::SteppedNode;

constexpr const char* kOwner =
    "items: [{metadata: {uid: 11111111-1111-1111-1111-111111111111, namespace: a, name: owner, labels: "
    "{koordinator.sh/qosClass: LSE}, annotations: {scheduling.koordinator.sh/resource-status: "
    "'{\"cpuset\":\"2-3\"}'}}, spec: {containers: [{name: a, resources: {requests: {cpu: 2}}}]}, status: "
    "{phase: Running, qosClass: "
    "Guaranteed, "
    "containerStatuses: [{name: a, containerID: 'containerd://aaa', state: {running: {}}}]}}]\n";

TEST(SteppedCpusets, FollowsPinnedPodsAndYieldsToTheKubeletsCpuManager) {
  SteppedNode node(16, test::FakeNode::Kernel::v1, "{}\n");
  const auto pod = node.host.pod(KubeQos::guaranteed, "11111111-1111-1111-1111-111111111111", {"aaa"});
  const auto set = [&] { return node.setting(Controller::cpuset, pod + "/aaa", "cpuset.cpus"); };
  node.host.write(Controller::cpu, pod + "/aaa", "cpu.shares", "2048\n");
  SteppedAgent agent(node.args(node.pod_list(kOwner)));
  agent.advance();
  EXPECT_EQ(set(), "2-3");
  node.host.file(
      "var/lib/kubelet/cpu_manager_state",
      R"({"policyName":"static","defaultCpuSet":"0,4-15","entries":{"x":{"y":"2-3"}},"checksum":1})");
  agent.advance();
  EXPECT_EQ(set(), "0-15") << "ours is taken back; what stands there is the kubelet's business";
  agent.quit();
  EXPECT_EQ(set(), "0-15");
}

}  // namespace
}  // namespace evenkeel
