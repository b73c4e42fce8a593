// What is done about it: one antagonist at a time is limited for the sake of a victim, the victim is watched,
// and a limit that does not help is taken back. May not: write.
#pragma once

#include "qos/interference/measure.h"

namespace evenkeel::interference {

/// Judges the limits in force by the samples that just came, ends those whose time is over, and makes a new
/// one where the evidence holds.
void act(const NodeSnapshot& node, const InterferenceSettings& settings, std::span<const Sampled> sampled,
         InterferenceState& state);

}  // namespace evenkeel::interference
