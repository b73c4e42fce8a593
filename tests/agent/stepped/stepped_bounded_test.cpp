// Tests the program as a black box on a node so full that its first tick has to change more files than one
// tick may.
#include <gtest/gtest.h>

#include "tests/support/agents/stepped_node.h"

namespace evenkeel::test {
namespace {

constexpr int kPods = 600, kChanges = 2 * kPods, kMost = 1000;

class SteppedBounded : public testing::Test {
 protected:
  SteppedBounded() {
    for (int pod = 0; pod < kPods; ++pod) {
      const auto number = std::to_string(100000000000 + pod);
      pods.push_back(node.host.pod(KubeQos::besteffort, "22222222-2222-2222-2222-" + number));
      pods.push_back(node.host.pod(KubeQos::besteffort, "33333333-3333-3333-3333-" + number));
    }
  }
  [[nodiscard]] SteppedAgent start() const { return SteppedAgent(node.args()); }
  [[nodiscard]] int idle() const {
    int count = 0;
    for (const auto& pod : pods)
      if (node.host.read(Controller::cpu, pod, "cpu.idle").starts_with('1')) ++count;
    return count;
  }
  SteppedNode node{16, FakeNode::Kernel::v2, "resourceQOSStrategy: {beClass: {cpuQOS: {enable: true}}}\n"};
  std::vector<std::string> pods{};
};

TEST_F(SteppedBounded, AFullNodeIsWrittenInAFewTicksAndRestoredInOne) {
  auto agent = start();
  Step step = agent.advance();
  EXPECT_EQ(step.writes.size(), static_cast<std::size_t>(kMost));
  EXPECT_EQ(idle(), kMost);
  EXPECT_NE(step.line.find("\"deferred\":200"), std::string::npos) << step.line.substr(0, 200);
  EXPECT_NE(agent.stderr_text().find("deferred 200 changes to the next tick"), std::string::npos);
  EXPECT_NE(agent.metrics().find("evenkeel_deferred_changes_total 200"), std::string::npos);
  step = agent.advance();
  EXPECT_EQ(idle(), kChanges);
  EXPECT_NE(step.line.find("\"deferred\":0"), std::string::npos);
  step = agent.quit();
  EXPECT_GE(step.writes.size(), static_cast<std::size_t>(kChanges)) << "the end is not bounded";
  EXPECT_EQ(idle(), 0);
}

}  // namespace
}  // namespace evenkeel::test
