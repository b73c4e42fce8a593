// Who waited for a CPU, for memory and for disks, and because of whom, as metrics; nothing where nobody asks.
// May not: look anything up that the agent has not counted.
#pragma once

#include "agent/api/agent_view.h"
#include "agent/api/exposition.h"

namespace evenkeel::api {

void put_waits(Exposition& out, const AgentView& view);

}  // namespace evenkeel::api
