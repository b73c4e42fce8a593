// What the interference detection measures, as metrics.
#pragma once

#include "agent/api/exposition.h"
#include "agent/tick/agent.h"

namespace evenkeel::api {

void put_interference(Exposition& out, const tick::Agent& agent);

}  // namespace evenkeel::api
