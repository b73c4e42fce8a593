// Selects the cgroups that the brake protects.
#pragma once

#include <vector>

#include "qos/model/snapshot.h"

namespace evenkeel::pressure {

/// The cgroups of pods and host applications that are not best effort.
std::vector<CgroupIndex> latency_sensitive(const NodeSnapshot& node);

}  // namespace evenkeel::pressure
