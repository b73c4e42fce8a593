// Who stands accused of hurting whom, with the evidence and what is done about it, as JSON and as a sentence.
// May not: judge.
#pragma once

#include <string>

#include "agent/api/agent_view.h"
#include "agent/runtime/json.h"

namespace evenkeel::api {

/// An array: one object for each accusation that stands, in the order in which they were made.
void put_accusations(runtime::Json& json, const AgentView& view);
/// The whole page: accusations, limits in force, and how much each victim waited because of others.
std::string interference_json(const AgentView& view);

}  // namespace evenkeel::api
