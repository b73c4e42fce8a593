// A suspect of whom watching tells nothing is held back in some slots of time and left alone in others
// (qos/detector/randomized_trial.h). One at a time on a node. May not: write, or limit anybody for longer
// than a slot.
#pragma once

#include "qos/interference/measure.h"

namespace evenkeel::interference {

/// Takes in the samples that just came, goes on to the next slot, and tells what came of it: an accusation
/// that was tested, or a suspect that is cleared for a while. Begins the next test, if there is a suspicion
/// and the day's budget allows it.
void try_out(const NodeSnapshot& node, const InterferenceSettings& settings, std::span<const Sampled> sampled,
             InterferenceState& state);

}  // namespace evenkeel::interference
