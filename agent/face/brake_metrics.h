// The metrics of pressure triggers and of the brake. May not: brake.
#pragma once

#include "agent/core/agent.h"
#include "agent/face/exposition.h"

namespace evenkeel {

void put_brake(Exposition& out, const Agent& agent);

}  // namespace evenkeel
