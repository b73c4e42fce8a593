// Tests the program with one configuration for several node pools: the Node's labels choose, and may change.
#include <gtest/gtest.h>

#include "tests/support/agents/stepped_node.h"

namespace evenkeel::test {
namespace {

using namespace evenkeel::literals;

constexpr const char* kPools =
    "resourceUsedThresholdWithBE: {enable: true, cpuSuppressThresholdPercent: 65, cpuSuppressPolicy: "
    "cfsQuota}\nnodeStrategies:\n- name: web\n  nodeSelector: {matchLabels: {pool: web}}\n"
    "  resourceUsedThresholdWithBE: {enable: false}\n- name: batch\n  nodeSelector: {matchExpressions: "
    "[{key: "
    "pool, operator: In, values: [batch]}]}\n  resourceUsedThresholdWithBE: {cpuSuppressThresholdPercent: "
    "90}\n";

struct PooledNode : TwoPods {
  explicit PooledNode(Kernel kernel) : TwoPods(kernel, kPools) {
    service_uses(6000_mcpu);
    uses(batch + "/bbb", 1000_mcpu);
  }
  std::string label(const std::string& pool) const {
    return extra("node.yaml", "kind: Node\nmetadata: {name: n, labels: {pool: " + pool + "}}\n");
  }
  [[nodiscard]] std::vector<std::string> args_of(const std::string& pool) const {
    auto all = args();
    all.insert(all.end(), {"--node", label(pool)});
    return all;
  }
};

class SteppedPools : public testing::TestWithParam<FakeNode::Kernel> {};

TEST_P(SteppedPools, ChangedLabelsChangeWhatIsWritten) {
  PooledNode node(GetParam());
  SteppedAgent agent(node.args_of("web"));
  node.seconds(4, agent);
  const std::string untouched = node.besteffort_quota();
  EXPECT_NE(agent.explain().find("nodeStrategies[0] 'web'"), std::string::npos)
      << "explain says what applies";
  node.label("batch");
  node.seconds(6, agent);
  const std::string batch = node.besteffort_quota();
  EXPECT_NE(batch, untouched) << "suppression is on in the batch pool";
  EXPECT_NE(agent.explain().find("nodeStrategies[1] 'batch'"), std::string::npos);
  node.label("other");
  node.seconds(6, agent);
  const std::string common = node.besteffort_quota();
  EXPECT_NE(common, untouched);
  EXPECT_LT(std::stoll(common), std::stoll(batch)) << "65 % is less than 90 %";
  node.label("web");
  node.seconds(2, agent);
  EXPECT_EQ(node.besteffort_quota(), untouched) << "restored";
  agent.quit();
  EXPECT_EQ(agent.exit_status(), 0);
  EXPECT_NE(agent.stderr_text().find("node-strategies"), std::string::npos) << agent.stderr_text();
}

TEST_P(SteppedPools, ABadNodeKeepsItsLastLabels) {
  PooledNode node(GetParam());
  SteppedAgent agent(node.args_of("web"));
  node.seconds(3, agent);
  const std::string untouched = node.besteffort_quota();
  node.extra("node.yaml", "kind: Banana\n");
  EXPECT_FALSE(node.second(agent).errors.empty());
  node.seconds(3, agent);
  EXPECT_EQ(node.besteffort_quota(), untouched);
}

TEST_P(SteppedPools, WithoutANodeTheLogSaysThatNoneApplies) {
  PooledNode node(GetParam());
  SteppedAgent agent(node.args());
  node.seconds(4, agent);
  agent.quit();
  EXPECT_NE(agent.stderr_text().find("the labels of the Node are not known"), std::string::npos)
      << agent.stderr_text();
}

TEST_P(SteppedPools, CheckNamesTheStrategyThatApplies) {
  const PooledNode node(GetParam());
  const std::string slo = node.configure(kPools);
  const Ran unknown = run_evenkeel({"check", slo});
  EXPECT_EQ(unknown.exit_status, 0) << unknown.err;
  EXPECT_NE(unknown.out.find("the labels of the Node are not known"), std::string::npos) << unknown.out;
  const Ran known = run_evenkeel({"check", slo, "--node", node.label("batch")});
  EXPECT_EQ(known.exit_status, 0) << known.err;
  EXPECT_NE(known.out.find("nodeStrategies[1] 'batch'"), std::string::npos) << known.out;
  EXPECT_EQ(run_evenkeel({"check", slo, "--node", "/nonexistent"}).exit_status, 2);
}

INSTANTIATE_TEST_SUITE_P(Kernels, SteppedPools, testing::Values(FakeNode::Kernel::v1, FakeNode::Kernel::v2),
                         kernel_name);

}  // namespace
}  // namespace evenkeel::test
