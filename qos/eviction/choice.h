// Which pod is evicted for a trigger, and what its eviction means for its gang (pod group). Does not decide
// whether a pod must be evicted.
#pragma once

#include <cstdint>

#include "qos/eviction/eviction.h"
#include "qos/eviction/state.h"
#include "qos/model/snapshot.h"

namespace evenkeel::eviction {

// Who of the pods goes for a trigger, and if nobody, why not. May not: say whether somebody has to.

struct EvictionChoice {
  const PodSample* victim = nullptr;
  Reason nobody{};  ///< without a victim: what became of every pod
};
/// First by the trigger's rank. Among equals members of broken gangs go first and those of whole ones last;
/// of the whole ones first that which has most to give here, so that few gangs are broken. Then the heavier.
EvictionChoice choose_victim(const EvictionTrigger& trigger, const EvictionInput& input,
                             const EvictionState& state);

/// How long an owner is spared after one of its pods went; its broken gangs are not.
inline constexpr Duration kOwnerCoolDown = std::chrono::minutes(1);

// What a pod's going does to its gang, as far as this node can see: members elsewhere are not known. So a
// gang counts as broken only on evidence seen here, and as whole unless that evidence is there.
// May not: choose.

enum class GangState : std::uint8_t {
  broken,  ///< too few are left already: what remains of it does no work
  spare,   ///< in no gang, or the gang has members to spare
  whole,   ///< its going would break the gang
};
GangState gang_state(const NodeSnapshot& node, const EvictionState& state, const Pod& pod);

// Orders and filters that several triggers share. May not: know which trigger asks.

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

/// Of a trigger that needs no threshold of its own.
inline const char* nothing_missing(const ThresholdStrategy& /*threshold*/) { return nullptr; }

/// Among equals who uses more CPU.
inline std::int64_t use_weight(const NodeSnapshot& node, const PodSample& pod) {
  const CgroupSample* cgroup = node.cgroup(pod.cgroup);
  return cgroup != nullptr && cgroup->cpu_use ? cgroup->cpu_use->count() : 0;
}

/// What the two triggers of the node's use say: with use, capacity and threshold; and with what is to be
/// freed and the lower mark besides.
struct UseReasons {
  const char* enough;
  const char* too_much;
};
/// One begins at `start` and goes on to the lower mark, two points below unless the file says otherwise.
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

}  // namespace evenkeel::eviction
