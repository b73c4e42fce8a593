// The capability row of the network: whether packets can be classified and queued by class. Does not touch an
// interface.
#pragma once

#include <vector>

#include "cgroup/features/features.h"

namespace evenkeel::features {

void probe_network(const Host& host, const tree::CgroupTree& tree, std::vector<Capability>& out);

}  // namespace evenkeel::features
