// The metrics of pressure triggers and of the brake. May not: brake.
#pragma once

#include "agent/api/agent_view.h"
#include "agent/api/exposition.h"

namespace evenkeel::api {

void put_brake(Exposition& out, const AgentView& view);

}  // namespace evenkeel::api
