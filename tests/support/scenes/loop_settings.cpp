#include "tests/support/scenes/loop_settings.h"

#include <map>

namespace evenkeel::test {
namespace {

/// Features that are on by default.
constexpr std::string_view kOffByHand[] = {"extensions.evenkeel.cpusets: false",
                                           "extensions.evenkeel.batchResources: false",
                                           "extensions.evenkeel.cpuNormalization: false"};

struct Node {
  std::map<std::string_view, Node> below{};
  std::string_view value{};
};

void put(Node& root, std::string_view setting) {
  const auto colon = setting.find(": ");
  Node* node = &root;
  for (std::string_view key = setting.substr(0, colon); !key.empty();) {
    const auto dot = key.find('.');
    node = &node->below[key.substr(0, dot)];
    key = dot == std::string_view::npos ? std::string_view() : key.substr(dot + 1);
  }
  node->value = setting.substr(colon + 2);
}

std::string flow(const Node& node) {
  if (node.below.empty()) return std::string(node.value);
  std::string text;
  for (const auto& [key, child] : node.below)
    text += (text.empty() ? "{" : ", ") + std::string(key) + ": " + flow(child);
  return text + '}';
}

}  // namespace

const std::vector<LoopSettings>& loop_settings() {
  static const std::vector<LoopSettings> kAll = {
      {"objectives",
       {"extensions.evenkeel.objectives: [{name: web, namespace: shop, matchLabels: {app: web}, "
        "file: /run/evenkeel-test/web, target: 1}]"}},
      {"cpu-suppress",
       {"resourceUsedThresholdWithBE.enable: true",
        "resourceUsedThresholdWithBE.cpuSuppressPolicy: cfsQuota"}},
      {"cpu-burst", {"cpuBurstStrategy.policy: auto", "cpuBurstStrategy.cpuBurstPercent: 100"}},
      {"cpu-identity", {"resourceQOSStrategy.beClass.cpuQOS.enable: true"}},
      {"memory-qos",
       {"resourceQOSStrategy.lsClass.memoryQOS.enable: true",
        "resourceQOSStrategy.lsClass.memoryQOS.minLimitPercent: 50",
        "resourceQOSStrategy.lsClass.memoryQOS.lowLimitPercent: 80",
        "resourceQOSStrategy.lsClass.memoryQOS.throttlingPercent: 80",
        "resourceQOSStrategy.lsClass.memoryQOS.wmarkRatio: 0"}},
      {"memory-push-back", {"extensions.evenkeel.memoryPushBack.enable: true"}},
      {"batch-resources", {"extensions.evenkeel.batchResources: true"}},
      {"cpusets", {"extensions.evenkeel.cpusets: true"}},
      // The kernel's own default, so that a test does not change the machine.
      {"system-settings", {"systemStrategy.watermarkScaleFactor: 10"}},
      {"resctrl",
       {"resourceQOSStrategy.beClass.resctrlQOS.enable: true",
        "resourceQOSStrategy.beClass.resctrlQOS.catRangeEndPercent: 30",
        "extensions.evenkeel.resctrlDynamic.enable: true",
        "extensions.evenkeel.resctrlDynamic.cacheWays: true"}},
      {"cpu-normalization", {"extensions.evenkeel.cpuNormalization: true"}},
      {"core-sched",
       {"resourceQOSStrategy.policies.cpuPolicy: coreSched",
        "resourceQOSStrategy.lsClass.cpuQOS.enable: true"}},
      {"request-size", {"extensions.evenkeel.requestSize.services: 100us"}},
      {"oom-score-adj", {"extensions.evenkeel.oomScoreAdj: true"}},
      // More than any disk reaches.
      {"blkio",
       {"resourceQOSStrategy.beClass.blkioQOS.enable: true",
        "resourceQOSStrategy.beClass.blkioQOS.blocks: [{name: /dev/vda, type: device, ioCfg: {readBPS: "
        "1Ti}}]"}},
      {"disk-suppress", {"extensions.evenkeel.diskSuppress.enable: true"}},
      {"network-qos", {"resourceQOSStrategy.beClass.networkQOS.enable: true"}},
      {"interference", {"extensions.evenkeel.interference.enable: true"}},
      {"brake", {"extensions.evenkeel.brake.enable: true"}},
      {"proof", {"extensions.evenkeel.proof.enable: true"}},
      {"contention", {"extensions.evenkeel.contention.enable: true"}},
      {"reclaim",
       {"resourceQOSStrategy.lsClass.memoryQOS.enable: true",
        "resourceQOSStrategy.lsClass.memoryQOS.wmarkRatio: 95"}},
      {"eviction",
       {"resourceUsedThresholdWithBE.enable: true",  // which also enables CPU suppression
        "resourceUsedThresholdWithBE.cpuSuppressPolicy: cfsQuota",
        "resourceUsedThresholdWithBE.memoryEvictThresholdPercent: 100",
        "resourceUsedThresholdWithBE.cpuEvictThresholdPercent: 100",
        "resourceUsedThresholdWithBE.evictEnabledPriorityThreshold: 5999",
        "resourceUsedThresholdWithBE.cpuEvictBESatisfactionLowerPercent: 1",
        "resourceUsedThresholdWithBE.cpuEvictBESatisfactionUpperPercent: 2",
        "resourceUsedThresholdWithBE.cpuAllocatableEvictThresholdPercent: 110",
        "resourceUsedThresholdWithBE.cpuAllocatableEvictLowerPercent: 100",
        "resourceUsedThresholdWithBE.memoryAllocatableEvictThresholdPercent: 110",
        "resourceUsedThresholdWithBE.memoryAllocatableEvictLowerPercent: 100",
        "resourceUsedThresholdWithBE.allocatableEvictPriorityThreshold: 5999",
        "extensions.evenkeel.featureGates.BECPUEvict: true",
        "extensions.evenkeel.featureGates.CPUEvict: true",
        "extensions.evenkeel.featureGates.CPUAllocatableEvict: true",
        "extensions.evenkeel.featureGates.BEMemoryEvict: true",
        "extensions.evenkeel.featureGates.MemoryEvict: true",
        "extensions.evenkeel.featureGates.MemoryAllocatableEvict: true"}},
      {"lending", {"extensions.colocation.enable: true"}},
  };
  return kAll;
}

std::string nodeslo_of(const std::vector<std::string_view>& settings) {
  Node root;
  for (const auto off : kOffByHand) put(root, off);
  for (const auto setting : settings) put(root, setting);
  return flow(root) + '\n';
}

std::vector<std::string_view> settings_of_all() {
  std::vector<std::string_view> all;
  for (const auto& loop : loop_settings()) all.insert(all.end(), loop.settings.begin(), loop.settings.end());
  return all;
}

std::vector<std::string_view> settings_for_this_machine() {
  std::vector<std::string_view> all;
  for (const auto& loop : loop_settings())
    if (loop.name != "network-qos" && loop.name != "system-settings")
      all.insert(all.end(), loop.settings.begin(), loop.settings.end());
  return all;
}

}  // namespace evenkeel::test
