// The metrics of memory that was taken from cgroups. May not: take any.
#pragma once

#include "agent/api/exposition.h"
#include "agent/tick/agent.h"

namespace evenkeel::api {

void put_reclaim(Exposition& out, const tick::Agent& agent);

}  // namespace evenkeel::api
