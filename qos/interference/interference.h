// Who hurts whom: measures, learns what is normal, finds out who is to blame, acts while the evidence holds.
// After CPI² (Zhang et al., EuroSys 2013), with measured waits as the first evidence.
#pragma once

#include "qos/decide/policy.h"

namespace evenkeel::interference {

extern const decide::PolicySpec interference_policy;

}  // namespace evenkeel::interference
