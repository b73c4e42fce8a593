// The program as a black box: a fake node, the stepped mode, and the files afterwards. CPU suppression.
#include <gtest/gtest.h>

#include <filesystem>
#include <random>

#include "tests/support/fake_node.h"
#include "tests/support/stepped_agent.h"

namespace evenkeel::test {
namespace {

using namespace evenkeel::literals;
using Kernel = FakeNode::Kernel;

constexpr const char* kQuotaPolicy =
    "resourceUsedThresholdWithBE:\n  enable: true\n  cpuSuppressThresholdPercent: 65\n  cpuSuppressPolicy: "
    "cfsQuota\n";

struct Scene {
  explicit Scene(Kernel kernel, const std::string& nodeslo = kQuotaPolicy) : node(16, kernel) {
    service = node.host.pod(KubeQos::burstable, "11111111-1111-1111-1111-111111111111", {"aaa"});
    batch = node.host.pod(KubeQos::besteffort, "22222222-2222-2222-2222-222222222222", {"bbb"});
    slo = node.text_file("nodeslo.yaml", nodeslo);
  }
  std::vector<std::string> args(std::vector<std::string> more = {}) const {
    std::vector<std::string> all{"--host-root", node.host.root(), "--nodeslo",   slo,
                                 "--pods",      "cgroup",         "--state-dir", node.state_dir()};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  Step second(SteppedAgent& agent) {
    node.run(std::chrono::seconds(1));
    return agent.advance("1s");
  }
  FakeNode node;
  std::string service, batch, slo;
};

class SteppedSuppress : public testing::TestWithParam<Kernel> {};

// 65 % of 16 CPUs are 10.4; services use 6.25, the system 1: best effort gets 3.15 CPUs.
TEST_P(SteppedSuppress, GivesBestEffortWhatIsLeftAndTakesItBackAtTheEnd) {
  Scene scene(GetParam());
  const std::string before = scene.node.quota_of(scene.node.besteffort());
  scene.node.uses(scene.service + "/aaa", 6250_mcpu);
  scene.node.uses(scene.batch + "/bbb", 2000_mcpu);
  scene.node.system_uses(1000_mcpu);
  SteppedAgent agent(scene.args());
  EXPECT_TRUE(scene.second(agent).writes.empty()) << "a first look has no rates: nothing may be written";
  const Step step = scene.second(agent);
  ASSERT_EQ(step.writes.size(), 1U) << step.line;
  EXPECT_EQ(step.writes[0].by, "cpu-suppress");
  EXPECT_EQ(scene.node.quota_of(scene.node.besteffort()), "315000");
  EXPECT_NE(step.writes[0].why.find("6.25"), std::string::npos) << step.writes[0].why;
  EXPECT_TRUE(scene.second(agent).writes.empty()) << "a value that holds is not written again";
  const Step last = agent.quit();
  ASSERT_EQ(last.writes.size(), 1U) << last.line;
  EXPECT_EQ(scene.node.quota_of(scene.node.besteffort()), before);
  EXPECT_EQ(agent.exit_status(), 0);
}

TEST_P(SteppedSuppress, CutsBestEffortInTheTickInWhichServicesRise) {
  Scene scene(GetParam());
  scene.node.uses(scene.service + "/aaa", 2000_mcpu);
  SteppedAgent agent(scene.args());
  scene.second(agent);
  scene.second(agent);
  EXPECT_EQ(scene.node.quota_of(scene.node.besteffort()), "840000");
  scene.node.uses(scene.service + "/aaa", 8000_mcpu);
  scene.second(agent);
  EXPECT_EQ(scene.node.quota_of(scene.node.besteffort()), "240000");
}

TEST_P(SteppedSuppress, DoesNotJitterWithTwoPercentNoise) {
  Scene scene(GetParam());
  SteppedAgent agent(scene.args());
  std::mt19937 random(7);
  std::uniform_int_distribution<int> noise(-320, 320);  // +-2 % of 16 CPUs
  scene.node.uses(scene.service + "/aaa", 6000_mcpu);
  for (int i = 0; i < 15; ++i) scene.second(agent);
  std::vector<int> changes;
  for (int second = 0; second < 200; ++second) {
    scene.node.uses(scene.service + "/aaa", MilliCpu(6000 + noise(random)));
    if (!scene.second(agent).writes.empty()) changes.push_back(second);
  }
  for (std::size_t i = 1; i < changes.size(); ++i)
    EXPECT_GE(changes[i] - changes[i - 1], 10) << "at second " << changes[i];
}

TEST_P(SteppedSuppress, KeepsAValueThatItsOwnerWroteAfterwards) {
  Scene scene(GetParam());
  scene.node.uses(scene.service + "/aaa", 6000_mcpu);
  SteppedAgent agent(scene.args());
  scene.second(agent);
  scene.second(agent);
  const bool v1 = GetParam() == Kernel::v1;
  scene.node.host.write(Controller::cpu, scene.node.besteffort(), v1 ? "cpu.cfs_quota_us" : "cpu.max",
                        v1 ? "777000\n" : "777000 100000\n");
  for (int i = 0; i < 30; ++i) scene.second(agent);
  EXPECT_EQ(scene.node.quota_of(scene.node.besteffort()), "777000") << "not fought for within a minute";
  agent.quit();
  EXPECT_EQ(scene.node.quota_of(scene.node.besteffort()), "777000") << "not restored over";
}

TEST_P(SteppedSuppress, RestoresAfterKillMinusNine) {
  Scene scene(GetParam());
  const std::string before = scene.node.quota_of(scene.node.besteffort());
  scene.node.uses(scene.service + "/aaa", 6000_mcpu);
  {
    SteppedAgent agent(scene.args());
    scene.second(agent);
    scene.second(agent);
    ASSERT_NE(scene.node.quota_of(scene.node.besteffort()), before);
    agent.kill();
  }
  const Ran restored =
      run_evenkeel({"restore", "--host-root", scene.node.host.root(), "--state-dir", scene.node.state_dir()});
  EXPECT_EQ(restored.exit_status, 0) << restored.err;
  EXPECT_EQ(scene.node.quota_of(scene.node.besteffort()), before);
}

TEST_P(SteppedSuppress, DisablingIsUndoing) {
  Scene scene(GetParam());
  const std::string before = scene.node.quota_of(scene.node.besteffort());
  scene.node.uses(scene.service + "/aaa", 6000_mcpu);
  SteppedAgent agent(scene.args());
  scene.second(agent);
  scene.second(agent);
  ASSERT_NE(scene.node.quota_of(scene.node.besteffort()), before);
  scene.node.text_file("nodeslo.yaml", "resourceUsedThresholdWithBE: {enable: false}\n");
  const Step step = scene.second(agent);
  EXPECT_EQ(scene.node.quota_of(scene.node.besteffort()), before) << step.line;
}

TEST_P(SteppedSuppress, ABadConfigurationChangesNothingAndSaysWhere) {
  Scene scene(GetParam());
  scene.node.uses(scene.service + "/aaa", 6000_mcpu);
  SteppedAgent agent(scene.args());
  scene.second(agent);
  scene.second(agent);
  const std::string held = scene.node.quota_of(scene.node.besteffort());
  scene.node.text_file("nodeslo.yaml",
                       "resourceUsedThresholdWithBE:\n  enable: true\n  cpuSuppressThresholdPercent: 165\n");
  const Step step = scene.second(agent);
  ASSERT_EQ(step.errors.size(), 1U) << step.line;
  EXPECT_NE(step.errors[0].find("nodeslo.yaml:3:"), std::string::npos) << step.errors[0];
  EXPECT_NE(step.errors[0].find("cpuSuppressThresholdPercent"), std::string::npos) << step.errors[0];
  EXPECT_EQ(scene.node.quota_of(scene.node.besteffort()), held);
}

TEST_P(SteppedSuppress, DryRunWritesNothing) {
  Scene scene(GetParam());
  const std::string before = scene.node.quota_of(scene.node.besteffort());
  scene.node.uses(scene.service + "/aaa", 6000_mcpu);
  SteppedAgent agent(scene.args({"--dry-run"}));
  scene.second(agent);
  const Step step = scene.second(agent);
  EXPECT_TRUE(step.writes.empty());
  EXPECT_NE(step.line.find("\"would_write\":[{"), std::string::npos) << step.line;
  EXPECT_EQ(scene.node.quota_of(scene.node.besteffort()), before);
  EXPECT_FALSE(std::filesystem::exists(scene.node.state_dir() + "/journal"));
}

TEST_P(SteppedSuppress, ExplainsEachValueWithItsNumbers) {
  Scene scene(GetParam());
  scene.node.uses(scene.service + "/aaa", 6250_mcpu);
  SteppedAgent agent(scene.args());
  scene.second(agent);
  scene.second(agent);
  const std::string explained = agent.explain();
  EXPECT_NE(explained.find("\"policy\":\"cpu-suppress\""), std::string::npos) << explained;
  EXPECT_NE(explained.find("6.25"), std::string::npos) << explained;
  const std::string metrics = agent.metrics();
  EXPECT_NE(metrics.find("evenkeel_managed_values 1"), std::string::npos) << metrics;
}

INSTANTIATE_TEST_SUITE_P(Kernels, SteppedSuppress, testing::Values(Kernel::v1, Kernel::v2),
                         [](const auto& kernel) { return kernel.param == Kernel::v1 ? "v1" : "v2"; });

}  // namespace
}  // namespace evenkeel::test
