// The steps of the interference policy in the order of a tick, and what they call: the choice of what is
// limited.
#pragma once

#include "qos/decide/intent.h"
#include "qos/decide/shared.h"
#include "qos/interference/interference.h"
#include "qos/model/nodeslo.h"

namespace evenkeel::interference {

// The steps of the interference policy, in the order in which each tick runs them. Each works on the policy's
// state.

// Turns the measurements of each tick into one sample per window of each signal, for victims and suspects
// alike. Does not judge.

/// Reads the snapshot. `sampled` gets the signals whose window ended.
void measure(const NodeSnapshot& node, const InterferenceSettings& settings, InterferenceState& state,
             std::vector<NewSample>& sampled);

/// The detector's settings under this configuration.
detector::DetectorSettings detector_settings(const InterferenceSettings& settings);

// Finds the cause: suspects are judged against an anomalous victim, and accusations kept while they are found
// again. Does not act.

/// Looks at one victim's signal that just got a sample.
void look_at(const NewSample& sampled, const NodeSnapshot& node, const InterferenceSettings& settings,
             InterferenceState& state);

/// Adds an accusation, or renews the present one.
void accuse(const Accusation& found, MonoTime now, InterferenceState& state);
/// Adds an event to this tick's record, and counts it.
void add_event(InterferenceState& state, const InterferenceEvent& event);

/// Ends accusations that were not found again for some windows, or whose victim or suspect has gone.
void let_go(const NodeSnapshot& node, const InterferenceSettings& settings, InterferenceState& state);

// Tests a suspect that observation cannot judge: it is limited in some time slots and not in others
// (qos/detector/limit_effect.h). One at a time on a node. Does not write, or limit a suspect for longer
// than a slot.

/// Adds the new samples, goes on to the next slot, and reports the result: an accusation that was tested, or
/// a suspect that is cleared for a while. Begins the next test, if there is a suspicion and the day's budget
/// allows it.
void advance_trial(const NodeSnapshot& node, const InterferenceSettings& settings,
                   std::span<const NewSample> sampled, InterferenceState& state);

// Limits antagonists to protect a victim: no further one while a limit has not yet helped. The victim is
// watched, and a limit that does not help is removed. Does not write.

/// Judges the limits in force by the samples that just came, ends those whose time is over, and makes a new
/// one where the evidence holds.
void act(const NodeSnapshot& node, const InterferenceSettings& settings, std::span<const NewSample> sampled,
         InterferenceState& state);

// The facts that interference publishes (qos/decide/shared.h), made from its state.

void publish(const InterferenceState& state, decide::WatchedCgroups& watched);
void publish(const InterferenceState& state, decide::CacheLimits& cache);
void publish(const InterferenceState& state, decide::MemoryLimits& memory);
void publish(const InterferenceState& state, const InterferenceSettings& settings,
             decide::RepeatAntagonists& repeat);

// Chooses what is limited of an antagonist so that a victim recovers, and adds the intents for it. Does not
// decide which pod is an antagonist.

/// A best-effort pod or host application that may be limited, and is not yet. Null otherwise.
const Unit* limitable(const NodeSnapshot& node, const InterferenceState& state, CgroupId suspect);
/// Some limit is not yet known to help or not: another one, or a test, would only blur that.
bool awaits_relief(const InterferenceState& state);

/// The remedy for contention of this kind that this machine supports. Absent: the suspect's use is not known,
/// or there is next to nothing to take.
std::optional<Limit> remedy_for(Signal signal, const Unit& suspect, const NodeSnapshot& node,
                                const InterferenceSettings& settings, const InterferenceState& state);
/// A quota of this part of its use, but not below what keeps it alive. Absent as above, and where a quota on
/// best effort does harm (decide::quota_harm).
std::optional<Limit> cpu_limit(const Unit& suspect, Percent keeps, const InterferenceSettings& settings,
                               const InterferenceState& state);

/// The kernel holds this limit at this look: a foreign write, or a refused write, is no limit.
bool in_force(const NodeSnapshot& node, const Limit& limit, CgroupIndex suspect);

/// Intents of the limits in force, and of the running test. The policy "resctrl" makes the groups of remedy
/// cache.
void add_intents(const NodeSnapshot& node, const InterferenceState& state, decide::Intents& out);

}  // namespace evenkeel::interference
