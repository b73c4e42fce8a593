// The metrics of what is asked of servers and told to them. May not: ask.
#pragma once

#include "agent/api/exposition.h"
#include "agent/tick/agent.h"

namespace evenkeel::api {

void put_servers(Exposition& out, const tick::Agent& agent);

}  // namespace evenkeel::api
