// What the interference detection measures, as metrics.
#pragma once

#include "agent/api/agent_view.h"
#include "agent/api/exposition.h"

namespace evenkeel::api {

void put_interference(Exposition& out, const AgentView& view);

}  // namespace evenkeel::api
