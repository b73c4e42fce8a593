// What resctrl was told and what it measures, as metrics; nothing on machines without it.
#pragma once

#include "agent/api/agent_view.h"
#include "agent/api/exposition.h"

namespace evenkeel::api {

void put_resctrl(Exposition& out, const AgentView& view);

}  // namespace evenkeel::api
