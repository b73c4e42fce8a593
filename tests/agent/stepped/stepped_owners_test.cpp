// Tests the program as a black box on a node whose kubelet lets systemd make the cgroups: values that systemd
// resets as a side effect, and pods that the kubelet is still making.
#include <gtest/gtest.h>

#include "tests/support/agents/stepped_node.h"

namespace evenkeel::test {
namespace {

using namespace evenkeel::literals;
using Kernel = FakeNode::Kernel;

constexpr const char* kRules =
    "resourceUsedThresholdWithBE: {enable: true, cpuSuppressThresholdPercent: 65, cpuSuppressPolicy: "
    "cfsQuota}\n"
    "resourceQOSStrategy: {beClass: {cpuQOS: {enable: true}}}\n";
constexpr const char* kServiceUid = "11111111-1111-1111-1111-111111111111";
constexpr const char* kBatchUid = "22222222-2222-2222-2222-222222222222";
constexpr const char* kNewUid = "33333333-3333-3333-3333-333333333333";

/// A pod without requests, as the kubelet lists it.
std::string pod_text(const std::string& uid, const std::string& qos, const std::string& container) {
  return "{metadata: {uid: " + uid + ", namespace: n, name: p-" + container +
         ", labels: {koordinator.sh/qosClass: " + qos +
         "}}, spec: {containers: [{name: a}]}, status: {phase: " +
         "Running, qosClass: BestEffort, containerStatuses: [{name: a, containerID: 'containerd://" +
         container + "', state: {running: {}}}]}}";
}

class SteppedOwners : public testing::TestWithParam<Kernel> {
 protected:
  SteppedOwners() {
    node.host.systemd().kubepods();
    service = node.host.pod(KubeQos::burstable, kServiceUid, {"aaa"});
    batch = node.host.pod(KubeQos::besteffort, kBatchUid, {"bbb"});
    node.uses(service + "/cri-containerd-aaa.scope", 6250_mcpu);
    node.uses(batch + "/cri-containerd-bbb.scope", 2000_mcpu);
  }
  [[nodiscard]] const char* unlimited() const { return node.v1() ? "-1" : "max"; }

  SteppedNode node{16, GetParam(), kRules, false};
  std::string service, batch;
};

TEST_P(SteppedOwners, BestEffortIsLimitedAgainInTheTickAfterSystemdLiftedItsQuota) {
  SteppedAgent agent(node.args());
  node.seconds(2, agent);
  const auto limited = node.besteffort_quota();
  ASSERT_NE(limited, unlimited());
  for (int minute = 0; minute < 30; ++minute) {
    node.set_quota(node.besteffort(), unlimited());
    const Step step = node.second(agent);
    ASSERT_EQ(node.besteffort_quota(), limited) << "minute " << minute << ": " << step.line;
    ASSERT_NE(step.line.find("\"foreign\":[]"), std::string::npos) << step.line;
    for (int second = 1; second < 60; ++second) {
      node.second(agent);
      ASSERT_EQ(node.besteffort_quota(), limited) << "minute " << minute << ", second " << second;
    }
  }
  agent.quit();
  EXPECT_EQ(node.besteffort_quota(), unlimited());
}

/// The kubelet writes the shares, reads them back (on cgroup v1 an idle cgroup has 3), and then sets up the
/// other controllers.
TEST_P(SteppedOwners, APodIsNotWrittenToBeforeItsFirstContainerIsThere) {
  const auto list =
      "items: [" + pod_text(kNewUid, "BE", "ccc") + ", " + pod_text(kBatchUid, "LS", "bbb") + "]\n";
  SteppedAgent agent(node.args(node.pod_list(list)));
  node.seconds(2, agent);
  const auto born = node.host.pod(KubeQos::besteffort, kNewUid);
  const auto idle = [&] { return node.setting(Controller::cpu, born, "cpu.idle"); };
  node.second(agent);
  EXPECT_EQ(idle(), "0");
  node.host.write(Controller::cpu, born, node.v1() ? "cpu.shares" : "cpu.weight", node.v1() ? "2\n" : "1\n");
  node.seconds(3, agent);
  EXPECT_EQ(idle(), "0") << "its shares are set, but nothing runs in it";
  node.host.container(born, "ccc");
  node.seconds(2, agent);
  EXPECT_EQ(idle(), "1");
}

INSTANTIATE_TEST_SUITE_P(Kernels, SteppedOwners, testing::Values(Kernel::v1, Kernel::v2), kernel_name);

}  // namespace
}  // namespace evenkeel::test
