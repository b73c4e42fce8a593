// The metrics of limits on disks; nothing where there are none. May not: look at a disk.
#pragma once

#include "agent/api/exposition.h"
#include "agent/tick/agent.h"

namespace evenkeel::api {

void put_disks(Exposition& out, const tick::Agent& agent);

}  // namespace evenkeel::api
