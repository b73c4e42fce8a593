// The capability rows of disks: weights, the cost model, latency targets. Does not try any of them, since
// there may be no disk to try them with.
#pragma once

#include "cgroup/features/features.h"

namespace evenkeel::features {

/// Adds the rows, and notes in those of files what else a kernel may offer. `all` has the files' rows
/// already.
void probe_disks(const Host& host, const tree::CgroupTree& tree, std::vector<Capability>& all);

}  // namespace evenkeel::features
