// The rows of what needs programs in the kernel. May not: leave one there.
#pragma once

#include <vector>

#include "cgroup/features/features.h"

namespace evenkeel {

void probe_bpf(const Host& host, const CgroupTree& tree, std::vector<Capability>& out);

}  // namespace evenkeel
