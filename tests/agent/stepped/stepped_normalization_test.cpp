// Tests the program as a black box: quotas with CPU normalization, where a CPU counts for more than one.
#include <gtest/gtest.h>

#include "tests/agent/stepped/one_service.h"
#include "tests/support/agents/stepped_node.h"

namespace evenkeel::test {
namespace {

using Kernel = FakeNode::Kernel;

/// The node's CPUs are of a model that counts for 1.6 with turbo and for 1.25 without.
constexpr const char* kTable =
    "extensions: {evenkeel: {cpuNormalization: auto, cpuNormalizationModels: {ratioModel: {\"Fast(R) CPU @ "
    "3.50GHz\": {baseRatio: 1.25, turboEnabledRatio: 1.6}}}}}\n";
constexpr const char* kNoTurbo = "sys/devices/system/cpu/intel_pstate/no_turbo";
constexpr const char* kPlainNode = "{metadata: {name: n}, status: {}}\n";

std::string node_with(const std::string& ratio) {
  return "{metadata: {name: n, annotations: {node.koordinator.sh/cpu-normalization-ratio: '" + ratio +
         "'}}, status: {}}\n";
}

class SteppedNormalization : public testing::TestWithParam<Kernel> {
 protected:
  SteppedNormalization() : pod(node.host.pod(KubeQos::burstable, kServiceUid, {"aaa"})) {
    for (const auto& cgroup : {pod, pod + "/aaa"}) {
      node.set_quota(cgroup, "200000");
      node.host.write(Controller::cpu, cgroup, node.v1() ? "cpu.shares" : "cpu.weight", "39\n");
    }
  }
  [[nodiscard]] std::vector<std::string> args(const std::string& ratio) const {
    auto out = node.args(node.pod_list(one_service()));
    out.insert(out.end(), {"--node", node.extra("node.yaml", node_with(ratio))});
    return out;
  }
  [[nodiscard]] std::vector<std::string> args_with_table() {
    node.host.file("proc/cpuinfo", "processor\t: 0\nmodel name\t: Fast(R) CPU @ 3.50GHz\n");
    node.host.file(kNoTurbo, "0\n");
    node.configure(kTable);
    auto out = node.args(node.pod_list(one_service()));
    out.insert(out.end(), {"--node", node.extra("node.yaml", kPlainNode)});
    return out;
  }
  void expect_quota(const char* quota) const {
    for (const auto& cgroup : {pod, pod + "/aaa"}) EXPECT_EQ(node.quota_of(cgroup), quota) << cgroup;
  }
  SteppedNode node{16, GetParam(), "{}\n"};
  std::string pod;
};

TEST_P(SteppedNormalization, FollowsTheNodesRatioAndRestores) {
  SteppedAgent agent(args("1.20"));
  const Step step = agent.advance();
  expect_quota("166667");
  EXPECT_EQ(step.writes[0].by, "cpu-normalization") << step.line;
  EXPECT_NE(agent.explain().find("a CPU of this node counts for 120 % of a standard one"), std::string::npos);
  EXPECT_NE(agent.advance().line.find("\"writes\":[]"), std::string::npos);
  static_cast<void>(node.extra("node.yaml", node_with("1.60")));
  agent.advance();
  expect_quota("125000");
  static_cast<void>(node.extra("node.yaml", node_with("1.00")));
  agent.advance();
  expect_quota("200000");
  static_cast<void>(node.extra("node.yaml", node_with("1.60")));
  agent.advance();
  node.configure("extensions: {evenkeel: {cpuNormalization: false}}\n");
  agent.advance();
  expect_quota("200000");
  agent.quit();
}

TEST_P(SteppedNormalization, FollowsTheTableOfModels) {
  SteppedAgent agent(args_with_table());
  const Step step = agent.advance();
  expect_quota("125000");
  EXPECT_EQ(step.writes[0].by, "cpu-normalization") << step.line;
  EXPECT_NE(agent.explain().find("a CPU of this node counts for 160 % of a standard one"), std::string::npos);
  EXPECT_NE(agent.advance().line.find("\"writes\":[]"), std::string::npos);
  node.host.file(kNoTurbo, "1\n");
  node.seconds(10, agent);
  expect_quota("160000");
  static_cast<void>(node.extra("node.yaml", node_with("1.20")));
  agent.advance();
  expect_quota("166667");
  static_cast<void>(node.extra("node.yaml", node_with("1.00")));
  agent.advance();
  expect_quota("200000");
  static_cast<void>(node.extra("node.yaml", kPlainNode));
  agent.advance();
  expect_quota("160000");
  node.configure("extensions: {evenkeel: {cpuNormalization: true}}\n");
  agent.advance();
  expect_quota("200000");
  node.configure(kTable);
  agent.advance();
  expect_quota("160000");
  agent.quit();
  expect_quota("200000");
}

TEST_P(SteppedNormalization, ANoticeNamesAModelThatIsNotInTheTable) {
  const auto args = args_with_table();
  node.host.file("proc/cpuinfo", "processor\t: 0\nmodel name\t: Other CPU\n");
  SteppedAgent agent(args);
  node.seconds(3, agent);
  expect_quota("200000");
  const std::string notice = "ratioModel has no 'Other CPU', and there is no defaultRatio";
  EXPECT_NE(agent.explain().find(notice), std::string::npos) << agent.explain();
  const auto log = agent.stderr_text();
  const auto event = log.find("event=no-cpu-ratio");
  EXPECT_NE(event, std::string::npos) << log;
  EXPECT_EQ(log.find("event=no-cpu-ratio", event + 1), std::string::npos) << "more than once";
  node.configure(
      "extensions: {evenkeel: {cpuNormalization: auto, cpuNormalizationModels: {defaultRatio: 1.25}}}\n");
  agent.advance();
  expect_quota("160000");
  agent.advance();
  EXPECT_EQ(agent.explain().find(notice), std::string::npos);
  agent.quit();
}

TEST_P(SteppedNormalization, CombinesWithBurstInOneValue) {
  node.configure("cpuBurstStrategy: {policy: cfsQuotaBurstOnly}\n");
  node.uses(pod + "/aaa", MilliCpu(1600));
  node.throttled(pod + "/aaa", false);
  SteppedAgent agent(args("1.20"));
  node.seconds(2, agent);
  expect_quota("166667");
  node.throttled(pod + "/aaa", true);
  node.seconds(3, agent);
  EXPECT_GT(std::stol(node.quota_of(pod + "/aaa")), 166667);
  EXPECT_EQ(node.quota_of(pod), node.quota_of(pod + "/aaa"));
  agent.quit();
  expect_quota("200000");
}
INSTANTIATE_TEST_SUITE_P(Kernels, SteppedNormalization, testing::Values(Kernel::v1, Kernel::v2), kernel_name);

}  // namespace
}  // namespace evenkeel::test
