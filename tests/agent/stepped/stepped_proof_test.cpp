// Tests the program as a black box: a lever is withheld for single ticks, and comes back.
#include <gtest/gtest.h>

#include <sstream>

#include "tests/support/agents/stepped_node.h"

namespace evenkeel::test {
namespace {

using Kernel = FakeNode::Kernel;

constexpr const char* kNodeSlo =
    "cpuBurstStrategy: {policy: cpuBurstOnly}\n"
    "extensions: {evenkeel: {proof: {enable: true, budgetPercent: 20}}}\n";

class SteppedProof : public testing::TestWithParam<Kernel> {
 protected:
  SteppedProof() {
    node.set_quota(container, "100000");
    node.service_uses(MilliCpu(800));
  }
  [[nodiscard]] bool may_burst() const {
    const auto* file = GetParam() == Kernel::v1 ? "cpu.cfs_burst_us" : "cpu.max.burst";
    return node.setting(Controller::cpu, container, file) != "0";
  }
  TwoPods node{GetParam(), kNodeSlo};
  std::string container = node.service + "/aaa";
};

TEST_P(SteppedProof, WithholdsTheLeverForSingleTicksWithinItsBudget) {
  SteppedAgent agent(node.args());
  int withheld = 0, in_a_row = 0, longest = 0;
  for (int second = 0; second < 360; ++second) {
    node.throttled(container, second % 2 == 0);
    node.second(agent);
    const bool off = !may_burst();
    if (second > 5) withheld += off ? 1 : 0;
    in_a_row = off ? in_a_row + 1 : 0;
    if (second > 5) longest = std::max(longest, in_a_row);
  }
  EXPECT_GT(withheld, 8);
  EXPECT_LT(withheld, 19);
  EXPECT_EQ(longest, 1);
  const std::string metrics = agent.metrics();
  EXPECT_NE(metrics.find("evenkeel_proof_verdict{lever=\"cpu-burst\",verdict=\""), std::string::npos);
  EXPECT_EQ(metrics.find("evenkeel_proof_trials_total{lever=\"cpu-burst\"} 0\n"), std::string::npos);
  EXPECT_NE(metrics.find("evenkeel_proof_trials_total{lever=\"besteffort-quota\"} 0\n"), std::string::npos)
      << "it is not in force";
  agent.quit();
  EXPECT_FALSE(may_burst());
}

TEST_P(SteppedProof, ATrialIsOneLineOfTheLogHoweverManyValuesGoAndComeBack) {
  SteppedAgent agent(node.args());
  for (int second = 0; second < 200; ++second) {
    node.throttled(container, second % 2 == 0);
    node.second(agent);
  }
  agent.quit();
  const std::string log = agent.stderr_text();
  const auto lines_with = [&](const std::string& first, const std::string& second) {
    int found = 0;
    std::istringstream lines(log);
    for (std::string line; std::getline(lines, line);)
      found += line.find(first) != std::string::npos && line.find(second) != std::string::npos ? 1 : 0;
    return found;
  };
  EXPECT_GT(lines_with("event=trial", "lever=cpu-burst"), 2);
  EXPECT_EQ(lines_with("event=restore", "proof withholds this lever"), 0);
  EXPECT_EQ(lines_with("event=write", container), 1) << "at the start";
}

TEST_P(SteppedProof, ADryRunSaysWhatItWouldWithholdAndFindsNothing) {
  auto args = node.args();
  args.emplace_back("--dry-run");
  SteppedAgent agent(args);
  for (int second = 0; second < 200; ++second) {
    node.throttled(container, second % 2 == 0);
    node.second(agent);
    ASSERT_FALSE(may_burst());
  }
  const std::string metrics = agent.metrics();
  EXPECT_NE(metrics.find("evenkeel_proof_verdict{lever=\"cpu-burst\",verdict=\"unknown\"}"),
            std::string::npos);
  agent.quit();
  const std::string log = agent.stderr_text();
  EXPECT_NE(log.find("event=would-withhold lever=cpu-burst"), std::string::npos) << log;
  EXPECT_EQ(log.find("event=trial"), std::string::npos) << log;
}

INSTANTIATE_TEST_SUITE_P(Kernels, SteppedProof, testing::Values(Kernel::v1, Kernel::v2), kernel_name);

}  // namespace
}  // namespace evenkeel::test
