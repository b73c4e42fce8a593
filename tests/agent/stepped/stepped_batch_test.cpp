// Tests the program as a black box: pods that use batch resources, and settings of the machine itself.
#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/agents/stepped_node.h"

namespace evenkeel::test {
namespace {

using Kernel = FakeNode::Kernel;

constexpr const char* kUid = "11111111-1111-1111-1111-111111111111";

/// One batch pod: requests half a CPU, limited to two CPUs and 1 GiB of memory.
std::string pods(const char* container_cpu = "500", const char* cpu_limit = "2k") {
  const std::string lent = "kubernetes.io/batch-cpu: \"" + std::string(container_cpu) +
                           "\", kubernetes.io/batch-memory: 512Mi}, limits: {kubernetes.io/batch-cpu: \"" +
                           cpu_limit + "\", kubernetes.io/batch-memory: 1Gi}";
  return "items: [{metadata: {uid: " + std::string(kUid) +
         ", namespace: jobs, name: train, labels: {koordinator.sh/qosClass: BE}}, spec: {containers: "
         "[{name: a, resources: {requests: {" +
         lent +
         "}}]}, status: {phase: Running, qosClass: BestEffort, containerStatuses: [{name: a, containerID: "
         "'containerd://aaa', state: {running: {}}}]}}]\n";
}

class SteppedBatch : public testing::TestWithParam<Kernel> {
 protected:
  SteppedBatch() : pod(node.host.pod(KubeQos::besteffort, kUid, {"aaa"})), container(pod + "/aaa") {
    for (const auto& cgroup : {pod, container})
      node.host.write(Controller::cpu, cgroup, shares_file(), std::string(fewest()) + "\n");
  }
  [[nodiscard]] bool v2() const { return GetParam() == Kernel::v2; }
  [[nodiscard]] const char* shares_file() const { return v2() ? "cpu.weight" : "cpu.shares"; }
  [[nodiscard]] const char* quota_file() const { return v2() ? "cpu.max" : "cpu.cfs_quota_us"; }
  [[nodiscard]] const char* limit_file() const { return v2() ? "memory.max" : "memory.limit_in_bytes"; }
  [[nodiscard]] const char* fewest() const { return v2() ? "1" : "2"; }
  [[nodiscard]] std::string shares(const std::string& c) const {
    return node.setting(Controller::cpu, c, shares_file());
  }
  [[nodiscard]] std::string quota(const std::string& c) const {
    return node.setting(Controller::cpu, c, quota_file());
  }
  [[nodiscard]] std::string limit(const std::string& c) const {
    return node.setting(Controller::memory, c, limit_file());
  }
  void expect_as_the_kubelet_left_it() const {
    for (const auto& cgroup : {pod, container}) {
      EXPECT_EQ(shares(cgroup), fewest()) << cgroup;
      EXPECT_EQ(quota(cgroup), v2() ? "max 100000" : "-1") << cgroup;
      EXPECT_EQ(limit(cgroup), v2() ? "max" : "9223372036854771712") << cgroup;
    }
  }
  SteppedNode node{16, GetParam(), "{}\n"};
  std::string pod, container;
};

TEST_P(SteppedBatch, GetsItsSharesQuotaAndMemoryLimitAndIsRestored) {
  SteppedAgent agent(node.args(node.pod_list(pods())));
  const Step step = agent.advance();
  for (const auto& cgroup : {pod, container}) {
    EXPECT_EQ(shares(cgroup), v2() ? "20" : "512") << step.line;
    EXPECT_EQ(quota(cgroup), v2() ? "200000 100000" : "200000") << step.line;
    EXPECT_EQ(limit(cgroup), "1073741824") << step.line;
  }
  EXPECT_NE(agent.advance().line.find("\"writes\":[]"), std::string::npos);
  node.configure("extensions: {evenkeel: {batchResources: false}}\n");
  agent.advance();
  expect_as_the_kubelet_left_it();
  node.configure("{}\n");
  agent.advance();
  EXPECT_EQ(limit(pod), "1073741824");
  agent.quit();
  expect_as_the_kubelet_left_it();
}

TEST_P(SteppedBatch, OnV1ANarrowBesteffortQuotaLimitsItAndIsRestored) {
  node.configure(
      "resourceUsedThresholdWithBE: {enable: true, cpuSuppressPolicy: cfsQuota, cpuSuppressThresholdPercent: "
      "5}\n");
  SteppedAgent agent(node.args(node.pod_list(pods())));
  node.seconds(3, agent);
  const auto root = quota(node.host.qos_path(KubeQos::besteffort));
  ASSERT_NE(root, v2() ? "max 100000" : "-1");
  if (v2()) {
    EXPECT_EQ(quota(container), "200000 100000");
  } else {
    EXPECT_LE(std::stol(quota(container)), std::stol(root)) << "v1 takes no child that has more";
  }
  node.configure("{}\n");
  agent.advance();
  EXPECT_EQ(quota(container), v2() ? "200000 100000" : "200000");
  agent.quit();
  expect_as_the_kubelet_left_it();
}
INSTANTIATE_TEST_SUITE_P(Kernels, SteppedBatch, testing::Values(Kernel::v1, Kernel::v2), kernel_name);

// --- the machine itself

class SteppedSystem : public testing::Test {
 protected:
  [[nodiscard]] std::string of_node(const char* name) const {
    std::string text;
    std::getline(std::ifstream(node.host.root() + "/proc/sys/vm/" + name), text);
    return text;
  }
  SteppedNode node{16, Kernel::v2, "systemStrategy: {minFreeKbytesFactor: 100, watermarkScaleFactor: 150}\n"};
};

TEST_F(SteppedSystem, WritesExplainsAndRestores) {
  SteppedAgent agent(node.args());
  const Step step = agent.advance();
  EXPECT_EQ(of_node("watermark_scale_factor"), "150") << step.line;
  EXPECT_NE(of_node("min_free_kbytes"), "67584");
  EXPECT_NE(
      step.line.find(
          R"("path":"proc/sys/vm/watermark_scale_factor","old":"10","new":"150","by":"system-settings")"),
      std::string::npos)
      << step.line;
  EXPECT_NE(agent.advance().line.find("\"writes\":[]"), std::string::npos);
  node.configure("systemStrategy: {watermarkScaleFactor: 150}\n");
  agent.advance();
  EXPECT_EQ(of_node("min_free_kbytes"), "67584");
  agent.quit();
  EXPECT_EQ(of_node("watermark_scale_factor"), "10");
}

TEST_F(SteppedSystem, ACrashIsRestoredFromTheJournal) {
  {
    SteppedAgent agent(node.args());
    agent.advance();
    agent.kill();
  }
  EXPECT_EQ(of_node("watermark_scale_factor"), "150");
  EXPECT_EQ(node.restore().exit_status, 0);
  EXPECT_EQ(of_node("watermark_scale_factor"), "10");
  EXPECT_EQ(of_node("min_free_kbytes"), "67584");
}

TEST_F(SteppedSystem, AnAdministratorsValueStays) {
  SteppedAgent agent(node.args());
  agent.advance();
  std::ofstream(node.host.root() + "/proc/sys/vm/watermark_scale_factor") << "200\n";
  node.seconds(12, agent);
  agent.quit();
  EXPECT_EQ(of_node("watermark_scale_factor"), "200");
  EXPECT_EQ(of_node("min_free_kbytes"), "67584");
}

}  // namespace
}  // namespace evenkeel::test
