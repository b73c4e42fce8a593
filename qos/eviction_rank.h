// Orders and filters that several triggers share. May not: know which trigger asks.
#pragma once

#include "qos/eviction.h"

namespace evenkeel {

/// BECPUEvict and BEMemoryEvict: by the label, whatever else a pod says.
inline bool is_labelled_best_effort(const ThresholdStrategy& /*threshold*/, const Pod& pod) {
  return pod.label_qos == QosClass::be;
}
inline EvictionRank rank_of_best_effort(const Pod& pod) {
  return {pod.priority.value_or(priority_value(pod)), 0, 0};
}

/// The others take only who may be evicted by his own word, up to a priority.
inline bool is_evictable_up_to(const Pod& pod, const std::optional<std::int64_t>& priority) {
  return pod.eviction.enabled && priority && priority_value(pod) <= *priority;
}
inline bool is_evictable_for_use(const ThresholdStrategy& threshold, const Pod& pod) {
  return is_evictable_up_to(pod, threshold.evict_enabled_priority_threshold);
}
inline EvictionRank rank_by_priority(const Pod& pod) {
  const std::int64_t priority = priority_value(pod);
  return {pod.eviction.priority, priority, pod.eviction.sub_priority.value_or(priority)};
}

template <class Tag>
std::optional<std::int64_t> count_of(const std::optional<Quantity<Tag>>& amount) {
  return amount ? std::optional(amount->count()) : std::nullopt;
}

}  // namespace evenkeel
