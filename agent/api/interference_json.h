// Who stands accused of hurting whom, with the evidence and what is done about it, as JSON and as a sentence.
// May not: judge.
#pragma once

#include <string>

#include "agent/runtime/json.h"
#include "agent/tick/agent.h"

namespace evenkeel::api {

/// An array: one object for each accusation that stands, in the order in which they were made.
void put_accusations(runtime::Json& json, const tick::Agent& agent);
/// The whole page: accusations, limits in force, and how much each victim waited because of others.
std::string interference_json(const tick::Agent& agent);

}  // namespace evenkeel::api
