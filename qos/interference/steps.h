// The steps of the interference policy, in the order in which each tick runs them. Each works on the policy's
// state.
#pragma once

#include "qos/decide/shared.h"
#include "qos/interference/state.h"
#include "qos/model/nodeslo.h"

namespace evenkeel::interference {

// From what each tick measures to one sample per window of each signal, for victims and suspects alike.
// May not: judge.

/// Takes in the snapshot. `sampled` gets those whose window ended.
void measure(const NodeSnapshot& node, const InterferenceSettings& settings, InterferenceState& state,
             std::vector<NewSample>& sampled);

/// The detector's settings under this configuration.
detector::DetectorSettings detector_settings(const InterferenceSettings& settings);

// Who did it: suspects are held against a victim that is out of the ordinary, and accusations kept while they
// are found again. May not: act.

/// Looks at one victim's signal that just got a sample.
void look_at(const NewSample& sampled, const NodeSnapshot& node, const InterferenceSettings& settings,
             InterferenceState& state);

/// Puts it among the accusations, or renews the one that is there.
void accuse(const Accusation& found, MonoTime now, InterferenceState& state);
/// For this tick's record; counts it.
void tell(InterferenceState& state, const InterferenceEvent& news);

/// Accusations that were not found again for some windows, or whose victim or suspect has gone, are over.
void let_go(const NodeSnapshot& node, const InterferenceSettings& settings, InterferenceState& state);

// A suspect of whom watching tells nothing is held back in some slots of time and left alone in others
// (qos/detector/randomized_trial.h). One at a time on a node. May not: write, or limit anybody for longer
// than a slot.

/// Takes in the samples that just came, goes on to the next slot, and tells what came of it: an accusation
/// that was tested, or a suspect that is cleared for a while. Begins the next test, if there is a suspicion
/// and the day's budget allows it.
void advance_trial(const NodeSnapshot& node, const InterferenceSettings& settings,
                   std::span<const NewSample> sampled, InterferenceState& state);

// What is done about it: one antagonist at a time is limited for the sake of a victim, the victim is watched,
// and a limit that does not help is taken back. May not: write.

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

}  // namespace evenkeel::interference
