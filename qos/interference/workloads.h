// What is known of workloads, as opposed to the containers that run of them now: learned here, kept over
// restarts, or given by the NodeSLO. May not: judge, or know files.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "qos/interference/state.h"

namespace evenkeel::interference {

/// A node has no more of them; for one more, the one that was not used for longest goes.
inline constexpr std::size_t kMaxWorkloads = 1000;

/// What pods of one make have in common, as people write it: "namespace/owner/container". A pod of nobody's
/// is its own owner.
std::string workload_key(const Pod& pod, const Container& container);
std::string workload_key(const HostApplication& app);

/// Of the victim with this cgroup; empty: there is none.
const std::string& workload_key_of(const InterferenceState& state, CgroupId victim);

/// Seconds within the last 24 hours for which others stalled it, whatever its image: of each workload that
/// runs, and of each that was stalled.
std::map<std::string_view, detector::StallSeconds> stalled_lately(const InterferenceState& state,
                                                                  MonoTime now);

/// Its place in InterferenceState::workloads, found or made.
std::size_t workload_of(std::string key, const std::string& image, MonoTime now, InterferenceState& state);

/// What the victims' models know goes to their workloads. Of several victims of one workload the one that
/// knows most speaks for all.
void remember_workloads(MonoTime now, const detector::DetectorSettings& settings, InterferenceState& state);

/// Brings what an earlier run has learned of a workload. False: there is nothing left of it, or it is no
/// model.
bool recall(const std::string& key, const std::string& image, Signal signal, const detector::Normal& normal,
            MonoTime now, InterferenceState& state);

/// What is known of its workload, for a victim that begins. `born`: it began to run while we watched, so it
/// may be another than those that taught.
void teach(Victim& victim, const Workload& workload, bool born, MonoTime now,
           const detector::DetectorSettings& settings);
/// What the NodeSLO gives, where there is not enough of our own.
void apply_configured_models(const NodeSnapshot& node, const InterferenceSettings& settings,
                             InterferenceState& state);

}  // namespace evenkeel::interference
