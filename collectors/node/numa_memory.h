// The memory of each NUMA node, for reports that name them. Not for ticks: it opens files and allocates.
#pragma once

#include <optional>
#include <vector>

#include "cgroup/base/host.h"
#include "qos/model/units.h"

namespace evenkeel::node {

struct NumaMemory {
  Bytes ordinary{};                        ///< MemTotal without the reserved huge pages of every size
  Bytes pages_of_1gib{}, pages_of_2mib{};  ///< reserved huge pages, in use or not
  bool operator==(const NumaMemory&) const = default;
};

/// Of each NUMA node (sys/devices/system/node), at the index of its number; of the whole machine, as node 0,
/// where the kernel has no NUMA. Absent: a figure cannot be read, or the numbers of the nodes have gaps.
std::optional<std::vector<NumaMemory>> numa_memory(const Host& host);

}  // namespace evenkeel::node
