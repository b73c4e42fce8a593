// Which pod is evicted for a trigger, and what its eviction means for its gang (pod group). Does not decide
// whether a pod must be evicted.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "qos/eviction/eviction.h"
#include "qos/eviction/state.h"
#include "qos/model/snapshot.h"

namespace evenkeel::eviction {

// Chooses the pod to evict for a trigger, or says why there is none. Does not decide whether one must be
// evicted.

struct EvictionChoice {
  const PodSample* victim = nullptr;
  Reason why_none{};  ///< without a victim: what became of every pod
};
/// First by the trigger's rank. Among equals members of broken gangs go first and those of whole ones last;
/// of the whole ones the one that frees most here goes first, so that few gangs are broken. Then the heavier.
EvictionChoice choose_victim(const EvictionTrigger& trigger, const EvictionInput& input,
                             const EvictionState& state);

/// How long an owner is spared after one of its pods was evicted; its broken gangs are not.
inline constexpr Duration kOwnerCoolDown = std::chrono::minutes(1);

// What the eviction of a pod does to its gang, as far as this node can see: members elsewhere are not known.
// So a gang counts as broken only on evidence seen here, and as whole otherwise. Does not choose.

enum class GangState : std::uint8_t {
  broken,  ///< too few members are left already: the rest does no work
  spare,   ///< in no gang, or the gang has members to spare
  whole,   ///< the eviction would break the gang
};
GangState gang_state(const NodeSnapshot& node, const EvictionState& state, const Pod& pod);

// Orders and filters that several triggers share. Does not know which trigger calls them.

/// BECPUEvict and BEMemoryEvict: by the label, whatever else the pod says.
inline bool is_labelled_best_effort(const ThresholdStrategy& /*threshold*/, const Pod& pod) {
  return pod.label_qos == QosClass::be;
}
inline EvictionRank rank_of_best_effort(const Pod& pod) {
  return {pod.priority.value_or(priority_value(pod)), 0, 0};
}

/// The other triggers evict only pods that allow it themselves, up to a priority.
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

/// For a trigger that needs no threshold of its own.
inline const char* nothing_missing(const ThresholdStrategy& /*threshold*/) { return nullptr; }

/// Among equals the pod that uses more CPU.
inline std::int64_t use_weight(const NodeSnapshot& node, const PodSample& pod) {
  const CgroupSample* cgroup = node.cgroup(pod.cgroup);
  return cgroup != nullptr && cgroup->cpu_use ? cgroup->cpu_use->count() : 0;
}

/// Reason texts of the two node-use triggers: with use, capacity and threshold; and also with the amount to
/// free and the lower mark.
struct UseReasons {
  const char* enough;
  const char* too_much;
};
/// Starts at `start` and continues to the lower mark, two points below unless configured otherwise.
template <class Amount>
EvictionNeed need_of_use(Amount use, Amount capacity, Percent start, const std::optional<Percent>& lower_mark,
                         bool draining, const UseReasons& say) {
  const Percent lower = lower_mark.value_or(start - Percent(2));
  if (use < percent_of(capacity, draining ? lower : start))
    return {EvictionNeed::Is::no, because(say.enough, use, capacity, start)};
  return {EvictionNeed::Is::yes,
          because(say.too_much, use, capacity, start, use - percent_of(capacity, lower), lower)};
}

template <class Tag>
std::optional<std::int64_t> count_of(const std::optional<Quantity<Tag>>& amount) {
  return amount ? std::optional(amount->count()) : std::nullopt;
}

/// How much of a resource pods may request in all: what the Node advertises, or what can be lent if the agent
/// advertises more only because started pods request it. Absent: unknown.
template <class Q>
std::optional<Q> lent_in_all(const NodeSnapshot& node, std::optional<Q> Resources::*amount) {
  const auto& shown = node.object.lent.*amount;
  const auto& lendable = node.lendable.*amount;
  return shown && lendable ? std::min(*shown, *lendable) : shown;
}

}  // namespace evenkeel::eviction
