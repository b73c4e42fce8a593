#include "qos/eviction/choice.h"
#include "qos/eviction/eviction.h"
#include "qos/model/pod_resources.h"

namespace evenkeel::eviction {
namespace {

using Is = EvictionNeed::Is;

/// The two thresholds of a resource.
struct Marks {
  std::optional<Percent> ThresholdStrategy::*start;
  std::optional<Percent> ThresholdStrategy::*lower;
  const char* start_key;
  const char* lower_key;
};
constexpr Marks kCpu{&ThresholdStrategy::cpu_allocatable_evict_threshold_percent,
                     &ThresholdStrategy::cpu_allocatable_evict_lower_percent,
                     "cpuAllocatableEvictThresholdPercent", "cpuAllocatableEvictLowerPercent"};
constexpr Marks kMemory{&ThresholdStrategy::memory_allocatable_evict_threshold_percent,
                        &ThresholdStrategy::memory_allocatable_evict_lower_percent,
                        "memoryAllocatableEvictThresholdPercent", "memoryAllocatableEvictLowerPercent"};

template <const Marks& kMarks>
const char* missing(const ThresholdStrategy& threshold) {
  const auto& start = threshold.*kMarks.start;
  const auto& lower = threshold.*kMarks.lower;
  if (!start) return kMarks.start_key;
  if (!lower || *lower >= *start) return kMarks.lower_key;
  return threshold.allocatable_evict_priority_threshold ? nullptr : "allocatableEvictPriorityThreshold";
}

/// `kAmount` is what pods of `kTier` request.
template <PriorityClass kTier>
bool in_tier(const ThresholdStrategy& threshold, const Pod& pod) {
  const auto& highest = threshold.allocatable_evict_priority_threshold;
  return default_priority_class(pod) == kTier && highest && priority_value(pod) <= *highest;
}
template <PriorityClass kTier>
bool is_candidate(const ThresholdStrategy& threshold, const Pod& pod) {
  return in_tier<kTier>(threshold, pod) && pod.eviction.enabled;
}

template <auto kAmount>
std::optional<std::int64_t> requested(const EvictionInput& /*input*/, const PodSample& pod) {
  return count_of(pod_requests(*pod.spec).*kAmount);
}
template <auto kAmount>
std::int64_t weight(const NodeSnapshot& /*node*/, const PodSample& pod) {
  return count_of(pod_requests(*pod.spec).*kAmount).value_or(0);
}

template <PriorityClass kTier, auto kAmount, const Marks& kMarks>
EvictionNeed need(const EvictionInput& input, bool draining) {
  const NodeSnapshot& node = input.node;
  const auto there = lent_in_all(node, kAmount);
  if (node.object_stale) return {Is::unknown, because("the Node object is too old to decide on")};
  if (!there) return {Is::unknown, because("the Node does not advertise an allocatable amount")};
  auto sum = *there;
  sum -= *there;
  for (const PodSample& pod : node.pods) {
    const Pod& spec = *pod.spec;
    if (!is_active(spec) || spec.terminating || !in_tier<kTier>(input.threshold, spec)) continue;
    if (const auto more = pod_requests(spec).*kAmount) sum = clamped_sum(sum, *more);
  }
  const Percent start = *(input.threshold.*kMarks.start);
  const Percent lower = *(input.threshold.*kMarks.lower);
  if (sum <= percent_of(*there, draining ? lower : start))
    return {Is::no, because("{} of {} are requested, the threshold is {}", sum, *there, start)};
  return {Is::yes, because("{} of {} are requested, the threshold is {}; {} must be freed, down to {}", sum,
                           *there, start, sum - percent_of(*there, lower), lower)};
}

constexpr Duration kCpuCoolDown = std::chrono::seconds(20);
constexpr Duration kMemoryCoolDown = std::chrono::seconds(4);

template <PriorityClass kTier, auto kAmount, const Marks& kMarks>
constexpr EvictionTrigger row(std::string_view name, FeatureGate gate, Duration cool_down) {
  return {name,
          gate,
          cool_down,
          true,
          missing<kMarks>,
          need<kTier, kAmount, kMarks>,
          is_candidate<kTier>,
          rank_by_priority,
          requested<kAmount>,
          weight<kAmount>};
}

}  // namespace

constinit const EvictionTrigger batch_cpu_evict_trigger =
    row<PriorityClass::batch, &Resources::batch_cpu, kCpu>("batch-cpu-evict",
                                                           FeatureGate::cpu_allocatable_evict, kCpuCoolDown);
constinit const EvictionTrigger mid_cpu_evict_trigger = row<PriorityClass::mid, &Resources::mid_cpu, kCpu>(
    "mid-cpu-evict", FeatureGate::cpu_allocatable_evict, kCpuCoolDown);
constinit const EvictionTrigger batch_memory_evict_trigger =
    row<PriorityClass::batch, &Resources::batch_memory, kMemory>(
        "batch-memory-evict", FeatureGate::memory_allocatable_evict, kMemoryCoolDown);
constinit const EvictionTrigger mid_memory_evict_trigger =
    row<PriorityClass::mid, &Resources::mid_memory, kMemory>(
        "mid-memory-evict", FeatureGate::memory_allocatable_evict, kMemoryCoolDown);

}  // namespace evenkeel::eviction
