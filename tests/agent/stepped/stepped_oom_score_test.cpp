// Tests the program as a black box: the oom_score_adj that a batch pod asks for.
#include <gtest/gtest.h>

#include "tests/support/agents/stepped_node.h"

namespace evenkeel::test {
namespace {

using Kernel = FakeNode::Kernel;

constexpr const char* kUid = "11111111-1111-1111-1111-111111111111";
constexpr const char* kOn = "extensions: {evenkeel: {oomScoreAdj: true}}\n";
constexpr const char *kFirst = "proc/301/oom_score_adj", *kSecond = "proc/302/oom_score_adj";

/// A batch pod that the kubelet put among the Burstable ones, with this annotation.
std::string pods_with(const std::string& annotation) {
  return "items: [{metadata: {uid: " + std::string(kUid) +
         ", namespace: night, name: train, labels: {koordinator.sh/qosClass: BE}, annotations: {" +
         annotation +
         "}}, spec: {containers: [{name: a}]}, status: {phase: Running, qosClass: Burstable, "
         "containerStatuses: [{name: a, containerID: 'containerd://aaa', state: {running: {}}}]}}]\n";
}

class SteppedOomScore : public testing::TestWithParam<Kernel> {
 protected:
  SteppedOomScore() : container(node.host.pod(KubeQos::burstable, kUid, {"aaa"}) + "/aaa") {
    node.host.write(Controller::cpu, container, "cgroup.procs", "301\n302\n");
    node.host.file(kFirst, "500\n").file(kSecond, "500\n");
  }
  SteppedAgent start(const std::string& annotation) {
    return SteppedAgent(node.args(node.pod_list(pods_with(annotation))));
  }
  using Values = std::pair<int, int>;
  [[nodiscard]] Values both() const {
    return {std::stoi(node.host.read(kFirst)), std::stoi(node.host.read(kSecond))};
  }

  SteppedNode node{16, GetParam(), kOn};
  std::string container;
};

TEST_P(SteppedOomScore, IsRaisedExplainedFollowedAndRestored) {
  auto agent = start(R"(koordinator.sh/oom-score-adj: "900")");
  const Step step = agent.advance();
  EXPECT_EQ(both(), Values(900, 900)) << step.line;
  EXPECT_TRUE(step.errors.empty()) << step.line;
  const std::string explained = agent.explain();
  EXPECT_NE(explained.find("the pod asks for an oom_score_adj of 900"), std::string::npos) << explained;
  EXPECT_NE(agent.metrics().find("evenkeel_oom_score_cgroups 1"), std::string::npos);
  node.pod_list(pods_with(R"(koordinator.sh/oom-score-adj-spec: '{"a":700}')"));
  agent.advance();
  EXPECT_EQ(both(), Values(700, 700));
  node.pod_list(pods_with(""));
  agent.advance();
  EXPECT_EQ(both(), Values(500, 500)) << "without the annotation the kubelet's value is back";
  agent.quit();
}

TEST_P(SteppedOomScore, NoPodGetsBelowWhatTheKubeletGave) {
  auto agent = start(R"(koordinator.sh/oom-score-adj: "-1000")");
  const Step step = agent.advance();
  EXPECT_EQ(both(), Values(500, 500)) << step.line;
  EXPECT_EQ(agent.explain().find("oom_score_adj of -1000"), std::string::npos) << agent.explain();
  agent.quit();
  EXPECT_EQ(both(), Values(500, 500));
}

TEST_P(SteppedOomScore, AStopAndARestoreAfterACrashBringTheKubeletsValueBack) {
  {
    auto agent = start(R"(koordinator.sh/oom-score-adj: "900")");
    agent.advance();
    agent.quit();
  }
  EXPECT_EQ(both(), Values(500, 500));
  {
    auto agent = start(R"(koordinator.sh/oom-score-adj: "900")");
    agent.advance();
    node.host.file(kSecond, "950\n");  // the program's own, since
    agent.kill();
  }
  EXPECT_EQ(node.restore().exit_status, 0);
  EXPECT_EQ(both(), Values(500, 950));
}

TEST_P(SteppedOomScore, OffWritesNothing) {
  node.configure("{}\n");
  auto agent = start(R"(koordinator.sh/oom-score-adj: "900")");
  agent.advance();
  EXPECT_EQ(both(), Values(500, 500));
}

INSTANTIATE_TEST_SUITE_P(Kernels, SteppedOomScore, testing::Values(Kernel::v1, Kernel::v2), kernel_name);

}  // namespace
}  // namespace evenkeel::test
