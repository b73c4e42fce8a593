#include <algorithm>

#include "agent/config/schema_read.h"
#include "qos/eviction/eviction.h"
#include "qos/io/policies.h"

namespace evenkeel::config {
namespace {

/// An eviction trigger that is enabled and can never fire.
void note_eviction(const NodeSlo& slo, SchemaRead& read) {
  for (const eviction::EvictionTrigger* trigger : eviction::eviction_triggers()) {
    const auto gate = static_cast<std::size_t>(trigger->gate);
    const char* missing = slo.evenkeel.feature_gates[gate] ? trigger->missing(slo.threshold) : nullptr;
    if (missing == nullptr) continue;
    std::string text = std::string("extensions.evenkeel.featureGates.") + kFeatureGates[gate] +
                       " cannot run without resourceUsedThresholdWithBE." + missing;
    if (std::ranges::find(read.notices, text) == read.notices.end()) read.notices.push_back(std::move(text));
  }
}

/// An eviction trigger with only some of its settings can never fire.
void note_partners(const std::string& what, std::initializer_list<std::pair<const char*, bool>> partners,
                   SchemaRead& read) {
  std::string missing;
  bool any = false;
  for (const auto& [key, given] : partners) {
    any = any || given;
    if (!given) missing += (missing.empty() ? "" : ", ") + std::string(key);
  }
  if (!any || missing.empty()) return;
  read.notices.push_back("resourceUsedThresholdWithBE: eviction by " + what + " cannot run without " +
                         missing);
}

void note_thresholds(const ThresholdStrategy& t, SchemaRead& read) {
  const bool priority = t.allocatable_evict_priority_threshold.has_value();
  const bool memory =
      t.memory_allocatable_evict_threshold_percent || t.memory_allocatable_evict_lower_percent;
  const bool cpu = t.cpu_allocatable_evict_threshold_percent || t.cpu_allocatable_evict_lower_percent;
  if (memory) {
    note_partners("memory requests",
                  {{"memoryAllocatableEvictThresholdPercent", !!t.memory_allocatable_evict_threshold_percent},
                   {"memoryAllocatableEvictLowerPercent", !!t.memory_allocatable_evict_lower_percent},
                   {"allocatableEvictPriorityThreshold", priority}},
                  read);
  }
  if (cpu) {
    note_partners("CPU requests",
                  {{"cpuAllocatableEvictThresholdPercent", !!t.cpu_allocatable_evict_threshold_percent},
                   {"cpuAllocatableEvictLowerPercent", !!t.cpu_allocatable_evict_lower_percent},
                   {"allocatableEvictPriorityThreshold", priority}},
                  read);
  }
  note_partners("best effort's satisfaction",
                {{"cpuEvictBESatisfactionLowerPercent", !!t.cpu_evict_be_satisfaction_lower_percent},
                 {"cpuEvictBESatisfactionUpperPercent", !!t.cpu_evict_be_satisfaction_upper_percent}},
                read);
  if (t.cpu_evict_threshold_percent && !t.evict_enabled_priority_threshold) {
    read.notices.emplace_back(
        "resourceUsedThresholdWithBE: eviction by CPU use cannot run without evictEnabledPriorityThreshold");
  }
}

/// Koordinator's agent rejects these at run time although its schema accepts them.
void note_satisfaction(const ThresholdStrategy& t, SchemaRead& read) {
  const auto lower = t.cpu_evict_be_satisfaction_lower_percent;
  const auto upper = t.cpu_evict_be_satisfaction_upper_percent;
  const std::string section = "resourceUsedThresholdWithBE.";
  if (lower && (*lower == Percent(0) || *lower > Percent(60))) {
    read.notices.push_back(section +
                           "cpuEvictBESatisfactionLowerPercent: eviction by satisfaction runs with 1 to 60");
  }
  if (upper && (*upper == Percent(0) || *upper == Percent(100))) {
    read.notices.push_back(section +
                           "cpuEvictBESatisfactionUpperPercent: eviction by satisfaction runs with 1 to 99");
  }
}

bool has_limit(const Block& block) {
  BlockIoConfig rest = block.io;
  rest.latency_target_us.reset();
  return rest != BlockIoConfig{};
}

/// Disk limits belong to a cgroup directory, and only best effort has one of its own; latency targets apply
/// to services' pods; volumes belong to pods.
void note_disks(const std::string& path, const std::optional<BlkioQos>& blkio, SchemaRead& read) {
  if (!blkio || !blkio->enable) return;
  const bool of_directory = path.ends_with(".beClass") || path.ends_with(".cgroupRoot");
  if (!of_directory && std::ranges::any_of(blkio->blocks, has_limit))
    read.notices.push_back(path +
                           ".blkioQOS: this class has no cgroup of its own; the annotation "
                           "koordinator.sh/blkioQOS limits single pods");
  if ((of_directory || path.ends_with(".systemClass")) && std::ranges::any_of(blkio->blocks, io::has_target))
    read.notices.push_back(
        path + ".blkioQOS: latencyTarget is for services: lsrClass, lsClass, or a pod's annotation");
  for (std::size_t i = 0; i < blkio->blocks.size(); ++i)
    if (blkio->blocks[i].type == BlockType::pod_volume)
      read.notices.push_back(path + ".blkioQOS.blocks[" + std::to_string(i) +
                             "]: podvolume is valid only in a pod's annotation");
}

void note_class(const std::string& path, const QosClassStrategy& strategy, SchemaRead& read) {
  note_disks(path, strategy.blkio, read);
  if (strategy.network && strategy.network->enable && strategy.network->ingress_request.value != 0)
    read.notices.push_back(path +
                           ".networkQOS.ingressRequest: ingress cannot be queued, so no bandwidth "
                           "is guaranteed; limit the other classes by ingressLimit");
}

void note_objectives(const NodeSlo& slo, SchemaRead& read) {
  if (!slo.evenkeel.objectives.empty() && !slo.threshold.enable)
    read.notices.emplace_back(
        "extensions.evenkeel.objectives: no effect on CPU without resourceUsedThresholdWithBE.enable");
}

void note_lending(const ColocationStrategy& colocation, SchemaRead& read) {
  if (colocation.cpu_calculate_policy == "request")
    read.notices.emplace_back(
        "extensions.colocation.cpuCalculatePolicy: request is for memory only: CPU is counted by usage");
  if (colocation.metric_memory_collect_policy == "usageWithHotPageCache")
    read.notices.emplace_back(
        "extensions.colocation.metricMemoryCollectPolicy: hot pages are not known apart: "
        "usageWithoutPageCache counts");
}

void note_normalization(const EvenkeelSettings& own, SchemaRead& read) {
  const CpuNormalizationModels& table = own.cpu_normalization_models;
  const bool given = !table.models.empty() || table.default_ratio;
  if (table.enable && !given)
    read.notices.emplace_back(
        "extensions.evenkeel.cpuNormalization: auto needs cpuNormalizationModels: without them only the "
        "Node's "
        "annotation counts");
  if (!table.enable && given)
    read.notices.emplace_back(
        "extensions.evenkeel.cpuNormalizationModels: no effect without cpuNormalization: auto");
  if (own.resource_amplification == ResourceAmplification::automatic && !table.enable)
    read.notices.emplace_back(
        "extensions.evenkeel.resourceAmplification: no effect without cpuNormalization: auto");
}

}  // namespace

void add_notices(const NodeSlo& slo, SchemaRead& read) {
  note_thresholds(slo.threshold, read);
  note_satisfaction(slo.threshold, read);
  note_eviction(slo, read);
  note_class("resourceQOSStrategy.lsrClass", slo.qos.lsr, read);
  note_class("resourceQOSStrategy.lsClass", slo.qos.ls, read);
  note_class("resourceQOSStrategy.beClass", slo.qos.be, read);
  note_class("resourceQOSStrategy.systemClass", slo.qos.system, read);
  if (slo.qos.system.cpu.enable)
    read.notices.emplace_back(
        "resourceQOSStrategy.systemClass.cpuQOS: no effect: system pods and services keep the priority that "
        "they have");
  if (slo.qos.system.resctrl && slo.qos.system.resctrl->enable)
    read.notices.emplace_back("resourceQOSStrategy.systemClass.resctrlQOS: system pods have no group");
  if (slo.evenkeel.resctrl_dynamic.enable && !(slo.qos.be.resctrl && slo.qos.be.resctrl->enable))
    read.notices.emplace_back(
        "extensions.evenkeel.resctrlDynamic: no effect without beClass.resctrlQOS.enable");
  const auto& interference = slo.evenkeel.interference;
  if (slo.evenkeel.resctrl_dynamic.enable && slo.evenkeel.resctrl_dynamic.cache_ways &&
      !(interference.enable && interference.counters))
    read.notices.emplace_back(
        "extensions.evenkeel.resctrlDynamic.cacheWays: needs interference.enable and "
        "interference.counters to count misses: catRangeEndPercent is not adjusted");
  note_objectives(slo, read);
  note_lending(slo.colocation, read);
  note_normalization(slo.evenkeel, read);
  note_disks("resourceQOSStrategy.cgroupRoot", slo.qos.cgroup_root_blkio, read);
  if (slo.qos.net_qos_policy == NetQosPolicy::terway_qos)
    read.notices.emplace_back(
        "resourceQOSStrategy.policies.netQOSPolicy: with terway-qos another agent enforces networkQOS");
}

}  // namespace evenkeel::config
