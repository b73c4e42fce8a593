// Whom a brake helps.
#pragma once

#include <vector>

#include "qos/model/snapshot.h"

namespace evenkeel {

/// The cgroups of pods and host applications that are not best effort.
std::vector<CgroupIndex> services_of(const NodeSnapshot& node);

}  // namespace evenkeel
