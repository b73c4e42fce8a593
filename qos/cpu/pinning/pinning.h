// Policy "cpusets": pins containers to the CPUs that Koordinator's scheduler has assigned to their pod
// (annotation scheduling.koordinator.sh/resource-status). Services without CPUs of their own share the rest,
// so that no pod runs on CPUs assigned to another. Suppression pins best effort. Where the kubelet's own CPU
// manager pins (policy static), the kubelet rewrites every set every ten seconds: there this policy does
// nothing.
#pragma once

#include "qos/decide/policy.h"

namespace evenkeel::pinning {

using CpusetsPolicy = decide::Policy<decide::NoState>;
extern const CpusetsPolicy cpusets_policy;

}  // namespace evenkeel::pinning
