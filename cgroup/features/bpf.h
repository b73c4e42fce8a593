// The rows of what needs programs in the kernel. May not: leave one there.
#pragma once

#include <vector>

#include "cgroup/features/features.h"

namespace evenkeel::features {

void probe_bpf(const Host& host, const tree::CgroupTree& tree, std::vector<Capability>& out);

}  // namespace evenkeel::features
