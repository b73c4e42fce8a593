// The capability rows of resctrl. Only reads; never mounts anything.
#pragma once

#include <vector>

#include "cgroup/features/features.h"

namespace evenkeel::features {

/// Rows "resctrl", "cache-ways", "memory-bandwidth" and "cache-monitor".
void probe_resctrl(const Host& host, std::vector<Capability>& out);

}  // namespace evenkeel::features
