// Who may suffer and who may be the cause: kept in step with the cgroups and the pod list.
// May not: measure or judge.
#pragma once

#include <algorithm>
#include <utility>

#include "qos/interference/state.h"

namespace evenkeel::interference {

/// Newcomers begin with what is known of their workload; what those who left have taught stays with it.
/// Whether that changed any list. Does nothing while neither the cgroups, the pod list nor the NodeSLO's
/// models have changed.
bool update_roster(const NodeSnapshot& node, const InterferenceSettings& settings, InterferenceState& state);

/// The entry of a cgroup in one of the state's lists; null: it has none.
template <class List>
auto entry_of(List& list, CgroupId cgroup) {
  const auto found = std::ranges::lower_bound(list, cgroup, {}, [](const auto& one) { return one.cgroup; });
  return found != list.end() && found->cgroup == cgroup ? &*found : nullptr;
}
/// Where a pair stands in the state's list, or would stand; and whether it does.
template <class Pairs>
auto place_of(Pairs& pairs, CgroupId victim, CgroupId unit) {
  const auto key_of = [](const BlamePair& pair) { return std::pair(pair.victim, pair.unit); };
  const auto found = std::ranges::lower_bound(pairs, std::pair(victim, unit), {}, key_of);
  return std::pair(found, found != pairs.end() && key_of(*found) == std::pair(victim, unit));
}
/// The pod or host application that a cgroup belongs to; none: it belongs to nobody who is watched.
CgroupId unit_of(const InterferenceState& state, CgroupId cgroup);

}  // namespace evenkeel::interference
