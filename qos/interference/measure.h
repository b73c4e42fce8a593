// From what each tick measures to one sample per window of each signal, for victims and suspects alike.
// May not: judge.
#pragma once

#include "qos/interference/state.h"

namespace evenkeel::interference {

/// Takes in the snapshot. `sampled` gets those whose window ended.
void measure(const NodeSnapshot& node, const InterferenceSettings& settings, InterferenceState& state,
             std::vector<Sampled>& sampled);

/// The detector's settings under this configuration.
detector::DetectorSettings detector_settings(const InterferenceSettings& settings);

}  // namespace evenkeel::interference
