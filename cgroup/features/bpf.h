// The capability rows of what needs BPF programs in the kernel. Does not leave a program loaded.
#pragma once

#include <vector>

#include "cgroup/features/features.h"

namespace evenkeel::features {

void probe_bpf(const Host& host, const tree::CgroupTree& tree, std::vector<Capability>& out);

}  // namespace evenkeel::features
