// The part of features.h that is about disks: weights, the cost model, latency targets.
// May not: try any of it; there may be no disk to try it with.
#pragma once

#include "cgroup/features/features.h"

namespace evenkeel::features {

/// Adds its rows, and says in those of files what else a kernel may have. `all` has the files' rows already.
void probe_disks(const Host& host, const tree::CgroupTree& tree, std::vector<Capability>& all);

}  // namespace evenkeel::features
