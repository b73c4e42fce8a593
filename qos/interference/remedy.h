// Chooses what is limited of an antagonist so that a victim recovers, and adds the intents for it. Does not
// decide which pod is an antagonist.
#pragma once

#include "qos/decide/intent.h"
#include "qos/interference/state.h"
#include "qos/model/nodeslo.h"

namespace evenkeel::interference {

/// A best-effort pod or host application that may be limited, and is not yet. Null otherwise.
const Unit* limitable(const NodeSnapshot& node, const InterferenceState& state, CgroupId suspect);
/// Some limit is not yet known to help or not: another one, or a test, would only blur that.
bool awaits_relief(const InterferenceState& state);

/// The remedy for contention of this kind that this machine supports. Absent: the suspect's use is not known,
/// or there is next to nothing to take.
std::optional<Limit> remedy_for(Signal signal, const Unit& suspect, const NodeSnapshot& node,
                                const InterferenceSettings& settings);
/// A quota of this part of its use, but not below what keeps it alive. Absent as above.
std::optional<Limit> cpu_limit(const Unit& suspect, Percent keeps, const InterferenceSettings& settings);

/// The kernel holds this limit at this look: a foreign write, or a refused write, is no limit.
bool in_force(const NodeSnapshot& node, const Limit& limit, CgroupIndex suspect);

/// Intents of the limits in force, and of the running test. The policy "resctrl" makes the groups of remedy
/// cache.
void wish(const NodeSnapshot& node, const InterferenceState& state, decide::Intents& out);

}  // namespace evenkeel::interference
