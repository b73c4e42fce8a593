// The policies that tell classes apart to the kernel's scheduler: priority, and which tasks may share a core.
#pragma once

#include <string>

#include "qos/decide/policy.h"

namespace evenkeel::identity {

// Policy "cpu-identity": sets the CPU priority of classes, with the best lever that this kernel has: group
// identity (cpu.bvt_warp_ns) on vendor kernels, else cpu.idle for best-effort pods, else the smallest shares.
// On as soon as one class is; a pod labelled LS that names its own group identity (annotation
// koordinator.sh/cpuQOS) then gets that, also where lsClass is off. Keeps no state.

using CpuIdentityPolicy = decide::Policy<decide::NoState>;
extern const CpuIdentityPolicy cpu_identity_policy;

// Policy "core-sched": cpuQOS under the policy coreSched. Tasks of different groups never run at the same
// time on the threads of one core: each group has a cookie of its own
// (Documentation/admin-guide/hw-vuln/core-scheduling.rst). A class with coreExpeller is kept apart from those
// without; pods name a group (koordinator.sh/core-sched-group-id) or have one for themselves
// (core-sched-policy: exclusive). cpu.idle of schedIdle is set by cpu-identity. Does not know
// cookies.

struct CoreSchedState {
  std::string group_name{};  ///< buffer for a group's name, kept so that a tick allocates nothing
};

using CoreSchedPolicy = decide::Policy<CoreSchedState>;
extern const CoreSchedPolicy core_sched_policy;

// Policy "request-size": how much CPU time tasks ask the EEVDF scheduler for at a time. Best effort asks for
// a little more than a service does, so that a waking service interrupts it at once even when a quota has
// just been refilled; services may ask for less, so that they are served earlier. On while something may
// limit best effort by a quota, or services have a size. Does nothing on kernels that have no request sizes.
// Does not know tasks.

using RequestSizePolicy = decide::Policy<decide::NoState>;
extern const RequestSizePolicy request_size_policy;

}  // namespace evenkeel::identity
