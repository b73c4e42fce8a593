// Policy "cpu-identity": sets the CPU priority of classes, with the best lever that this kernel has: group
// identity (cpu.bvt_warp_ns) on vendor kernels, else cpu.idle for best-effort pods, else the smallest shares.
// On as soon as one class is; a pod labelled LS that names its own group identity (annotation
// koordinator.sh/cpuQOS) then gets that, whatever its class. Keeps no state.
#pragma once

#include "qos/decide/policy.h"

namespace evenkeel::identity {

using CpuIdentityPolicy = decide::Policy<decide::NoState>;
extern const CpuIdentityPolicy cpu_identity_policy;

}  // namespace evenkeel::identity
