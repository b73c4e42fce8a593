// The part of features.h that is about taking memory back: what memory.reclaim can do here, and what it
// stands in for. May not: take any; the kernel is asked with an order for nothing.
#pragma once

#include "cgroup/features/features.h"

namespace evenkeel::features {

/// Adds its rows. `all` has the levers already.
void probe_memory(const Host& host, const tree::CgroupTree& tree, std::vector<Capability>& all);

}  // namespace evenkeel::features
