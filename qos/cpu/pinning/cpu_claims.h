// Which CPUs are spoken for, and by whom: what is left is what services without CPUs of their own share.
#pragma once

#include "qos/model/snapshot.h"

namespace evenkeel::pinning {

struct CpuClaims {
  CpuSet legal{};      ///< online, in kubepods' set, neither reserved nor the system's own
  CpuSet pinned{};     ///< of LSR pods, which share them with best effort; legal ones only
  CpuSet exclusive{};  ///< of LSE pods and of those that the kubelet has pinned itself
  [[nodiscard]] CpuSet shared() const { return legal - pinned - exclusive; }
};

/// Of two pods that claim the same CPU the later one in the list decides.
CpuClaims cpu_claims(const NodeSnapshot& node);

/// What a cgroup runs on: an empty set on v2 means "as the parent", which the effective one shows.
std::optional<CpuSet> cpus_in_force(const CgroupSample* sample);

}  // namespace evenkeel::pinning
