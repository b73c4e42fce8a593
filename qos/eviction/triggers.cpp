#include <algorithm>
#include <array>

#include "qos/eviction/choice.h"
#include "qos/eviction/eviction.h"
#include "qos/model/capacity.h"

namespace evenkeel::eviction {

namespace {

using Is = EvictionNeed::Is;

/// MemAvailable counts the page cache as free, since it can be reclaimed without harm.
EvictionNeed memory_need(const EvictionInput& input, bool draining) {
  const NodeSnapshot& node = input.node;
  const auto capacity = memory_capacity(node.object, node.node);
  if (!capacity || *capacity <= Bytes{})
    return {Is::unknown, because("the node's memory capacity is not known")};
  const NodeMemory& memory = *node.node.memory;
  const Bytes used = std::max(memory.total - memory.available - memory.hugepages, Bytes{});
  return need_of_use(used, *capacity, input.threshold.memory_evict_threshold_percent,
                     input.threshold.memory_evict_lower_percent, draining,
                     {"the node uses {} of {} memory, the threshold is {}",
                      "the node uses {} of {} memory, the threshold is {}; {} must be freed, down to {}"});
}

/// Without its page cache, which counts as available already: this is by how much the node's use falls.
std::optional<std::int64_t> held_at(const NodeSnapshot& node, const PodSample& pod) {
  const auto* cgroup = node.cgroup(pod.cgroup);
  return cgroup ? count_of(cgroup->memory.anonymous) : std::nullopt;
}
std::optional<std::int64_t> held(const EvictionInput& input, const PodSample& pod) {
  return held_at(input.node, pod);
}
std::int64_t weight(const NodeSnapshot& node, const PodSample& pod) { return held_at(node, pod).value_or(0); }

const char* missing(const ThresholdStrategy& threshold) {
  return threshold.evict_enabled_priority_threshold ? nullptr : "evictEnabledPriorityThreshold";
}

constexpr Duration kMemoryCoolDown = std::chrono::seconds(4);

}  // namespace

constinit const EvictionTrigger be_memory_evict_trigger{
    "memory-evict", FeatureGate::be_memory_evict, kMemoryCoolDown,     false, nothing_missing,
    memory_need,    is_labelled_best_effort,      rank_of_best_effort, held,  weight};
constinit const EvictionTrigger memory_evict_trigger{"memory-priority-evict",
                                                     FeatureGate::memory_evict,
                                                     kMemoryCoolDown,
                                                     false,
                                                     missing,
                                                     memory_need,
                                                     is_evictable_for_use,
                                                     rank_by_priority,
                                                     held,
                                                     weight};

namespace {

/// The next one is limited first, and only then judged.
constexpr Duration kAntagonistCoolDown = std::chrono::minutes(1);

/// Its eviction ends what only it causes.
std::optional<std::int64_t> is_antagonist(const EvictionInput& input, const PodSample& pod) {
  const CgroupSample* cgroup = input.node.cgroup(pod.cgroup);
  if (cgroup == nullptr || !std::ranges::binary_search(input.use.antagonists, cgroup->id))
    return std::nullopt;
  return 1;
}

/// Those that are gone are remembered for a day.
EvictionNeed antagonist_need(const EvictionInput& input, bool /*draining*/) {
  const std::int64_t present = std::ranges::count_if(
      input.node.pods, [&](const PodSample& pod) { return is_antagonist(input, pod).has_value(); });
  if (present == 0) return {Is::no, because("no pod slows a service down repeatedly")};
  return {Is::yes,
          because("{} pods were limited repeatedly because a service was slower, and each limit helped",
                  present)};
}

}  // namespace

constinit const EvictionTrigger interference_evict_trigger{
    "interference-evict",    FeatureGate::interference_evict,
    kAntagonistCoolDown,     false,
    nothing_missing,         antagonist_need,
    is_labelled_best_effort, rank_of_best_effort,
    is_antagonist,           use_weight};

namespace {

// One line per trigger. Memory comes first: without memory the kernel kills, without CPU a pod only waits.
constexpr std::array<const EvictionTrigger*, EvictionState::kTriggers> kTriggers = {
    &be_memory_evict_trigger, &batch_memory_evict_trigger, &mid_memory_evict_trigger,
    &memory_evict_trigger,    &be_cpu_evict_trigger,       &batch_cpu_evict_trigger,
    &mid_cpu_evict_trigger,   &cpu_evict_trigger,          &interference_evict_trigger};

}  // namespace

std::span<const EvictionTrigger* const> eviction_triggers() { return kTriggers; }

}  // namespace evenkeel::eviction
