// The capability rows of the scheduler: its features in debugfs, and core scheduling. Does not set a feature
// or assign a cookie.
#pragma once

#include <vector>

#include "cgroup/features/features.h"

namespace evenkeel::features {

void probe_sched(const Host& host, std::vector<Capability>& out);

}  // namespace evenkeel::features
