// Tests the program on a node whose kubelet has a partition of kubepods for pods of the system: it tells that
// it does not manage these pods, and does not touch them.
#include <gtest/gtest.h>

#include <string>

#include "tests/support/agents/stepped_node.h"

namespace evenkeel::test {
namespace {

class SteppedUnmanagedPods : public testing::TestWithParam<FakeNode::Kernel> {};

int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

bool has_line(const std::string& text, const std::string& line) {
  return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
}

TEST_P(SteppedUnmanagedPods, AreToldOnceAndLeftAloneUntilTheyAreGone) {
  constexpr const char* kMetric = "evenkeel_unmanaged_pod_directories ";
  constexpr const char* kTold = "event=unmanaged-pods cgroup=kubepods/system ";
  constexpr const char* kGone = "event=unmanaged-pods-gone cgroup=kubepods/system\n";
  TwoPods node(GetParam(), "cpuBurstStrategy: {policy: auto}\n");
  SteppedAgent agent(node.args());
  node.seconds(2, agent);
  EXPECT_TRUE(has_line(agent.metrics(), kMetric + std::string("0")));
  EXPECT_EQ(count(agent.stderr_text(), "unmanaged-pods"), 0) << agent.stderr_text();

  const std::string pod = "kubepods/system/burstable/pod33333333-3333-3333-3333-333333333333";
  node.host.cgroup(pod + "/ccc");
  node.set_quota(pod + "/ccc", "50000");
  for (int second = 0; second < 3; ++second) {
    const Step step = node.second(agent);
    EXPECT_EQ(step.line.find("kubepods/system"), std::string::npos) << step.line;
  }
  EXPECT_TRUE(has_line(agent.metrics(), kMetric + std::string("1")));
  EXPECT_EQ(count(agent.stderr_text(), kTold), 1) << agent.stderr_text();

  node.host.remove_cgroup("kubepods/system");
  node.seconds(3, agent);
  EXPECT_TRUE(has_line(agent.metrics(), kMetric + std::string("0")));
  agent.quit();
  const auto log = agent.stderr_text();
  EXPECT_EQ(count(log, kTold), 1) << log;
  EXPECT_EQ(count(log, kGone), 1) << log;
}

INSTANTIATE_TEST_SUITE_P(Kernels, SteppedUnmanagedPods,
                         testing::Values(FakeNode::Kernel::v1, FakeNode::Kernel::v2), kernel_name);

}  // namespace
}  // namespace evenkeel::test
