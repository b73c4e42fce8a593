// The capability rows of memory reclaim: what memory.reclaim can do here, and what it replaces. Does not
// reclaim any memory; it tests with a request for nothing.
#pragma once

#include "cgroup/features/features.h"

namespace evenkeel::features {

/// Adds the rows. `all` has the levers already.
void probe_memory(const Host& host, const tree::CgroupTree& tree, std::vector<Capability>& all);

}  // namespace evenkeel::features
