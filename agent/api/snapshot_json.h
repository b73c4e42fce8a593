// The snapshot as JSON: what the agent knows right now, with null for what it does not know.
#pragma once

#include <string>

#include "agent/api/agent_view.h"

namespace evenkeel::api {

std::string snapshot_json(const AgentView& view);
std::string capabilities_json(const std::vector<features::Capability>& capabilities);
/// Three aligned columns for a terminal.
std::string capabilities_text(const std::vector<features::Capability>& capabilities);

}  // namespace evenkeel::api
