// The metrics of what is asked of servers and told to them. May not: ask.
#pragma once

#include "agent/api/agent_view.h"
#include "agent/api/exposition.h"

namespace evenkeel::api {

void put_servers(Exposition& out, const AgentView& view);

}  // namespace evenkeel::api
