// What eviction last thought, as JSON: every trigger that is switched on, whether somebody has to go, and why
// nobody does. May not: decide anything.
#pragma once

#include "agent/api/agent_view.h"
#include "agent/runtime/json.h"

namespace evenkeel::api {

/// An array, one object for each trigger that is on.
void put_eviction_verdicts(runtime::Json& json, const AgentView& view);

}  // namespace evenkeel::api
