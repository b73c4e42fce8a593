// Policy "cpu-normalization": on a node whose CPUs count for more than a standard one (annotation
// node.koordinator.sh/cpu-normalization-ratio above 1) services get their limit in standard CPUs, which is
// less time: quota / ratio, rounded up, for containers and pods. CPU burst starts from the same figure, and
// takes precedence for the quotas it sets. Does not set a quota that the kubelet did not set.
#pragma once

#include "qos/decide/policy.h"

namespace evenkeel::burst {

/// What the quotas of this pod are divided by; absent: nothing.
std::optional<double> quota_divisor(const NodeSnapshot& node, const NodeSlo& slo, const Pod& pod);
/// Rounded up, at least the kernel's 1 ms.
QuotaTime divided(QuotaTime quota, std::optional<double> divisor);
/// The pod's own quota: what its containers may use together, never less than the sum of theirs. Absent: one
/// of them has no limit, or its init containers may need more.
std::optional<QuotaTime> normalized_pod_quota(const Pod& pod, Duration period, double divisor);

/// Does not set the quotas that burst has set in this tick.
using CpuNormalizationPolicy = decide::Policy<decide::NoState, decide::Reads<decide::BurstQuotas>>;
extern const CpuNormalizationPolicy cpu_normalization_policy;

}  // namespace evenkeel::burst
