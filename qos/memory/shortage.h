// Who is short of memory by his own doing, and how much best effort keeps when it has to give some back.
#pragma once

#include "qos/model/snapshot.h"

namespace evenkeel::memory {

/// A container of the pod has nearly all that its own limit allows: it stalls for that reason.
bool meets_own_limit(const NodeSnapshot& node, const PodSample& pod);

/// What is protected for it and what it could give back by swapping only. `besteffort.memory.anonymous` is
/// known.
Bytes least_memory(const CgroupSample& besteffort);

}  // namespace evenkeel::memory
