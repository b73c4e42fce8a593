// Tests the program as a black box: suppression by cpuset.
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "cgroup/executor/journal.h"
#include "qos/model/topology.h"
#include "tests/support/agents/stepped_node.h"
#include "tests/support/no_growth.h"
#include "tests/support/process.h"

namespace evenkeel::test {
namespace {

using namespace evenkeel::literals;
using Kernel = FakeNode::Kernel;

/// The default suppression policy; two best-effort containers.
struct CpusetNode : TwoPods {
  explicit CpusetNode(Kernel kernel)
      : TwoPods(kernel, "resourceUsedThresholdWithBE: {enable: true, cpuSuppressPolicy: cpuset}\n", {"aaa"},
                {"bbb", "ccc"}) {}
  std::string cpus(const std::string& cgroup) const {
    return setting(Controller::cpuset, cgroup, "cpuset.cpus");
  }
  std::size_t count(const std::string& cgroup) const {
    return CpuSet::parse(cpus(cgroup)).value_or(CpuSet{}).size();
  }
  std::vector<std::string> best_effort() const {
    return {besteffort(), batch, batch + "/bbb", batch + "/ccc"};
  }
};

class SteppedCpuset : public testing::TestWithParam<Kernel> {
 protected:
  CpusetNode node{GetParam()};
};

// 65 % of 16 CPUs are 10.4; services use 6, so 4.4 are left: five whole CPUs.
TEST_P(SteppedCpuset, NarrowsBestEffortAndRestoresTheSets) {
  std::vector<std::string> before;
  for (const auto& cgroup : node.best_effort()) before.push_back(node.cpus(cgroup));
  const std::string services_before = node.cpus(node.service);
  node.service_uses(6000_mcpu);
  SteppedAgent agent(node.args());
  node.seconds(2, agent);
  for (const auto& cgroup : node.best_effort()) {
    EXPECT_EQ(node.count(cgroup), 5U) << cgroup;
    EXPECT_EQ(node.cpus(cgroup), node.cpus(node.besteffort()));
  }
  EXPECT_EQ(node.cpus(node.service), services_before) << "services are not touched";
  agent.quit();
  std::vector<std::string> after;
  for (const auto& cgroup : node.best_effort()) after.push_back(node.cpus(cgroup));
  EXPECT_EQ(after, before);
}

TEST_P(SteppedCpuset, LeavesOutWhatTheNodeReservesByAmount) {
  auto args = node.args();
  args.insert(args.end(), {"--node", node.extra("node.yaml",
                                                "metadata:\n  name: n\n  annotations:\n"
                                                "    node.koordinator.sh/reservation: "
                                                "'{\"resources\":{\"cpu\":\"1500m\"}}'\n")});
  SteppedAgent agent(args);
  node.seconds(2, agent);
  const auto used = CpuSet::parse(node.cpus(node.batch)).value();
  EXPECT_FALSE(used.contains(0)) << "the first CPU stands for the amount: " << used.text();
  EXPECT_FALSE(used.empty());
}

TEST_P(SteppedCpuset, OnV1NarrowsChildrenFirstAndWidensParentsFirst) {
  if (GetParam() == Kernel::v2) GTEST_SKIP() << "v2 takes any order";
  node.service_uses(6000_mcpu);
  SteppedAgent agent(node.args());
  node.second(agent);
  const Step narrow = node.second(agent);
  ASSERT_EQ(narrow.writes.size(), 4U) << narrow.line;
  EXPECT_TRUE(narrow.writes.back().path.ends_with("besteffort/cpuset.cpus")) << narrow.line;
  node.service_uses(0_mcpu);
  Step wide;
  for (int i = 0; i < 30 && wide.writes.empty(); ++i) wide = node.second(agent);
  ASSERT_EQ(wide.writes.size(), 4U) << wide.line;
  EXPECT_TRUE(wide.writes.front().path.ends_with("besteffort/cpuset.cpus")) << wide.line;
}

TEST_P(SteppedCpuset, NeverLessThanTwoCpus) {
  node.service_uses(16000_mcpu);
  SteppedAgent agent(node.args());
  node.seconds(5, agent);
  for (const auto& cgroup : node.best_effort()) EXPECT_EQ(node.count(cgroup), 2U) << cgroup;
}

TEST_P(SteppedCpuset, AContainerCreatedDuringSuppressionIsWidenedAfterwards) {
  node.service_uses(6000_mcpu);
  SteppedAgent agent(node.args());
  node.seconds(2, agent);
  const std::string narrow = node.cpus(node.batch);
  // On v1 the container runtime copies the parent's set into a new container's directory.
  const std::string late = node.host.container(node.batch, "ddd");
  node.host.write(Controller::cpuset, late, "cpuset.cpus", GetParam() == Kernel::v1 ? narrow + "\n" : "\n");
  node.seconds(3, agent);
  node.service_uses(1000_mcpu);  // the set grows: the new container must follow
  node.seconds(30, agent);
  EXPECT_EQ(node.cpus(late), node.cpus(node.batch));
  agent.quit();
  EXPECT_EQ(node.cpus(late), node.cpus(node.batch)) << "no narrower than its pod";
}

/// On cgroup v1 the kubelet and the runtime copy the parent's set into what they make (`late`), and no agent
/// is there to adopt it. `chosen` was there before, with the same set by its owner's choice.
struct DeadAgent : CpusetNode {
  DeadAgent() : CpusetNode(Kernel::v1) {
    for (const auto& cgroup : best_effort()) all.push_back(cpus(cgroup));
    service_uses(6000_mcpu);
    narrow = narrowed();
    EXPECT_EQ(restore().exit_status, 0);
    chosen = host.container(batch, "chosen");
    host.write(Controller::cpuset, chosen, "cpuset.cpus", narrow + "\n");
    EXPECT_EQ(narrowed(), narrow);
    late = {host.container(batch, "late"), host.pod(KubeQos::besteffort, "33333333-3333", {"c1"})};
    late.push_back(late.back() + "/c1");
    for (const auto& cgroup : late) host.write(Controller::cpuset, cgroup, "cpuset.cpus", narrow + "\n");
    other = host.container(batch, "other");
    host.write(Controller::cpuset, other, "cpuset.cpus", "0\n");
  }
  /// Lets an agent narrow best effort and die.
  std::string narrowed() {
    SteppedAgent agent(args());
    seconds(2, agent);
    std::string held = cpus(besteffort());
    agent.kill();
    EXPECT_NE(held, all[0]);
    return held;
  }
  void check_sets() const {
    std::vector<std::string> now;
    for (const auto& cgroup : best_effort()) now.push_back(cpus(cgroup));
    EXPECT_EQ(now, all);
    for (const auto& cgroup : late) EXPECT_EQ(cpus(cgroup), all[0]) << cgroup;
    EXPECT_EQ(cpus(chosen), narrow) << "its owner's choice, and there before";
    EXPECT_EQ(cpus(other), "0") << "its owner's choice";
  }
  std::vector<std::string> all{}, late{};
  std::string narrow{}, chosen{}, other{};
};

TEST(SteppedCpusetOnV1, RestoreWidensPodsThatWereBornAfterADeath) {
  DeadAgent node;
  const Ran restored = node.restore();
  EXPECT_EQ(restored.exit_status, 0) << restored.err;
  node.check_sets();
}

TEST(SteppedCpusetOnV1, TheNextStartWidensPodsThatWereBornAfterADeath) {
  DeadAgent node;
  SteppedAgent agent(node.args());
  const Step last = agent.quit();
  node.check_sets();
  for (const auto& cgroup : node.late)
    EXPECT_EQ(last.written(cgroup + "/cpuset.cpus"), node.all[0]) << last.line;
}

/// Takes the obsolete records out of the journal, so that it has no room for others.
void compact(const SteppedNode& node) {
  const std::string text = text_of_file(node.state_dir() + "/journal");
  const auto boot = text.substr(9, text.find(' ', 9) - 9);  // a line begins with its checksum
  EXPECT_TRUE(executor::Journal::open(node.state_dir(), boot));
}

TEST(SteppedCpusetOnV1, OnAFullDiskRestoreWidensThemToo) {
  DeadAgent node;
  compact(node);
  Ran restored;
  {
    const NoGrowth full(node.state_dir() + "/journal");
    restored = node.restore();
  }
  EXPECT_EQ(restored.exit_status, 1) << "the journal could be brought up to date: nothing is shown";
  node.check_sets();
}

TEST(SteppedCpusetOnV1, OnAFullDiskTheNextStartWidensThemToo) {
  DeadAgent node;
  compact(node);
  std::optional<SteppedAgent> agent;
  {
    const NoGrowth full(node.state_dir() + "/journal");
    agent.emplace(node.args());
  }
  const Step last = agent->quit();
  node.check_sets();
  for (const auto& cgroup : node.late)
    EXPECT_EQ(last.written(cgroup + "/cpuset.cpus"), node.all[0]) << last.line;
}

INSTANTIATE_TEST_SUITE_P(Kernels, SteppedCpuset, testing::Values(Kernel::v1, Kernel::v2), kernel_name);

}  // namespace
}  // namespace evenkeel::test
