// Memory limits that come down without harm, and which services are short of memory by their own limit.
#pragma once

#include "qos/model/snapshot.h"
#include "qos/model/units.h"

namespace evenkeel::memory {

// How a limit on memory comes down without harm: the write itself would reclaim, or kill for, the difference
// between what is in use and the new limit, and whoever writes waits for that. So it follows the use.

/// So far above `used` (2 %, in whole MiB) that a write has nothing to do.
Bytes with_headroom(Bytes used);
/// `wanted`, or as much above `used` as the write needs to find nothing to do; never more
/// than `now` unless `wanted` is.
Bytes limit_above_use(Bytes wanted, Bytes used, Bytes now);

// Who is short of memory by his own doing, and how much best effort keeps when it has to give some back.

/// A container of the pod has nearly all that its own limit allows: it stalls for that reason.
bool is_near_own_limit(const NodeSnapshot& node, const PodSample& pod);

/// What is protected for it and what it could give back by swapping only. `besteffort.memory.anonymous` is
/// known.
Bytes min_besteffort_memory(const CgroupSample& besteffort);

}  // namespace evenkeel::memory
