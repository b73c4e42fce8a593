// The agent's metrics: a table of what is measured on the node, per cgroup and about the agent itself,
// rendered when somebody asks, from one snapshot: no live series is ever missing from a scrape.
#pragma once

#include <string>

#include "agent/api/agent_view.h"

namespace evenkeel::api {

std::string metrics_text(const AgentView& view);

}  // namespace evenkeel::api
