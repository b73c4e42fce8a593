// What resctrl was told and what it measures, as metrics; nothing on machines without it.
#pragma once

#include "agent/core/agent.h"
#include "agent/face/exposition.h"

namespace evenkeel {

void put_resctrl(Exposition& out, const Agent& agent);

}  // namespace evenkeel
