// Policy "batch-resources": sets shares, quota and memory limit of a pod on lent resources (batch-cpu,
// batch-memory, mid-cpu, mid-memory) from its requests and limits; the kubelet knows those names only as
// numbers and leaves the pod at best effort's values. Koordinator's batchresource hook does the same at the
// start of a container; here it holds for running ones, too, and a limit below what is in use follows the use
// down.
#pragma once

#include "qos/decide/policy.h"

namespace evenkeel::lending {

/// cpu.shares (v1) or cpu.weight (v2) for a request, as the kubelet converts it.
std::int64_t shares_for(MilliCpu request, bool v2);

using BatchResourcesPolicy = decide::Policy<decide::NoState>;
extern const BatchResourcesPolicy batch_resources_policy;

}  // namespace evenkeel::lending
