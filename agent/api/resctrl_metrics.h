// What resctrl was told and what it measures, as metrics; nothing on machines without it.
#pragma once

#include "agent/api/exposition.h"
#include "agent/tick/agent.h"

namespace evenkeel::api {

void put_resctrl(Exposition& out, const tick::Agent& agent);

}  // namespace evenkeel::api
