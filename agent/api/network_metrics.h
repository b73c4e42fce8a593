// What shares the network, as metrics; nothing where nobody asks for it.
// May not: look anything up that the agent has not counted.
#pragma once

#include "agent/api/agent_view.h"
#include "agent/api/exposition.h"

namespace evenkeel::api {

void put_network(Exposition& out, const AgentView& view);

}  // namespace evenkeel::api
