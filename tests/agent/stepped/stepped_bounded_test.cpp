// Tests the program as a black box on a node so full that its first tick has to change more files than one
// tick may.
#include <gtest/gtest.h>

#include "tests/support/agents/stepped_node.h"

namespace evenkeel::test {
namespace {

constexpr int kPods = 600, kChanges = 2 * kPods, kMost = 1000;  // each pod and its container may burst

class SteppedBounded : public testing::Test {
 protected:
  SteppedBounded() {
    for (int pod = 0; pod < kPods; ++pod) {
      const auto number = std::to_string(100000000000 + pod);
      cgroups.push_back(node.host.pod(KubeQos::burstable, "22222222-2222-2222-2222-" + number, {"aaa"}));
      cgroups.push_back(cgroups.back() + "/aaa");
    }
    for (const auto& cgroup : cgroups) node.host.write(Controller::cpu, cgroup, "cpu.max", "50000 100000\n");
  }
  [[nodiscard]] SteppedAgent start() const { return SteppedAgent(node.args()); }
  [[nodiscard]] int bursting() const {
    int count = 0;
    for (const auto& cgroup : cgroups)
      if (!node.host.read(Controller::cpu, cgroup, "cpu.max.burst").starts_with('0')) ++count;
    return count;
  }
  SteppedNode node{16, FakeNode::Kernel::v2, "cpuBurstStrategy: {policy: cpuBurstOnly}\n"};
  std::vector<std::string> cgroups{};
};

TEST_F(SteppedBounded, AFullNodeIsWrittenInAFewTicksAndRestoredInOne) {
  auto agent = start();
  Step step = agent.advance();
  EXPECT_EQ(step.writes.size(), static_cast<std::size_t>(kMost));
  EXPECT_EQ(bursting(), kMost);
  EXPECT_NE(step.line.find("\"deferred\":200"), std::string::npos) << step.line.substr(0, 200);
  EXPECT_NE(agent.stderr_text().find("deferred 200 changes to the next tick"), std::string::npos);
  EXPECT_NE(agent.metrics().find("evenkeel_deferred_changes_total 200"), std::string::npos);
  step = agent.advance();
  EXPECT_EQ(bursting(), kChanges);
  EXPECT_NE(step.line.find("\"deferred\":0"), std::string::npos);
  step = agent.quit();
  EXPECT_GE(step.writes.size(), static_cast<std::size_t>(kChanges)) << "the end is not bounded";
  EXPECT_EQ(bursting(), 0);
}

}  // namespace
}  // namespace evenkeel::test
