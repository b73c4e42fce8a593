// Tests the program as a black box: CPU suppression on a fake node in stepped mode, and the files afterwards.
#include <gtest/gtest.h>

#include <filesystem>
#include <random>

#include "tests/support/agents/stepped_node.h"

namespace evenkeel::test {
namespace {

using namespace evenkeel::literals;
using Kernel = FakeNode::Kernel;

constexpr const char* kQuotaPolicy =
    "resourceUsedThresholdWithBE:\n  enable: true\n  cpuSuppressThresholdPercent: 65\n  cpuSuppressPolicy: "
    "cfsQuota\n";

class SteppedSuppress : public testing::TestWithParam<Kernel> {
 protected:
  TwoPods node{GetParam(), kQuotaPolicy};
  const std::string before = node.besteffort_quota();
};

// 65 % of 16 CPUs are 10.4; services use 6.25, the system 1: best effort gets 3.15 CPUs.
TEST_P(SteppedSuppress, GivesBestEffortTheRestAndRestoresAtTheEnd) {
  node.service_uses(6250_mcpu);
  node.uses(node.batch + "/bbb", 2000_mcpu);
  node.system_uses(1000_mcpu);
  SteppedAgent agent(node.args());
  EXPECT_TRUE(node.second(agent).writes.empty()) << "a first look has no rates: nothing may be written";
  const Step step = node.second(agent);
  ASSERT_EQ(step.writes.size(), 1U) << step.line;
  EXPECT_EQ(step.writes[0].by, "cpu-suppress");
  EXPECT_EQ(node.besteffort_quota(), "315000");
  EXPECT_NE(step.writes[0].why.find("6.25"), std::string::npos) << step.writes[0].why;
  EXPECT_TRUE(node.second(agent).writes.empty()) << "a value that holds is not written again";
  const Step last = agent.quit();
  ASSERT_EQ(last.writes.size(), 1U) << last.line;
  EXPECT_EQ(node.besteffort_quota(), before);
  EXPECT_EQ(agent.exit_status(), 0);
}

TEST_P(SteppedSuppress, CutsBestEffortInTheTickInWhichServicesRise) {
  node.service_uses(2000_mcpu);
  SteppedAgent agent(node.args());
  node.seconds(2, agent);
  EXPECT_EQ(node.besteffort_quota(), "840000");
  node.service_uses(8000_mcpu);
  node.second(agent);
  EXPECT_EQ(node.besteffort_quota(), "240000");
}

TEST_P(SteppedSuppress, DoesNotJitterWithTwoPercentNoise) {
  SteppedAgent agent(node.args());
  std::mt19937 random(7);
  std::uniform_int_distribution<int> noise(-320, 320);  // +-2 % of 16 CPUs
  node.service_uses(6000_mcpu);
  node.seconds(15, agent);
  ASSERT_NE(node.besteffort_quota(), before);
  std::vector<int> changes;
  for (int second = 0; second < 200; ++second) {
    node.service_uses(MilliCpu(6000 + noise(random)));
    if (!node.second(agent).writes.empty()) changes.push_back(second);
  }
  for (std::size_t i = 1; i < changes.size(); ++i)
    EXPECT_GE(changes[i] - changes[i - 1], 10) << "at second " << changes[i];
}

TEST_P(SteppedSuppress, KeepsALaterForeignWrite) {
  node.service_uses(6000_mcpu);
  SteppedAgent agent(node.args());
  node.seconds(2, agent);
  ASSERT_NE(node.besteffort_quota(), before);
  node.set_quota(node.besteffort(), "777000");
  node.seconds(30, agent);
  EXPECT_EQ(node.besteffort_quota(), "777000") << "not fought for within a minute";
  agent.quit();
  EXPECT_EQ(node.besteffort_quota(), "777000") << "not restored over";
}

TEST_P(SteppedSuppress, RestoresAfterKillMinusNine) {
  node.service_uses(6000_mcpu);
  {
    SteppedAgent agent(node.args());
    node.seconds(2, agent);
    ASSERT_NE(node.besteffort_quota(), before);
    agent.kill();
  }
  const Ran restored = node.restore();
  EXPECT_EQ(restored.exit_status, 0) << restored.err;
  EXPECT_EQ(node.besteffort_quota(), before);
}

TEST_P(SteppedSuppress, QuitAsTheFirstLineAfterADeathReportsWhatWasRestored) {
  node.service_uses(6000_mcpu);
  std::string held;
  {
    SteppedAgent agent(node.args());
    node.seconds(2, agent);
    held = node.besteffort_quota();
    ASSERT_NE(held, before);
    agent.kill();
  }
  SteppedAgent next(node.args());
  const Step last = next.quit();
  EXPECT_EQ(node.besteffort_quota(), before);
  ASSERT_EQ(last.writes.size(), 1U) << last.line;
  EXPECT_NE(last.writes[0].old_text.find(held), std::string::npos) << last.line;
  EXPECT_NE(last.writes[0].new_text.find(before), std::string::npos) << last.line;
}

TEST_P(SteppedSuppress, DisablingRestores) {
  node.service_uses(6000_mcpu);
  SteppedAgent agent(node.args());
  node.seconds(2, agent);
  ASSERT_NE(node.besteffort_quota(), before);
  node.configure("resourceUsedThresholdWithBE: {enable: false}\n");
  const Step step = node.second(agent);
  EXPECT_EQ(node.besteffort_quota(), before) << step.line;
}

TEST_P(SteppedSuppress, AnInvalidConfigurationChangesNothingAndIsReported) {
  node.service_uses(6000_mcpu);
  SteppedAgent agent(node.args());
  node.seconds(2, agent);
  const std::string held = node.besteffort_quota();
  ASSERT_NE(held, before);
  node.configure("resourceUsedThresholdWithBE:\n  enable: true\n  cpuSuppressThresholdPercent: 165\n");
  const Step step = node.second(agent);
  ASSERT_EQ(step.errors.size(), 1U) << step.line;
  EXPECT_NE(step.errors[0].find("nodeslo.yaml:3:"), std::string::npos) << step.errors[0];
  EXPECT_NE(step.errors[0].find("cpuSuppressThresholdPercent"), std::string::npos) << step.errors[0];
  EXPECT_EQ(node.besteffort_quota(), held);
}

TEST_P(SteppedSuppress, DryRunWritesNothing) {
  node.service_uses(6000_mcpu);
  auto args = node.args();
  args.push_back("--dry-run");
  SteppedAgent agent(args);
  node.second(agent);
  const Step step = node.second(agent);
  EXPECT_TRUE(step.writes.empty());
  EXPECT_NE(step.line.find("\"would_write\":[{"), std::string::npos) << step.line;
  EXPECT_EQ(node.besteffort_quota(), before);
  EXPECT_FALSE(std::filesystem::exists(node.state_dir() + "/journal"));
}

TEST_P(SteppedSuppress, ExplainsEachValueWithItsNumbers) {
  node.service_uses(6250_mcpu);
  SteppedAgent agent(node.args());
  node.seconds(2, agent);
  const std::string explained = agent.explain();
  EXPECT_NE(explained.find("\"policy\":\"cpu-suppress\""), std::string::npos) << explained;
  EXPECT_NE(explained.find("6.25"), std::string::npos) << explained;
  const std::string metrics = agent.metrics();
  EXPECT_NE(metrics.find("evenkeel_managed_values 1"), std::string::npos) << metrics;
}

INSTANTIATE_TEST_SUITE_P(Kernels, SteppedSuppress, testing::Values(Kernel::v1, Kernel::v2), kernel_name);

}  // namespace
}  // namespace evenkeel::test
