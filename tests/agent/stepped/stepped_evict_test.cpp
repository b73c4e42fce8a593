// Tests the program as a black box: eviction by each trigger, as stepped mode reports it.
#include <gtest/gtest.h>

#include "tests/support/agents/stepped_node.h"

namespace evenkeel::test {
namespace {

constexpr const char* kEvicts =
    "resourceUsedThresholdWithBE:\n  enable: true\n  memoryEvictThresholdPercent: 70\n"
    "extensions:\n  evenkeel:\n    featureGates: {BEMemoryEvict: true}\n";

std::string pod_json(const std::string& name, const std::string& uid) {
  return R"({"metadata":{"name":")" + name + R"(","namespace":"batch","uid":")" + uid +
         R"(","labels":{"koordinator.sh/qosClass":"BE"}},"spec":{"containers":[{"name":"main"}]},"status":{"phase":"Running","qosClass":"BestEffort"}})";
}

struct TwoHogs : SteppedNode {
  TwoHogs() : SteppedNode(4, Kernel::v1, kEvicts) {
    hog("b-1", "3000000");
    hog("b-2", "9000000");
    pods = pod_list(R"({"kind":"PodList","apiVersion":"v1","items":[)" + pod_json("one", "b-1") + "," +
                    pod_json("two", "b-2") + "]}");
    available(50);
  }
  void hog(const std::string& uid, const std::string& anonymous) {
    host.write(Controller::memory, host.pod(KubeQos::besteffort, uid, {"c1"}), "memory.stat",
               "total_cache 0\ntotal_rss 0\ntotal_inactive_file 0\ntotal_active_file 0\ntotal_inactive_anon "
               "0\ntotal_active_anon " +
                   anonymous + "\ntotal_unevictable 0\n");
  }
  void available(int percent) {
    host.file("proc/meminfo", "MemTotal: 1000000 kB\nMemFree: 10000 kB\nMemAvailable: " +
                                  std::to_string(percent * 10000) + " kB\n");
  }
  std::string pods{};
};

std::string victim(const Step& step, const char* list = "evictions") {
  const auto* all = step.json.find(list);
  if (all == nullptr || all->list() == nullptr || all->list()->empty()) return "";
  const document::Value& first = all->list()->front();
  return first.find("namespace")->scalar()->text + "/" + first.find("name")->scalar()->text + " " +
         first.find("uid")->scalar()->text + " " + first.find("by")->scalar()->text;
}

TEST(SteppedEvict, TheLargestBatchPodIsEvictedWhenMemoryIsShort) {
  TwoHogs scene;
  SteppedAgent agent(scene.args(scene.pods));
  EXPECT_EQ(victim(scene.second(agent)), "");
  scene.available(20);
  const Step step = scene.second(agent);
  EXPECT_EQ(victim(step), "batch/two b-2 memory-evict") << step.line;
  EXPECT_EQ(victim(scene.second(agent)), "") << "it has not gone yet";
  EXPECT_NE(agent.metrics().find("evenkeel_evictions_total 1"), std::string::npos);
}

TEST(SteppedEvict, DryRunNamesTheVictim) {
  TwoHogs scene;
  scene.available(20);
  auto args = scene.args(scene.pods);
  args.emplace_back("--dry-run");
  SteppedAgent agent(args);
  const Step step = scene.second(agent);
  EXPECT_EQ(victim(step), "");
  EXPECT_EQ(victim(step, "would_evict"), "batch/two b-2 memory-evict") << step.line;
}

struct TriggerCase {
  const char* gate;
  const char* settings;
  const char* victim;
};
void PrintTo(const TriggerCase& one, std::ostream* out) { *out << one.gate; }

/// Memory, CPU and the Node's lent resources are short at once.
struct ShortOfAll : TwoHogs {
  ShortOfAll() {
    available(20);
    system_uses(MilliCpu(2500));
    for (const char* uid : {"b-1", "b-2"})
      uses(host.qos_path(KubeQos::besteffort) + "/pod" + uid + "/c1", MilliCpu(500));
    set_quota(besteffort(), "100000");
    const auto pod = [](const std::string& name, const std::string& uid) {
      return R"({"metadata":{"name":")" + name + R"(","namespace":"batch","uid":")" + uid +
             R"(","labels":{"koordinator.sh/qosClass":"BE","koordinator.sh/eviction-enabled":"true"}},)"
             R"("spec":{"priority":5100,"containers":[{"name":"main","resources":{"requests":)"
             R"({"kubernetes.io/batch-cpu":"4000","kubernetes.io/batch-memory":"1Gi"}}}]},)"
             R"("status":{"phase":"Running","qosClass":"BestEffort"}})";
    };
    pods = pod_list(R"({"kind":"PodList","apiVersion":"v1","items":[)" + pod("one", "b-1") + "," +
                    pod("two", "b-2") + "]}");
    node = extra("node.json", R"({"kind":"Node","metadata":{"name":"n"},"status":{"allocatable":)"
                              R"({"kubernetes.io/batch-cpu":"5000","kubernetes.io/batch-memory":"1Gi"}}})");
  }
  std::string node{};
};

class SteppedTrigger : public testing::TestWithParam<TriggerCase> {};

TEST_P(SteppedTrigger, ChoosesAVictimAndGivesTheReason) {
  const auto& trigger = GetParam();
  ShortOfAll scene;
  scene.configure(std::string("resourceUsedThresholdWithBE: {enable: true, cpuSuppressPolicy: cpuset, "
                              "cpuSuppressThresholdPercent: 100, ") +
                  trigger.settings + "}\nextensions: {evenkeel: {featureGates: {" + trigger.gate +
                  ": true}}}\n");
  auto args = scene.args(scene.pods);
  args.insert(args.end(), {"--node", scene.node});
  SteppedAgent agent(args);
  Step step;
  for (int i = 0; i < 40 && victim(step).empty(); ++i) step = scene.second(agent);
  EXPECT_EQ(victim(step), trigger.victim) << step.line << agent.explain();
  EXPECT_NE(step.line.find(std::string("\"trigger\":\"") + trigger.gate + '"'), std::string::npos)
      << step.line;
  const auto explained = agent.explain();
  EXPECT_NE(explained.find(std::string("\"trigger\":\"") + trigger.gate + '"'), std::string::npos)
      << explained;
  EXPECT_NE(explained.find("\"waits_for\":\"batch/two\""), std::string::npos) << explained;
  EXPECT_NE(agent.metrics().find(std::string("evenkeel_trigger_evictions_total{trigger=\"") + trigger.gate +
                                 "\"} 1"),
            std::string::npos);
}

std::string gate_of(const testing::TestParamInfo<TriggerCase>& one) { return one.param.gate; }
INSTANTIATE_TEST_SUITE_P(
    Table, SteppedTrigger,
    testing::Values(
        TriggerCase{"BECPUEvict",
                    "cpuEvictBESatisfactionLowerPercent: 30, cpuEvictBESatisfactionUpperPercent: 40",
                    "batch/two b-2 cpu-evict"},
        TriggerCase{"CPUEvict", "cpuEvictThresholdPercent: 60, evictEnabledPriorityThreshold: 5999",
                    "batch/two b-2 cpu-priority-evict"},
        TriggerCase{"CPUAllocatableEvict",
                    "cpuAllocatableEvictThresholdPercent: 110, cpuAllocatableEvictLowerPercent: 100, "
                    "allocatableEvictPriorityThreshold: 5999",
                    "batch/two b-2 batch-cpu-evict"},
        TriggerCase{"BEMemoryEvict", "memoryEvictThresholdPercent: 70", "batch/two b-2 memory-evict"},
        TriggerCase{"MemoryEvict", "memoryEvictThresholdPercent: 70, evictEnabledPriorityThreshold: 5999",
                    "batch/two b-2 memory-priority-evict"},
        TriggerCase{"MemoryAllocatableEvict",
                    "memoryAllocatableEvictThresholdPercent: 110, memoryAllocatableEvictLowerPercent: 100, "
                    "allocatableEvictPriorityThreshold: 5999",
                    "batch/two b-2 batch-memory-evict"}),
    gate_of);

TEST(SteppedEvict, ExplainSaysWhyNoPodIsEvicted) {
  TwoHogs scene;
  SteppedAgent agent(scene.args(scene.pods));
  scene.second(agent);
  EXPECT_NE(agent.explain().find("\"trigger\":\"BEMemoryEvict\",\"by\":\"memory-evict\",\"needed\":false,"
                                 "\"why\":\"the node uses "),
            std::string::npos)
      << agent.explain();
  EXPECT_NE(agent.explain().find("no pod must be evicted"), std::string::npos);
  scene.configure("extensions: {evenkeel: {featureGates: {CPUEvict: true}}}");
  scene.second(agent);
  EXPECT_NE(agent.explain().find("cannot run without cpuEvictThresholdPercent"), std::string::npos)
      << agent.explain();
}

TEST(SteppedEvict, SteppedModeKillsNoPod) {
  TwoHogs scene;
  scene.available(20);
  scene.configure(std::string(kEvicts) + "    killWithoutApi: true\n");
  SteppedAgent agent(scene.args(scene.pods));
  EXPECT_EQ(victim(scene.second(agent)), "batch/two b-2 memory-evict");
  scene.seconds(70, agent);
  EXPECT_NE(agent.metrics().find("evenkeel_pods_ended_total 0"), std::string::npos);
}

}  // namespace
}  // namespace evenkeel::test
