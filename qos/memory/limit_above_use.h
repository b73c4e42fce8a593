// How a limit on memory comes down without harm: the write itself would reclaim, or kill for, the difference
// between what is in use and the new limit, and whoever writes waits for that. So it follows the use.
#pragma once

#include "qos/model/units.h"

namespace evenkeel::memory {

/// So far above `used` (2 %, in whole MiB) that a write has nothing to do.
Bytes with_room(Bytes used);
/// `wanted`, or as much above `used` as the write needs to find nothing to do; never more
/// than `now` unless `wanted` is.
Bytes gentle_limit(Bytes wanted, Bytes used, Bytes now);

}  // namespace evenkeel::memory
