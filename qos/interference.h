// Who hurts whom.
#pragma once

#include "qos/policy.h"

namespace evenkeel {

extern const PolicySpec interference_policy;

/// Null: it is not watched.
const WatchedContainer* watched_container(const InterferenceState& state, CgroupId cgroup);

}  // namespace evenkeel
