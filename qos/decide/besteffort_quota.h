// Sets the CPU quota of the BestEffort directory, for every policy that limits best effort as a whole. On
// cgroup v1 the cgroups inside of it get it as well. Does not decide how much the quota is.
#pragma once

#include "qos/decide/intent.h"
#include "qos/decide/shared.h"
#include "qos/model/snapshot.h"

namespace evenkeel::decide {

/// No policy limits best effort below this: Koordinator's minimum, 2000 µs of CPU time per 100 ms.
inline constexpr MilliCpu kMinBesteffortCpu{20};

/// Adds an intent for this quota. `limit.quota` is present.
void limit_besteffort(const NodeSnapshot& node, const CpuLimit& limit, const Reason& why,
                      NarrowedChildren& narrowed, Intents& out);
/// Keeps the value in force.
void hold_besteffort_limit(const NodeSnapshot& node, const NarrowedChildren& narrowed, const Reason& why,
                           Intents& out);

}  // namespace evenkeel::decide
