// What shares the network, as metrics; nothing where nobody asks for it.
// May not: look anything up that the agent has not counted.
#pragma once

#include "agent/api/exposition.h"
#include "agent/tick/agent.h"

namespace evenkeel::api {

void put_network(Exposition& out, const tick::Agent& agent);

}  // namespace evenkeel::api
