// The metrics of pressure triggers and of the brake. May not: brake.
#pragma once

#include "agent/api/exposition.h"
#include "agent/tick/agent.h"

namespace evenkeel {

void put_brake(Exposition& out, const Agent& agent);

}  // namespace evenkeel
