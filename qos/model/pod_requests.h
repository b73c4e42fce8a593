// What a pod as a whole requests, by the rule of Kubernetes. May not: ask what it uses.
#pragma once

#include "qos/model/pod.h"

namespace evenkeel {

/// What the API server makes of a container's resources: where only a limit is given, it is the request, too.
Resources completed_requests(const Resources& requests, const Resources& limits);

/// Sums and maxima of each resource; what neither gives stays absent. Sums are clamped.
void add(Resources& sum, const Resources& more);
void raise(Resources& most, const Resources& other);

/// The containers and sidecars together, at least the peak of the init containers, plus the overhead. Absent
/// is "not requested", unless the pod is known from its cgroup only: then nothing is known.
Resources pod_requests(const Pod& pod);

}  // namespace evenkeel
