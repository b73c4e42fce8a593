// The metrics of limits on disks; nothing where there are none. May not: look at a disk.
#pragma once

#include "agent/api/agent_view.h"
#include "agent/api/exposition.h"

namespace evenkeel::api {

void put_disks(Exposition& out, const AgentView& view);

}  // namespace evenkeel::api
