// The program as a black box: suppression by CPU sets.
#include <gtest/gtest.h>

#include "qos/cpu_set.h"
#include "tests/support/fake_node.h"
#include "tests/support/stepped_agent.h"

namespace evenkeel::test {
namespace {

using namespace evenkeel::literals;
using Kernel = FakeNode::Kernel;

struct Scene {
  explicit Scene(Kernel kernel) : node(16, kernel) {
    service = node.host.pod(KubeQos::burstable, "11111111-1111-1111-1111-111111111111", {"aaa"});
    batch = node.host.pod(KubeQos::besteffort, "22222222-2222-2222-2222-222222222222", {"bbb", "ccc"});
    slo = node.text_file("nodeslo.yaml",
                         "resourceUsedThresholdWithBE: {enable: true}\n");  // the default policy
  }
  std::string cpus(const std::string& cgroup) const {
    const std::string text = node.host.read(Controller::cpuset, cgroup, "cpuset.cpus");
    return text.substr(0, text.find('\n'));
  }
  std::size_t count(const std::string& cgroup) const {
    return CpuSet::parse(cpus(cgroup)).value_or(CpuSet{}).size();
  }
  std::vector<std::string> best_effort() const {
    return {node.besteffort(), batch, batch + "/bbb", batch + "/ccc"};
  }
  Step second(SteppedAgent& agent) {
    node.run(std::chrono::seconds(1));
    return agent.advance("1s");
  }
  SteppedAgent start() {
    return SteppedAgent({"--host-root", node.host.root(), "--nodeslo", slo, "--pods", "cgroup", "--state-dir",
                         node.state_dir()});
  }
  FakeNode node;
  std::string service, batch, slo;
};

class SteppedCpuset : public testing::TestWithParam<Kernel> {};

// 65 % of 16 CPUs are 10.4; services use 6, so 4.4 are left: five whole CPUs.
TEST_P(SteppedCpuset, NarrowsBestEffortAndPutsTheSetsBack) {
  Scene scene(GetParam());
  std::vector<std::string> before;
  for (const auto& cgroup : scene.best_effort()) before.push_back(scene.cpus(cgroup));
  const std::string services_before = scene.cpus(scene.service);
  scene.node.uses(scene.service + "/aaa", 6000_mcpu);
  auto agent = scene.start();
  scene.second(agent);
  scene.second(agent);
  for (const auto& cgroup : scene.best_effort()) {
    EXPECT_EQ(scene.count(cgroup), 5U) << cgroup;
    EXPECT_EQ(scene.cpus(cgroup), scene.cpus(scene.node.besteffort()));
  }
  EXPECT_EQ(scene.cpus(scene.service), services_before) << "services are not touched";
  agent.quit();
  std::vector<std::string> after;
  for (const auto& cgroup : scene.best_effort()) after.push_back(scene.cpus(cgroup));
  EXPECT_EQ(after, before);
}

TEST_P(SteppedCpuset, OnV1NarrowsChildrenFirstAndWidensParentsFirst) {
  if (GetParam() == Kernel::v2) GTEST_SKIP() << "v2 takes any order";
  Scene scene(GetParam());
  scene.node.uses(scene.service + "/aaa", 6000_mcpu);
  auto agent = scene.start();
  scene.second(agent);
  const Step narrow = scene.second(agent);
  ASSERT_EQ(narrow.writes.size(), 4U) << narrow.line;
  EXPECT_TRUE(narrow.writes.back().path.ends_with("besteffort/cpuset.cpus")) << narrow.line;
  scene.node.uses(scene.service + "/aaa", 0_mcpu);
  Step wide;
  for (int i = 0; i < 30 && wide.writes.empty(); ++i) wide = scene.second(agent);
  ASSERT_EQ(wide.writes.size(), 4U) << wide.line;
  EXPECT_TRUE(wide.writes.front().path.ends_with("besteffort/cpuset.cpus")) << wide.line;
}

TEST_P(SteppedCpuset, NeverLessThanTwoCpus) {
  Scene scene(GetParam());
  scene.node.uses(scene.service + "/aaa", 16000_mcpu);
  auto agent = scene.start();
  for (int i = 0; i < 5; ++i) scene.second(agent);
  for (const auto& cgroup : scene.best_effort()) EXPECT_EQ(scene.count(cgroup), 2U) << cgroup;
}

TEST_P(SteppedCpuset, AContainerBornInNarrowTimesIsWideAgainAfterwards) {
  Scene scene(GetParam());
  scene.node.uses(scene.service + "/aaa", 6000_mcpu);
  auto agent = scene.start();
  scene.second(agent);
  scene.second(agent);
  const std::string narrow = scene.cpus(scene.batch);
  // The runtime copies its parent's set into a new container's directory on v1.
  const std::string late = scene.node.host.container(scene.batch, "ddd");
  scene.node.host.write(Controller::cpuset, late, "cpuset.cpus",
                        GetParam() == Kernel::v1 ? narrow + "\n" : "\n");
  for (int i = 0; i < 3; ++i) scene.second(agent);
  scene.node.uses(scene.service + "/aaa", 1000_mcpu);  // more room: the new container has to follow
  for (int i = 0; i < 30; ++i) scene.second(agent);
  EXPECT_EQ(scene.cpus(late), scene.cpus(scene.batch));
  agent.quit();
  EXPECT_EQ(scene.cpus(late), scene.cpus(scene.batch)) << "no narrower than its pod";
}

INSTANTIATE_TEST_SUITE_P(Kernels, SteppedCpuset, testing::Values(Kernel::v1, Kernel::v2),
                         [](const auto& kernel) { return kernel.param == Kernel::v1 ? "v1" : "v2"; });

}  // namespace
}  // namespace evenkeel::test
