// Memory limits that come down without harm, and which services are short of memory by their own limit.
#pragma once

#include "qos/model/snapshot.h"
#include "qos/model/units.h"

namespace evenkeel::memory {

// Lowers a memory limit without harm: the write itself would reclaim, or kill for, the difference between
// what is in use and the new limit, and the writer would block for that. So it follows the use.

/// A limit far enough above `used` (2 %, in whole MiB) that a write reclaims nothing.
Bytes with_headroom(Bytes used);
/// `wanted`, or as much above `used` as needed for a write that reclaims nothing; never more than `now`
/// unless `wanted` is.
Bytes limit_above_use(Bytes wanted, Bytes used, Bytes now);

// Which services are short of memory because of their own limit, and how much best effort keeps when its
// memory is reclaimed.

/// A container of the pod has nearly reached its own limit: it stalls for that reason.
bool is_near_own_limit(const NodeSnapshot& node, const PodSample& pod);

/// What is protected for it and what it could free only by swapping. `besteffort.memory.anonymous` is known.
Bytes min_besteffort_memory(const CgroupSample& besteffort);

}  // namespace evenkeel::memory
