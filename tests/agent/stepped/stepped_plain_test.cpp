// Tests the program as a black box on a plain machine: no kubelet, a service and batch work as systemd
// services.
#include <gtest/gtest.h>

#include "tests/support/agents/stepped_node.h"

namespace evenkeel::test {
namespace {

using namespace evenkeel::literals;
using Kernel = FakeNode::Kernel;

constexpr const char* kDatabase = "system.slice/postgresql.service";
constexpr const char* kBatch = "system.slice/transcode.service";
constexpr const char* kApplications = R"(
hostApplications:
- {name: database, qos: LS, cgroupPath: {base: CgroupRoot, parentDir: system.slice, relativePath: postgresql.service}}
- {name: transcode, qos: BE, cgroupPath: {base: CgroupRoot, parentDir: system.slice, relativePath: transcode.service}}
)";

std::string suppression(const std::string& policy) {
  return "resourceUsedThresholdWithBE: {enable: true, cpuSuppressThresholdPercent: 65, cpuSuppressPolicy: " +
         policy + "}" + kApplications;
}

class SteppedPlain : public testing::TestWithParam<Kernel> {
 protected:
  SteppedPlain() {
    node.host.cgroup(kDatabase).cgroup(kBatch);
    node.uses(kDatabase, 6000_mcpu);
    node.uses(kBatch, 9000_mcpu);
    node.system_uses(400_mcpu);
  }
  SteppedAgent start(const std::string& nodeslo, const std::string& pods = "auto") {
    node.configure(nodeslo);
    return SteppedAgent(node.args(pods));
  }
  Step second(SteppedAgent& agent) { return node.second(agent); }
  [[nodiscard]] bool v1() const { return GetParam() == Kernel::v1; }
  void owner_limits(const std::string& quota) {
    node.host.write(Controller::cpu, kBatch, v1() ? "cpu.cfs_quota_us" : "cpu.max",
                    v1() ? quota + "\n" : quota + " 100000\n");
  }
  std::string unlimited() const { return v1() ? "-1" : "max"; }
  SteppedNode node{16, GetParam(), "", false};
};

// 65 % of 16 CPUs are 10.4; the database uses 6, the system 0.4: batch gets 4 CPUs.
TEST_P(SteppedPlain, BatchServicesGetTheRestAndTheirOriginalBack) {
  for (const char* policy : {"cfsQuota", "cpuset"}) {
    auto agent = start(suppression(policy));
    EXPECT_TRUE(second(agent).writes.empty()) << "a first look has no rates";
    const Step step = second(agent);
    ASSERT_EQ(step.writes.size(), 1U) << step.line;
    EXPECT_EQ(step.writes[0].by, "cpu-suppress");
    EXPECT_EQ(node.quota_of(kBatch), "400000") << step.line;
    EXPECT_EQ(node.quota_of(kDatabase), unlimited());
    agent.quit();
    EXPECT_EQ(node.quota_of(kBatch), unlimited());
  }
}

TEST_P(SteppedPlain, CutsInTheTickInWhichTheServiceRisesAndUndoesWhenDisabled) {
  auto agent = start(suppression("cfsQuota"), "none");
  second(agent);
  second(agent);
  node.uses(kBatch, 4000_mcpu);
  node.uses(kDatabase, 8000_mcpu);
  second(agent);
  EXPECT_EQ(node.quota_of(kBatch), "200000");
  node.uses(kDatabase, 16000_mcpu);
  second(agent);
  EXPECT_EQ(node.quota_of(kBatch), "2000");
  node.configure(kApplications);
  second(agent);
  EXPECT_EQ(node.quota_of(kBatch), unlimited());
}

TEST_P(SteppedPlain, AnOwnersLimitIsNeverExceededAndItsLatestValueStays) {
  owner_limits("150000");
  auto agent = start(suppression("cfsQuota"));
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(second(agent).writes.empty()) << "his limit is less than 4 CPUs";
  node.uses(kDatabase, 9000_mcpu);
  second(agent);
  EXPECT_EQ(node.quota_of(kBatch), "100000");
  owner_limits("50000");
  for (int i = 0; i < 100; ++i) second(agent);
  EXPECT_EQ(node.quota_of(kBatch), "50000");
  agent.quit();
  EXPECT_EQ(node.quota_of(kBatch), "50000");
}

TEST_P(SteppedPlain, NodeHandsOffPreventsWrites) {
  auto agent = start(suppression("cfsQuota"));
  second(agent);
  second(agent);
  ASSERT_EQ(node.quota_of(kBatch), "400000");
  node.configure(suppression("cfsQuota") + "extensions: {evenkeel: {handsOff: true}}\n");
  second(agent);
  EXPECT_EQ(node.quota_of(kBatch), unlimited());
  EXPECT_TRUE(second(agent).writes.empty());
}

TEST_P(SteppedPlain, ARestartedBatchServiceIsLimitedInItsFirstTick) {
  auto agent = start(suppression("cfsQuota"));
  second(agent);
  second(agent);
  node.uses(kBatch, 4000_mcpu);
  second(agent);
  ASSERT_EQ(node.quota_of(kBatch), "400000");
  node.host.remove_cgroup(kBatch);
  agent.advance("1s");
  node.host.cgroup(kBatch);
  node.run(std::chrono::seconds(1));
  agent.advance("1s");
  EXPECT_EQ(node.quota_of(kBatch), "400000");
}

INSTANTIATE_TEST_SUITE_P(Kernels, SteppedPlain, testing::Values(Kernel::v1, Kernel::v2),
                         [](const auto& kernel) { return kernel.param == Kernel::v1 ? "v1" : "v2"; });

}  // namespace
}  // namespace evenkeel::test
