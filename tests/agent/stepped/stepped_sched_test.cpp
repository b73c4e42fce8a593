// Tests the program as a black box: scheduler features, and core scheduling where it is missing.
#include <gtest/gtest.h>

#include "tests/agent/stepped/one_service.h"
#include "tests/support/agents/stepped_node.h"

namespace evenkeel::test {
namespace {

using Kernel = FakeNode::Kernel;

constexpr const char* kFeatures = "sys/kernel/debug/sched/features";

TEST(SteppedSchedFeatures, AreSwitchedExplainedAndRestored) {
  SteppedNode node(4, Kernel::v2, "systemStrategy: {schedFeatures: {B: false, D: true}}\n");
  node.host.file(kFeatures, "A B NO_C \n");
  SteppedAgent agent(node.args());
  const Step step = agent.advance();
  EXPECT_EQ(node.host.read(kFeatures), "A NO_B NO_C \n") << step.line;
  EXPECT_EQ(step.written("sched/features"), "NO_B");
  ASSERT_EQ(step.errors.size(), 1U) << step.line;
  EXPECT_NE(step.errors[0].find("the kernel lists no scheduler feature of this name"), std::string::npos);
  EXPECT_NE(agent.explain().find("schedFeatures asks for it"), std::string::npos);
  const Step still = agent.advance("10s");
  EXPECT_NE(still.line.find("\"writes\":[]"), std::string::npos) << still.line;
  EXPECT_TRUE(still.errors.empty()) << "reported once";
  node.configure("{}\n");
  agent.advance();
  EXPECT_EQ(node.host.read(kFeatures), "A B NO_C \n");
  agent.quit();
}

TEST(SteppedSchedFeatures, ACrashIsRestoredFromTheJournal) {
  SteppedNode node(4, Kernel::v2, "systemStrategy: {schedFeatures: {B: false}}\n");
  node.host.file(kFeatures, "A B NO_C \n");
  {
    SteppedAgent agent(node.args());
    agent.advance();
    agent.kill();
  }
  EXPECT_EQ(node.host.read(kFeatures), "A NO_B NO_C \n");
  EXPECT_EQ(node.restore().exit_status, 0);
  EXPECT_EQ(node.host.read(kFeatures), "A B NO_C \n");
}

TEST(SteppedCoreSched, WithAnotherHostRootNoTaskIsChangedAndThatIsReported) {
  SteppedNode node(
      4, Kernel::v2,
      "resourceQOSStrategy: {policies: {cpuPolicy: coreSched}, lsClass: {cpuQOS: {enable: true}}}\n");
  const auto pod = node.host.pod(KubeQos::burstable, kServiceUid, {"aaa"});
  node.host.write(Controller::cpu, pod + "/aaa", "cgroup.threads", "1\n");
  SteppedAgent agent(node.args(node.pod_list(one_service())));
  const Step step = agent.advance();
  ASSERT_EQ(step.errors.size(), 1U) << step.line;
  EXPECT_NE(step.errors[0].find("the host root is not this machine's"), std::string::npos) << step.errors[0];
  EXPECT_TRUE(agent.advance().errors.empty()) << "not in every tick";
  agent.quit();
}

}  // namespace
}  // namespace evenkeel::test
