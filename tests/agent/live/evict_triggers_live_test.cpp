// Tests every resource eviction trigger on the real kernel: real load and a small Node evict one pod; the
// same load and thresholds on a larger Node evict none. One agent per trigger, all in parallel, since each
// waits 20 s after its start. (Interference: interference_cure_live_test.cpp.)
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>
#include <thread>

#include "qos/eviction/eviction.h"
#include "tests/support/live/live_agent.h"
#include "tests/support/live/live_pod.h"
#include "tests/support/live/memory_hogs.h"
#include "tests/support/process.h"
#include "tests/support/state_dir.h"

namespace evenkeel::test {
namespace {

constexpr std::chrono::seconds kPatience{120};  // many first starts at once under emulation are slow
constexpr const char* kService = "kubepods/burstable/podaaaaaaaa-0000-0000-0000-000000000001/c1";
constexpr const char* kBatch = "kubepods/besteffort/podbbbbbbbb-0000-0000-0000-000000000001/c2";

// Thresholds for all triggers; the Node object decides which are exceeded.
constexpr const char* kThresholds =
    "resourceUsedThresholdWithBE: {enable: true, cpuSuppressPolicy: cfsQuota, cpuSuppressThresholdPercent: "
    "100, cpuSuppressMinPercent: 50, memoryEvictThresholdPercent: 90, cpuEvictThresholdPercent: 5, "
    "evictEnabledPriorityThreshold: 7999, cpuEvictPolicy: evictByAllocatable, "
    "cpuEvictBEUsageThresholdPercent: 2, cpuEvictBESatisfactionLowerPercent: 40, "
    "cpuEvictBESatisfactionUpperPercent: 60, cpuEvictTimeWindowSeconds: 1, "
    "cpuAllocatableEvictThresholdPercent: 100, cpuAllocatableEvictLowerPercent: 90, "
    "memoryAllocatableEvictThresholdPercent: 100, memoryAllocatableEvictLowerPercent: 90, "
    "allocatableEvictPriorityThreshold: 7999}\n";

struct Row {
  std::string_view trigger;
  bool mid;    ///< of priority class mid, else batch
  bool spins;  ///< the trigger depends on its CPU use
};
constexpr Row kRows[] = {
    {"memory-evict", false, false},    {"batch-memory-evict", false, false},
    {"mid-memory-evict", true, false}, {"memory-priority-evict", false, false},
    {"cpu-evict", false, true},        {"batch-cpu-evict", false, false},
    {"mid-cpu-evict", true, false},    {"cpu-priority-evict", false, true},
};

std::int64_t meminfo_bytes(const std::string& key) {
  std::istringstream lines(text_of_file("/proc/meminfo"));
  std::int64_t kib = 0;
  for (std::string word; lines >> word;)
    if (word == key + ":") lines >> kib;
  return kib * 1024;
}

std::string node_object(std::int64_t cpus, std::int64_t memory, std::int64_t lent_cpu,
                        std::int64_t lent_memory) {
  std::ostringstream out;
  out << "kind: Node\nmetadata: {name: here}\nstatus:\n  capacity: {cpu: '" << cpus << "', memory: '"
      << memory << "'}\n  allocatable: {";
  for (const char* tier : {"batch", "mid"})
    out << "kubernetes.io/" << tier << "-cpu: '" << lent_cpu << "', kubernetes.io/" << tier << "-memory: '"
        << lent_memory << "', ";
  out << "pods: '110'}\n";
  return out.str();
}

/// A batch or mid pod that may be evicted and requests more than the small Node offers, and a service.
std::string pod_list(bool mid) {
  const std::string tier = mid ? "mid" : "batch";
  return "items:\n- {metadata: {uid: bbbbbbbb-0000-0000-0000-000000000001, namespace: batch, name: job, "
         "labels: {koordinator.sh/qosClass: BE, koordinator.sh/eviction-enabled: 'true'}}, spec: "
         "{priority: " +
         std::string(mid ? "7500" : "5500") +
         ", terminationGracePeriodSeconds: 20, containers: [{name: a, resources: {requests: {kubernetes.io/" +
         tier + "-cpu: '100000', kubernetes.io/" + tier +
         "-memory: 1Gi}}}]}, status: {phase: Running, qosClass: BestEffort, containerStatuses: [{name: a, "
         "containerID: 'containerd://c2', state: {running: {}}}]}}\n"
         "- {metadata: {uid: aaaaaaaa-0000-0000-0000-000000000001, namespace: shop, name: cart}, spec: "
         "{containers: [{name: a, resources: {requests: {memory: 16Mi}}}]}, status: {phase: Running, "
         "qosClass: Burstable, containerStatuses: [{name: a, containerID: 'containerd://c1', state: "
         "{running: {}}}]}}\n";
}

/// One node below the top directory: two pods, their processes, and an agent.
class Trial {
 public:
  Trial(LiveCgroups& cgroups, const std::string& name, const Row& row, const std::string& gates,
        const std::string& node)
      : batch_(enter(cgroups, name + '/' + kBatch, row.spins ? Manner::spins : Manner::waits)),
        service_(enter(cgroups, name + '/' + kService, Manner::waits)) {
    std::ofstream(dir_.path + "/node.yaml") << node;
    std::ofstream(dir_.path + "/pods.yaml") << pod_list(row.mid);
    std::ofstream(dir_.path + "/nodeslo.yaml")
        << kThresholds << "extensions: {evenkeel: {killWithoutApi: true, batchResources: false, cpusets: "
        << "false, featureGates: {" << gates << "}}}\n";
    agent_ = std::make_unique<LiveAgent>(std::vector<std::string>{
        "--cgroup-root", cgroups.top() + '/' + name, "--nodeslo", dir_.path + "/nodeslo.yaml", "--pods",
        "file:" + dir_.path + "/pods.yaml", "--node", dir_.path + "/node.yaml", "--state-dir",
        dir_.path + "/state", "--listen", "none", "--interval", "250ms"});
  }
  LiveProcess& batch() { return *batch_; }
  LiveProcess& service() { return *service_; }
  LiveAgent& agent() { return *agent_; }

 private:
  static std::unique_ptr<LiveProcess> enter(LiveCgroups& cgroups, const std::string& path, Manner manner) {
    cgroups.make(path);
    return std::make_unique<LiveProcess>(cgroups, path, manner);
  }
  StateDir dir_{};
  std::unique_ptr<LiveProcess> batch_, service_;
  std::unique_ptr<LiveAgent> agent_{};
};

class LiveEvictTriggers : public testing::Test {
 protected:
  void SetUp() override {
    if (!cgroups_.why_not().empty()) GTEST_SKIP() << cgroups_.why_not();
    const char* const long_cases = std::getenv("EVENKEEL_VM_LONG");
    if (long_cases != nullptr && *long_cases == '\0')
      GTEST_SKIP() << "too long for this guest: tests/run vm-newer has the time";
    // The threshold is in the middle of the load's use, to allow for other processes.
    const auto load = std::min<std::int64_t>(std::int64_t{512} << 20, meminfo_bytes("MemAvailable") / 4);
    const auto used = meminfo_bytes("MemTotal") - meminfo_bytes("MemAvailable");
    small_ = node_object(::sysconf(_SC_NPROCESSORS_ONLN), (used + load / 2) * 100 / 90, 1000, 64 << 20);
    large_ = node_object(1000, meminfo_bytes("MemTotal") * 100, 1'000'000, std::int64_t{1} << 40);
    cgroups_.make("load");
    load_ = keeper(cgroups_.file(Controller::memory, "load", "cgroup.procs"), static_cast<std::size_t>(load));
  }
  static std::string gate_of(std::string_view trigger) {
    const auto all = eviction::eviction_triggers();
    const auto row = std::ranges::find(all, trigger, &eviction::EvictionTrigger::name);
    return std::string(kFeatureGates[static_cast<std::size_t>((*row)->gate)]) + ": true";
  }
  /// Every gate but CPUEvict: that trigger compares with the machine's own CPUs, which the pods here fill,
  /// and a Node object cannot claim more of them.
  static std::string gates_that_a_large_node_leaves_idle() {
    std::string text;
    for (const auto gate : kFeatureGates)
      if (gate != kFeatureGates[static_cast<std::size_t>(FeatureGate::cpu_evict)])
        text += std::string(gate) + ": true, ";
    return text.substr(0, text.size() - 2);
  }
  LiveCgroups cgroups_{};
  std::string small_{}, large_{};
  MemoryHog load_{};
};

TEST_F(LiveEvictTriggers, EvictAPodOnASmallNodeAndNoneOnALargeOne) {
  std::vector<std::unique_ptr<Trial>> trials, spared;
  for (const Row& row : kRows)
    trials.push_back(
        std::make_unique<Trial>(cgroups_, std::string(row.trigger), row, gate_of(row.trigger), small_));
  for (const bool mid : {false, true})
    spared.push_back(std::make_unique<Trial>(cgroups_, mid ? "large-mid" : "large-batch", Row{"", mid, true},
                                             gates_that_a_large_node_leaves_idle(), large_));
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const std::string by(kRows[i].trigger);
    auto& agent = trials[i]->agent();
    EXPECT_TRUE(agent.logged("event=pod-ended pod=batch/job", kPatience)) << by << agent.log();
    EXPECT_NE(agent.log().find(" by=" + by + ' '), std::string::npos) << by << agent.log();
    EXPECT_EQ(agent.log().find("event=evict pod=shop/cart"), std::string::npos) << agent.log();
    EXPECT_EQ(trials[i]->batch().ended_by(), SIGTERM) << by;
    EXPECT_TRUE(trials[i]->service().alive()) << by;
  }
  std::this_thread::sleep_for(std::chrono::seconds(2));  // the spared agents started last
  for (auto& trial : spared) {
    EXPECT_EQ(trial->agent().log().find("event=evict"), std::string::npos) << trial->agent().log();
    EXPECT_TRUE(trial->batch().alive() && trial->service().alive());
    trial->agent().stop();
    EXPECT_EQ(trial->agent().exit_status(), 0) << trial->agent().log();
  }
}

TEST(LiveEvictTriggersTable, HasEveryTrigger) {
  for (const auto* trigger : eviction::eviction_triggers()) {
    const bool elsewhere = trigger->gate == FeatureGate::interference_evict;
    EXPECT_EQ(std::ranges::count(kRows, trigger->name, &Row::trigger), elsewhere ? 0 : 1) << trigger->name;
  }
  EXPECT_EQ(std::size(kRows) + 1, eviction::eviction_triggers().size());
}

}  // namespace
}  // namespace evenkeel::test
