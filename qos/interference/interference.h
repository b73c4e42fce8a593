// Policy "interference": measures which pod slows which service, learns what is normal, finds the cause, and
// acts while the evidence holds. After CPI² (Zhang et al., EuroSys 2013), with measured waits as the first
// evidence.
#pragma once

#include "qos/decide/policy.h"
#include "qos/interference/state.h"

namespace evenkeel::interference {

using InterferencePolicy =
    decide::Policy<InterferenceState, decide::Publishes<decide::CacheLimits, decide::MemoryLimits,
                                                        decide::WatchedCgroups, decide::RepeatAntagonists>>;
extern const InterferencePolicy interference_policy;

/// Resets everything, as if just switched on: called before the models of an earlier run are loaded, which
/// must have been measured in the same way as now.
void restart(const NodeSnapshot& node, const InterferenceSettings& settings, InterferenceState& state,
             InterferencePolicy::Facts facts);

}  // namespace evenkeel::interference
