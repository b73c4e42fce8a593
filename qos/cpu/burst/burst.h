// Policy "cpu-burst": lets services use CPU that the node has to spare. Static burst lets a container use
// what it left in earlier periods (cpu.max.burst); quota burst raises the quota of a throttled container, and
// its pod's with it, while the node's shared CPUs are idle.
#pragma once

#include "qos/decide/policy.h"

namespace evenkeel::burst {

extern const decide::PolicySpec cpu_burst_policy;

/// The node's strategy with the fields that the pod's annotation replaces. An unknown policy word is "none".
CpuBurstStrategy burst_strategy(const CpuBurstStrategy& node, const CpuBurstOverride& pod);

/// A pod that burst has nothing to do with: it owns its CPUs, is best effort, has ended, or is nobody's
/// business.
bool skipped_by_burst(const Pod& pod);

}  // namespace evenkeel::burst
