// The metrics of what is asked of servers and told to them. May not: ask.
#pragma once

#include "agent/core/agent.h"
#include "agent/face/exposition.h"

namespace evenkeel {

void put_servers(Exposition& out, const Agent& agent);

}  // namespace evenkeel
