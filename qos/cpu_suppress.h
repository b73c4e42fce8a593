// Policy "cpu-suppress": best effort may use what the services leave below the node's CPU threshold; enforced
// with one quota on the BestEffort directory (cfsQuota) or with the CPUs of everything below it (cpuset).
#pragma once

#include "qos/cpu_suppress_damping.h"
#include "qos/cpu_suppress_target.h"
#include "qos/policy.h"

namespace evenkeel {

extern const PolicySpec cpu_suppress_policy;

/// The two ways to enforce. Both hold what is in force when something that decides is unknown.
void suppress_by_quota(const NodeSnapshot& node, const NodeSlo& slo, CpuSuppressState& state, Intents& out);
void suppress_by_cpuset(const NodeSnapshot& node, const NodeSlo& slo, CpuSuppressState& state, Intents& out);

/// The sentence that goes with a step, with the numbers of the target.
Reason suppress_reason(const SuppressStep& step, const SuppressTarget& target);

}  // namespace evenkeel
