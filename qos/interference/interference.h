// Who hurts whom: measures, learns what is normal, finds out who is to blame, acts while the evidence holds.
// After CPI² (Zhang et al., EuroSys 2013), with measured waits as the first evidence.
#pragma once

#include "qos/decide/policy.h"
#include "qos/interference/state.h"

namespace evenkeel::interference {

using InterferencePolicy =
    decide::Policy<InterferenceState, decide::Publishes<decide::CacheLimits, decide::MemoryLimits,
                                                        decide::WatchedCgroups, decide::RepeatAntagonists>>;
extern const InterferencePolicy interference_policy;

/// Forgets everything, as if it had just been switched on: before what an earlier run has learned is loaded,
/// which must have been measured in the same way as now.
void restart(const NodeSnapshot& node, const InterferenceSettings& settings, InterferenceState& state,
             InterferencePolicy::Facts facts);

}  // namespace evenkeel::interference
