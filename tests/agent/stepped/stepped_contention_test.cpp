// Tests the program as a black box: it says that services wait on the node, and that they do not wait any
// longer.
#include <gtest/gtest.h>

#include "tests/support/agents/stepped_node.h"

namespace evenkeel::test {
namespace {

using Kernel = FakeNode::Kernel;

struct SteppedContention : testing::Test {
  void web_waits(int percent) {
    const std::string line = "avg10=0.00 avg60=" + std::to_string(percent) + ".00 avg300=0.00 total=1\n";
    node.host.write(Controller::cpu, node.service, "cpu.pressure", "some " + line + "full " + line);
  }
  [[nodiscard]] static bool shows(SteppedAgent& agent, const std::string& line) {
    return agent.metrics().find(line + '\n') != std::string::npos;
  }
  TwoPods node{Kernel::v2, "extensions: {evenkeel: {contention: {enable: true}}}\n"};
};

TEST_F(SteppedContention, IsShownLoggedAndOverAfterFiveCalmMinutes) {
  SteppedAgent agent(node.args());
  web_waits(40);
  node.seconds(50, agent);
  EXPECT_TRUE(shows(agent, "evenkeel_contention_stall_percent{resource=\"cpu\"} 40"));
  EXPECT_TRUE(shows(agent, "evenkeel_contended 0"));
  const Step step = node.seconds(20, agent);
  EXPECT_TRUE(shows(agent, "evenkeel_contended 1")) << agent.metrics();
  EXPECT_TRUE(step.writes.empty()) << "it writes nothing: " << step.line;
  EXPECT_NE(
      agent.stderr_text().find("event=contended why=\"services wait for a CPU longer than their own quotas "
                               "explain; of the last minute the one that waits most: cpu 40 %, memory 0 %, "
                               "io 0 %\""),
      std::string::npos)
      << agent.stderr_text();
  web_waits(0);
  node.seconds(280, agent);
  EXPECT_TRUE(shows(agent, "evenkeel_contended 1"));
  node.seconds(40, agent);
  EXPECT_TRUE(shows(agent, "evenkeel_contended 0"));
  EXPECT_NE(agent.stderr_text().find("event=contention-over"), std::string::npos);
}

TEST_F(SteppedContention, IsOffByDefaultAndWhenItIsSwitchedOff) {
  node.configure("{}\n");
  SteppedAgent agent(node.args());
  web_waits(40);
  node.seconds(90, agent);
  EXPECT_TRUE(shows(agent, "evenkeel_contended 0"));
  EXPECT_EQ(agent.metrics().find("evenkeel_contention_stall_percent"), std::string::npos);
  node.configure("extensions: {evenkeel: {contention: {enable: true}}}\n");
  node.seconds(90, agent);
  EXPECT_TRUE(shows(agent, "evenkeel_contended 1"));
  node.configure("{}\n");
  node.seconds(5, agent);
  EXPECT_TRUE(shows(agent, "evenkeel_contended 0"));
}

}  // namespace
}  // namespace evenkeel::test
