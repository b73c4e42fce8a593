// The metrics of limits on disks; nothing where there are none. May not: look at a disk.
#pragma once

#include "agent/core/agent.h"
#include "agent/face/exposition.h"

namespace evenkeel {

void put_disks(Exposition& out, const Agent& agent);

}  // namespace evenkeel
