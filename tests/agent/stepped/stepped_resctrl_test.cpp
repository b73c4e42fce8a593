// Tests resctrl in stepped mode on plain directories: the message where it is missing, and that a directory
// is created and removed. The kernel's behaviour is tested in resctrl_live_test.cpp and, on a model, in
// tests/cgroup.
#include <gtest/gtest.h>

#include "tests/support/agents/stepped_node.h"

namespace evenkeel::test {
namespace {

using Kernel = FakeNode::Kernel;

constexpr const char* kBatchHasALittle =
    "resourceQOSStrategy: {beClass: {resctrlQOS: {enable: true, catRangeEndPercent: 30, mbaPercent: 20}}}\n";
const std::string kDir = "sys/fs/resctrl/";

class SteppedResctrl : public testing::TestWithParam<Kernel> {
 protected:
  void mount() {
    node.host.file(kDir + "schemata", "    MB:0=100;1=100\n    L3:0=7ff;1=7ff\n")
        .file(kDir + "tasks", "1\n")
        .file(kDir + "info/last_cmd_status", "ok\n")
        .file(kDir + "info/L3/cbm_mask", "7ff\n")
        .file(kDir + "info/L3/num_closids", "16\n")
        .file(kDir + "info/MB/num_closids", "8\n")
        .file(kDir + "info/MB/min_bandwidth", "10\n")
        .file(kDir + "info/MB/bandwidth_gran", "10\n");
  }
  TwoPods node{GetParam(), kBatchHasALittle};
};

TEST_P(SteppedResctrl, MissingResctrlIsReportedOnce) {
  SteppedAgent agent(node.args());
  const Step step = agent.advance();
  ASSERT_EQ(step.errors.size(), 1U) << step.line;
  EXPECT_NE(step.errors[0].find("resctrl is not mounted here"), std::string::npos) << step.errors[0];
  EXPECT_TRUE(agent.advance().errors.empty());
  EXPECT_EQ(agent.metrics().find("evenkeel_resctrl_"), std::string::npos);
  agent.quit();
}

TEST_P(SteppedResctrl, AGroupIsCreatedAndRemovedWithTheAgent) {
  mount();
  SteppedAgent agent(node.args());
  const Step step = agent.advance();
  EXPECT_EQ(step.written("resctrl/evenkeel-be"), "group") << step.line;
  EXPECT_TRUE(node.host.exists(kDir + "evenkeel-be"));
  EXPECT_NE(agent.metrics().find("evenkeel_resctrl_groups 1"), std::string::npos);
  agent.quit();
  EXPECT_FALSE(node.host.exists(kDir + "evenkeel-be"));
}

TEST_P(SteppedResctrl, RestoreRemovesAKilledAgentsGroup) {
  mount();
  SteppedAgent agent(node.args());
  agent.advance();
  agent.kill();
  ASSERT_TRUE(node.host.exists(kDir + "evenkeel-be"));
  EXPECT_EQ(node.restore().exit_status, 0);
  EXPECT_FALSE(node.host.exists(kDir + "evenkeel-be"));
}

TEST_P(SteppedResctrl, ADryRunCreatesNoGroup) {
  mount();
  auto args = node.args();
  args.emplace_back("--dry-run");
  SteppedAgent agent(args);
  const Step step = agent.advance();
  EXPECT_NE(step.line.find("MB:0=20;1=20 L3:0=f;1=f"), std::string::npos) << step.line;
  EXPECT_FALSE(node.host.exists(kDir + "evenkeel-be"));
  agent.quit();
}

TEST_P(SteppedResctrl, HandsOffRemovesTheGroup) {
  mount();
  SteppedAgent agent(node.args());
  agent.advance();
  node.configure(std::string(kBatchHasALittle) + "extensions: {evenkeel: {handsOff: true}}\n");
  agent.advance();
  EXPECT_FALSE(node.host.exists(kDir + "evenkeel-be"));
  agent.quit();
}

INSTANTIATE_TEST_SUITE_P(Kernels, SteppedResctrl, testing::Values(Kernel::v1, Kernel::v2), kernel_name);

}  // namespace
}  // namespace evenkeel::test
