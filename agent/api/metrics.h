// Renders the agent's metrics (of the node, of each cgroup and of the agent itself) at each scrape from one
// snapshot, so no live series is missing from a scrape.
#pragma once

#include <string>

#include "agent/api/agent_view.h"

namespace evenkeel::api {

std::string metrics_text(const AgentView& view);

}  // namespace evenkeel::api
