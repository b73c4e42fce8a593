// Possible victims and suspects in step with the pod list, and what is known of their workloads.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "qos/interference/interference.h"

namespace evenkeel::interference {

// Keeps what is known of workloads, as opposed to the containers that run of them now: learned here, kept
// over restarts, or given by the NodeSLO. Does not judge or know files.

/// The most workloads per node; for one more, the least recently used is dropped.
inline constexpr std::size_t kMaxWorkloads = 1000;

/// The common name of pods of one workload: "namespace/owner/container". A pod without an owner is its own
/// owner.
std::string workload_key(const Pod& pod, const Container& container);
std::string workload_key(const HostApplication& app);

/// Of the victim with this cgroup; empty: there is none.
const std::string& workload_key_of(const InterferenceState& state, CgroupId victim);

/// Whether it was a pod without an owner, which is gone. `workload` must be one of the state's.
bool has_ended(const InterferenceState& state, const Workload& workload);

/// Seconds within the last 24 hours for which others stalled it, whatever its image: of each workload that
/// runs, and of each that was stalled and has not ended.
std::map<std::string_view, detector::StallSeconds> stalled_lately(const InterferenceState& state,
                                                                  MonoTime now);

/// Its position in InterferenceState::workloads; added if it is not there.
std::size_t workload_of(std::string key, const std::string& image, MonoTime now, InterferenceState& state);

/// Copies the victims' models to their workloads. Of several victims of one workload, the model with most
/// samples is used.
void remember_workloads(MonoTime now, const detector::DetectorSettings& settings, InterferenceState& state);

/// Loads what an earlier run has learned of a workload. False: it has faded completely, or is no valid model.
bool recall(const std::string& key, const std::string& image, Signal signal, const detector::Normal& normal,
            MonoTime now, InterferenceState& state);

/// Loads the workload's model for a new victim. `is_new`: it started while we watched, so it may differ from
/// those that taught the model.
void teach(Victim& victim, const Workload& workload, bool is_new, MonoTime now,
           const detector::DetectorSettings& settings);
/// Applies the NodeSLO's models where our own are not sufficient.
void apply_configured_models(const NodeSnapshot& node, const InterferenceSettings& settings,
                             InterferenceState& state);

// Lists the possible victims and suspects, kept in step with the cgroups and the pod list. Does not measure
// or judge.

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
