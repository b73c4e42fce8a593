// What shares the network, as metrics; nothing where nobody asks for it.
// May not: look anything up that the agent has not counted.
#pragma once

#include "agent/core/agent.h"
#include "agent/face/exposition.h"

namespace evenkeel {

void put_network(Exposition& out, const Agent& agent);

}  // namespace evenkeel
