// The policy of cpusets, and its choice of CPUs.
#pragma once

#include <vector>

#include "qos/decide/policy.h"
#include "qos/model/snapshot.h"
#include "qos/model/topology.h"

namespace evenkeel::pinning {

// Computes which CPUs pods have claimed, and which of the others best effort gets.

// The CPUs that are claimed; services without CPUs of their own share the rest.

struct CpuClaims {
  CpuSet all{};        ///< online, in kubepods' set
  CpuSet legal{};      ///< of these, neither reserved nor the system's own
  CpuSet pinned{};     ///< of other services that have CPUs; best effort shares them; legal ones only
  CpuSet exclusive{};  ///< of LSE pods and of those that the kubelet has pinned
  [[nodiscard]] CpuSet shared() const { return legal - pinned - exclusive; }
  [[nodiscard]] CpuSet best_effort() const { return legal - exclusive; }
};

/// If two pods claim the same CPU, the later one in the list decides.
CpuClaims cpu_claims(const NodeSnapshot& node);

/// The CPUs a cgroup runs on: an empty set on v2 means "as the parent", which the effective set shows.
std::optional<CpuSet> cpus_in_use(const CgroupSample* sample);

/// Calls `see` with index and sample for the BestEffort directory and everything in it, if it has a CPU set.
template <class See>
void for_besteffort(const NodeSnapshot& node, See see) {
  for (std::size_t i = 0; i < node.cgroups.size(); ++i)
    if (node.cgroups[i].applied.cpus && node.is_within(static_cast<CgroupIndex>(i), node.besteffort))
      see(static_cast<CgroupIndex>(i), node.cgroups[i]);
}

// Which CPUs of a pool best effort gets for a given count: whole cores first, spread evenly over NUMA nodes
// and sockets, at most one half-used core.

/// `count` CPUs of `pool` in the order of choice; all of them if the pool is smaller.
std::vector<CpuId> pick_cpus(const CpuTopology& topology, const CpuSet& pool, std::size_t count);

// Policy "cpusets": pins containers to the CPUs that Koordinator's scheduler has assigned to their pod
// (annotation scheduling.koordinator.sh/resource-status). Services without CPUs of their own share the rest,
// so that no other service runs on them (best effort shares them, but for those of LSE pods). Best effort is
// kept off the CPUs that it may not share; suppression, which comes first, may give it fewer of the others.
// Where the kubelet's own CPU manager pins (policy static), the kubelet rewrites every set every ten seconds:
// there this policy does nothing.

using CpusetsPolicy = decide::Policy<decide::NoState>;
extern const CpusetsPolicy cpusets_policy;

}  // namespace evenkeel::pinning
