// Which CPUs pods have claimed, and which of the others best effort gets.
#pragma once

#include <vector>

#include "qos/model/snapshot.h"
#include "qos/model/topology.h"

namespace evenkeel::pinning {

// Which CPUs are spoken for, and by whom: what is left is what services without CPUs of their own share.

struct CpuClaims {
  CpuSet legal{};      ///< online, in kubepods' set, neither reserved nor the system's own
  CpuSet pinned{};     ///< of LSR pods, which share them with best effort; legal ones only
  CpuSet exclusive{};  ///< of LSE pods and of those that the kubelet has pinned itself
  [[nodiscard]] CpuSet shared() const { return legal - pinned - exclusive; }
};

/// Of two pods that claim the same CPU the later one in the list decides.
CpuClaims cpu_claims(const NodeSnapshot& node);

/// What a cgroup runs on: an empty set on v2 means "as the parent", which the effective one shows.
std::optional<CpuSet> cpus_in_use(const CgroupSample* sample);

// Which CPUs of a pool best effort gets when it may use so many: whole cores first, spread evenly over NUMA
// nodes and sockets, at most one half-used core.

/// `count` CPUs of `pool` in the order of choice; all of them where the pool is smaller.
std::vector<CpuId> pick_cpus(const CpuTopology& topology, const CpuSet& pool, std::size_t count);

}  // namespace evenkeel::pinning
