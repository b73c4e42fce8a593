// The program as a black box: eviction by memory use, as the stepped mode tells it.
#include <gtest/gtest.h>

#include "tests/support/stepped_node.h"

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
  const Value& first = all->list()->front();
  return first.find("namespace")->scalar()->text + "/" + first.find("name")->scalar()->text + " " +
         first.find("uid")->scalar()->text + " " + first.find("by")->scalar()->text;
}

TEST(SteppedEvict, TheLargestBatchPodGoesWhenMemoryIsShort) {
  TwoHogs scene;
  SteppedAgent agent(scene.args(scene.pods));
  EXPECT_EQ(victim(scene.second(agent)), "");
  scene.available(20);
  const Step step = scene.second(agent);
  EXPECT_EQ(victim(step), "batch/two b-2 memory-evict") << step.line;
  EXPECT_EQ(victim(scene.second(agent)), "") << "it has not gone yet";
  EXPECT_NE(agent.metrics().find("evenkeel_evictions_total 1"), std::string::npos);
}

TEST(SteppedEvict, DryRunSaysWhoWouldGo) {
  TwoHogs scene;
  scene.available(20);
  auto args = scene.args(scene.pods);
  args.emplace_back("--dry-run");
  SteppedAgent agent(args);
  const Step step = scene.second(agent);
  EXPECT_EQ(victim(step), "");
  EXPECT_EQ(victim(step, "would_evict"), "batch/two b-2 memory-evict") << step.line;
}

}  // namespace
}  // namespace evenkeel::test
