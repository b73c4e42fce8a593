// The memory of each NUMA node, for reports that name them. Not for ticks: it opens files and allocates.
#pragma once

#include <optional>
#include <vector>

#include "cgroup/base/host.h"
#include "qos/model/units.h"

namespace evenkeel::node {

/// MemTotal of each NUMA node without its reserved huge pages (sys/devices/system/node), at the index of its
/// number. Empty: the kernel has no NUMA directory. Absent: a figure cannot be read, or the numbers of the
/// nodes have gaps.
std::optional<std::vector<Bytes>> numa_memory(const Host& host);

}  // namespace evenkeel::node
