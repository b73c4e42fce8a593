// Policy "memory-qos": memory.min and memory.low protect what services have requested, up to the top of the
// kubelet's tree, since the kernel grants a child no more than its parents have; memory.high slows down a
// container that grows towards its limit before the kernel has to kill it
// (Documentation/admin-guide/cgroup-v2.rst).
//
// Other than Koordinator's, it writes nothing where nothing is asked for (a percentage of zero), so that what
// the kubelet has set stays; never puts memory.high below what is in use, because the write itself would
// reclaim the difference; and raises it again when it stalls the container for most of the time.
#pragma once

#include "qos/decide/policy.h"

namespace evenkeel::memory {

extern const decide::PolicySpec memory_qos_policy;

}  // namespace evenkeel::memory
