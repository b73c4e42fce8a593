// The metrics of memory that was taken from cgroups. May not: take any.
#pragma once

#include "agent/api/agent_view.h"
#include "agent/api/exposition.h"

namespace evenkeel::api {

void put_reclaim(Exposition& out, const AgentView& view);

}  // namespace evenkeel::api
