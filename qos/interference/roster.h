// Lists the possible victims and suspects, kept in step with the cgroups and the pod list. Does not measure
// or judge.
#pragma once

#include <algorithm>
#include <utility>

#include "qos/interference/state.h"

namespace evenkeel::interference {

/// New containers start with what is known of their workload; what removed ones taught stays with it. Returns
/// whether any list changed. Does nothing while neither the cgroups, the pod list nor the NodeSLO's models
/// have changed.
bool update_roster(const NodeSnapshot& node, const InterferenceSettings& settings, InterferenceState& state);

/// The entry of a cgroup in one of the state's lists; null: it has none.
template <class List>
auto entry_of(List& list, CgroupId cgroup) {
  const auto found = std::ranges::lower_bound(list, cgroup, {}, [](const auto& one) { return one.cgroup; });
  return found != list.end() && found->cgroup == cgroup ? &*found : nullptr;
}
/// Position of a pair in the state's list, or where it would be inserted; and whether it is present.
template <class Pairs>
auto place_of(Pairs& pairs, CgroupId victim, CgroupId unit) {
  const auto key_of = [](const BlamePair& pair) { return std::pair(pair.victim, pair.unit); };
  const auto found = std::ranges::lower_bound(pairs, std::pair(victim, unit), {}, key_of);
  return std::pair(found, found != pairs.end() && key_of(*found) == std::pair(victim, unit));
}
/// The pod or host application that a cgroup belongs to; none: it belongs to none that is watched.
CgroupId unit_of(const InterferenceState& state, CgroupId cgroup);

}  // namespace evenkeel::interference
