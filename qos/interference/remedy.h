// What is taken from an antagonist so that a victim recovers, and how that is asked for.
// May not: decide who is an antagonist.
#pragma once

#include "qos/decide/intent.h"
#include "qos/interference/state.h"
#include "qos/model/nodeslo.h"

namespace evenkeel::interference {

/// A best-effort pod or host application that may be limited, and is not yet. Null otherwise.
const Unit* limitable(const NodeSnapshot& node, const InterferenceState& state, CgroupId suspect);
/// Of some limit it is not known yet whether it helps: another one, or a test, would only blur that.
bool awaits_relief(const InterferenceState& state);

/// What helps against contention of this kind, with what this machine has. Absent: its use is not known, or
/// there is next to nothing to take.
std::optional<Limit> remedy_for(Signal signal, const Unit& suspect, const NodeSnapshot& node,
                                const InterferenceSettings& settings);
/// A quota of this part of what it uses, but not below what keeps it alive. Absent as above.
std::optional<Limit> cpu_limit(const Unit& suspect, Percent keeps, const InterferenceSettings& settings);

/// The kernel has it so, as of this look: somebody else's value, or a refusal, is no limit.
bool in_force(const NodeSnapshot& node, const Limit& limit, CgroupIndex suspect);

/// What the limits in force ask for, and the test that is under way. Groups of remedy cache are the policy
/// "resctrl"'s to make.
void wish(const NodeSnapshot& node, const InterferenceState& state, decide::Intents& out);

}  // namespace evenkeel::interference
