// Who did it: suspects are held against a victim that is out of the ordinary, and accusations kept while they
// are found again. May not: act.
#pragma once

#include "qos/interference/measure.h"

namespace evenkeel::interference {

/// Looks at one victim's signal that just got a sample.
void look_at(const Sampled& sampled, const NodeSnapshot& node, const InterferenceSettings& settings,
             InterferenceState& state);

/// Puts it among the accusations, or renews the one that is there.
void accuse(const Accusation& found, MonoTime now, InterferenceState& state);
/// For this tick's record; counts it.
void tell(InterferenceState& state, const InterferenceNews& news);

/// Accusations that were not found again for some windows, or whose victim or suspect has gone, are over.
void let_go(const NodeSnapshot& node, const InterferenceSettings& settings, InterferenceState& state);

}  // namespace evenkeel::interference
