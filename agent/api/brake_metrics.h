// The metrics of pressure triggers and of the brake. May not: brake.
#pragma once

#include "agent/api/exposition.h"
#include "agent/tick/agent.h"

namespace evenkeel::api {

void put_brake(Exposition& out, const tick::Agent& agent);

}  // namespace evenkeel::api
