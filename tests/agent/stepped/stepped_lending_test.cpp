// Tests the program as a black box: what it would advertise, from the node's files. The worked example of
// Koordinator's own tests: 100 CPUs and 120 GiB; the system uses 7 and 12, services 33 and 33.
#include <gtest/gtest.h>

#include <set>

#include "tests/support/agents/stepped_node.h"

namespace evenkeel::test {
namespace {

using namespace evenkeel::literals;

constexpr const char* kLends =
    "extensions:\n  colocation:\n    enable: true\n    cpuReclaimThresholdPercent: 65\n"
    "    memoryReclaimThresholdPercent: 65\n";
constexpr std::int64_t kGiB = std::int64_t{1} << 30;

std::string pod_json(const std::string& uid, const std::string& labels, const char* qos, int request) {
  const auto amount = std::to_string(request);
  return R"({"metadata":{"name":")" + uid + R"(","namespace":"n","uid":")" + uid + R"(","labels":{)" +
         labels + R"(}},"spec":{"containers":[{"name":"c","resources":{"requests":{"cpu":")" + amount +
         R"(","memory":")" + amount + R"(Gi"}}}]},"status":{"phase":"Running","qosClass":")" + qos + R"("}})";
}

class SteppedLending : public testing::TestWithParam<FakeNode::Kernel> {
 protected:
  SteppedLending() {
    pod("a-1", KubeQos::burstable, 11);
    pod("b-1", KubeQos::besteffort, 10);
    pod("c-1", KubeQos::burstable, 22);
    node.system_uses(7000_mcpu);
    memory_use(12 + 11 + 10 + 22);
    pods = node.pod_list(R"({"kind":"PodList","apiVersion":"v1","items":[)" +
                         pod_json("a-1", R"("koordinator.sh/qosClass":"LS")", "Burstable", 20) + "," +
                         pod_json("b-1", R"("koordinator.sh/qosClass":"BE")", "BestEffort", 0) + "," +
                         pod_json("c-1", "", "Burstable", 20) + "]}");
  }
  void pod(const std::string& uid, KubeQos qos, int amount) {
    const auto path = node.host.pod(qos, uid, {"main"});
    node.uses(path + "/main", MilliCpu(amount * 1000));
    const auto bytes = std::to_string(amount * kGiB);
    const bool v1 = GetParam() == FakeNode::Kernel::v1;
    const std::string total = v1 ? "total_" : "";
    node.host.write(Controller::memory, path, "memory.stat",
                    total + (v1 ? "cache" : "file") + " 0\n" + total + (v1 ? "rss " : "anon ") + bytes +
                        "\n" + total + "inactive_file 0\n" + total + "active_file 0\n" + total +
                        "inactive_anon 0\n" + total + "active_anon " + bytes + "\n" + total +
                        "unevictable 0\n");
  }
  void memory_use(int gib) {
    const auto kib = [](int amount) { return std::to_string(amount * kGiB / 1024) + " kB\n"; };
    node.host.file("proc/meminfo",
                   "MemTotal: " + kib(120) + "MemFree: " + kib(1) + "MemAvailable: " + kib(120 - gib));
  }
  /// The number, "null" for a null, "" when absent.
  static std::string reported(const Step& step, const char* name) {
    const auto* report = step.json.find("report");
    if (report == nullptr || report->null()) return report == nullptr ? "" : "null";
    const auto* value = report->find(name);
    if (value == nullptr) return "";
    return value->null() ? "null" : value->scalar()->text;
  }
  SteppedNode node{100, GetParam(), kLends};
  std::string pods{};
};

TEST_P(SteppedLending, AdvertisesWhatServicesAndTheSystemLeave) {
  SteppedAgent agent(node.args(pods));
  EXPECT_EQ(reported(node.second(agent), "batch-cpu"), "null") << "a first look has no rates";
  const Step step = node.second(agent);
  EXPECT_EQ(reported(step, "batch-cpu"), "25000") << step.line;
  EXPECT_EQ(reported(step, "batch-memory"), std::to_string(33 * kGiB)) << step.line;
  EXPECT_EQ(reported(step, "mid-cpu"), "0") << step.line;
  EXPECT_EQ(reported(step, "mid-memory"), "0") << step.line;
}

TEST_P(SteppedLending, CountsCpusByTheTableOfModels) {
  node.host.file("proc/cpuinfo", "processor\t: 0\nmodel name\t: Fast CPU\n");
  node.configure(kLends +
                 std::string("  evenkeel: {cpuNormalization: auto, cpuNormalizationModels: {ratioModel: "
                             "{Fast CPU: {baseRatio: 1.2}}}}\n"));
  SteppedAgent agent(node.args(pods));
  node.second(agent);
  const Step step = node.second(agent);
  EXPECT_EQ(reported(step, "batch-cpu"), "30000") << step.line;
  EXPECT_EQ(reported(step, "batch-memory"), std::to_string(33 * kGiB)) << step.line;
}

/// A small change is advertised when a renewal is due (updateTimeThresholdSeconds), as outside of stepped
/// mode: answers in between do not postpone it.
TEST_P(SteppedLending, RenewsSmallChangesWhenTheIntervalIsOver) {
  node.configure(std::string(kLends) +
                 "    updateTimeThresholdSeconds: 30\n    metricAggregateDurationSeconds: 5\n");
  SteppedAgent agent(node.args(pods));
  ASSERT_EQ(reported(node.seconds(2, agent), "batch-cpu"), "25000");
  node.system_uses(8000_mcpu);  // 4 % less: below resourceDiffThreshold
  EXPECT_EQ(reported(node.seconds(20, agent), "batch-cpu"), "25000");
  EXPECT_EQ(reported(node.seconds(15, agent), "batch-cpu"), "24000");
}

TEST_P(SteppedLending, IsSilentWhereColocationIsOff) {
  node.configure("cpuBurstStrategy: {policy: none}\n");
  SteppedAgent agent(node.args(pods));
  EXPECT_EQ(reported(node.seconds(3, agent), "batch-cpu"), "null");
}

TEST_P(SteppedLending, TheNodesAnnotationAndReservationCount) {
  auto args = node.args(pods);
  args.insert(args.end(),
              {"--node", node.extra("node.yaml",
                                    "metadata:\n  name: n\n  annotations:\n"
                                    "    node.koordinator.sh/reservation: '{\"reservedCPUs\":\"0-19\"}'\n"
                                    "    node.koordinator.sh/colocation-strategy: "
                                    "'{\"memoryReclaimThresholdPercent\":50}'\n"
                                    "status:\n  capacity: {cpu: 100, memory: 120Gi}\n"
                                    "  allocatable: {cpu: 100, memory: 120Gi}\n")});
  SteppedAgent agent(args);
  const Step step = node.seconds(2, agent);
  EXPECT_EQ(reported(step, "batch-cpu"), "12000") << step.line;  // 20 reserved instead of 7 used
  EXPECT_EQ(reported(step, "batch-memory"), std::to_string(15 * kGiB)) << step.line;
}

/// A kubelet that restarts would fail a pod that it has started; eviction compares with what can be lent.
TEST_P(SteppedLending, NeverAdvertisesLessThanStartedPodsRequestAndEvictsThem) {
  node.configure(std::string(kLends) +
                 "  evenkeel: {featureGates: {CPUAllocatableEvict: true}}\n"
                 "resourceUsedThresholdWithBE: {enable: true, cpuSuppressThresholdPercent: 100, "
                 "cpuAllocatableEvictThresholdPercent: 110, cpuAllocatableEvictLowerPercent: 100, "
                 "allocatableEvictPriorityThreshold: 7999}\n");
  node.host.pod(KubeQos::besteffort, "d-1", {"main"});
  const std::string oversold =
      R"({"metadata":{"name":"d-1","namespace":"n","uid":"d-1","labels":{"koordinator.sh/qosClass":"BE",)"
      R"("koordinator.sh/eviction-enabled":"true"}},"spec":{"priority":5500,"containers":[{"name":"c","resources":)"
      R"({"requests":{"kubernetes.io/batch-cpu":"60000"},"limits":{"kubernetes.io/batch-cpu":"60000"}}}]},)"
      R"("status":{"phase":"Running","qosClass":"BestEffort"}})";
  pods = node.pod_list(R"({"kind":"PodList","apiVersion":"v1","items":[)" +
                       pod_json("a-1", R"("koordinator.sh/qosClass":"LS")", "Burstable", 20) + "," +
                       pod_json("b-1", R"("koordinator.sh/qosClass":"BE")", "BestEffort", 0) + "," +
                       pod_json("c-1", "", "Burstable", 20) + "," + oversold + "]}");
  auto args = node.args(pods);
  const std::string shown =
      "metadata: {name: n}\nstatus: {capacity: {cpu: 100, memory: 120Gi}, allocatable: "
      "{cpu: 100, memory: 120Gi, kubernetes.io/batch-cpu: ";
  args.insert(args.end(), {"--node", node.extra("node.yaml", shown + "\"60000\"}}\n")});
  SteppedAgent agent(args);
  Step step = node.seconds(2, agent);
  EXPECT_EQ(reported(step, "batch-cpu"), "60000") << step.line;
  EXPECT_NE(agent.explain().find("started pods request"), std::string::npos) << agent.explain();
  for (int second = 0; second < 30 && step.line.find("batch-cpu-evict") == std::string::npos; ++second)
    step = node.second(agent);
  EXPECT_NE(step.line.find("batch-cpu-evict"), std::string::npos) << step.line;
}

// The average falls from 25 CPUs to 20 within 100 s; what is advertised follows in steps of 10 %.
TEST_P(SteppedLending, FollowsTheWindowAverageInSteps) {
  SteppedAgent agent(node.args(pods));
  node.seconds(101, agent);
  node.system_uses(17000_mcpu);
  std::set<std::string> seen;
  for (int second = 0; second < 100; ++second) seen.insert(reported(node.second(agent), "batch-cpu"));
  EXPECT_EQ(seen.size(), 3U) << testing::PrintToString(seen);
  EXPECT_EQ(seen.rbegin()->substr(0, 5), "25000");
  EXPECT_NEAR(std::stod(*seen.begin()), 20000, 2000);
  EXPECT_NE(agent.explain().find("\"name\":\"margin\""), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Kernels, SteppedLending, testing::Values(FakeNode::Kernel::v1, FakeNode::Kernel::v2),
                         kernel_name);

}  // namespace
}  // namespace evenkeel::test
