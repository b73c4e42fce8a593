// What the interference detection measures, as metrics.
#pragma once

#include "agent/core/agent.h"
#include "agent/face/exposition.h"

namespace evenkeel {

void put_interference(Exposition& out, const Agent& agent);

}  // namespace evenkeel
