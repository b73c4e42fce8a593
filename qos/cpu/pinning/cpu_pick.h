// Which CPUs of a pool best effort gets when it may use so many: whole cores first, spread evenly over NUMA
// nodes and sockets, at most one half-used core.
#pragma once

#include <vector>

#include "qos/model/topology.h"

namespace evenkeel::pinning {

/// `count` CPUs of `pool` in the order of choice; all of them where the pool is smaller.
std::vector<CpuId> pick_cpus(const CpuTopology& topology, const CpuSet& pool, std::size_t count);

}  // namespace evenkeel::pinning
