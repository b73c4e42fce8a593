// What a pod requests as a whole by the rule of Kubernetes, and whether its cgroup is still being set up.
#pragma once

#include "qos/model/pod.h"
#include "qos/model/snapshot.h"

namespace evenkeel {

// What a pod as a whole requests, by the rule of Kubernetes. May not: ask what it uses.

/// What the API server makes of a container's resources: where only a limit is given, it is the request, too.
Resources completed_requests(const Resources& requests, const Resources& limits);

/// Sums and maxima of each resource; what neither gives stays absent. Sums are clamped.
void add(Resources& sum, const Resources& more);
void raise(Resources& most, const Resources& other);

/// The containers and sidecars together, at least the peak of the init containers, plus the overhead. Absent
/// is "not requested", unless the pod is known from its cgroup only: then nothing is known.
Resources pod_requests(const Pod& pod);

// Whether a cgroup's maker may not be done with it. Whoever makes one (kubelet, runtime, systemd) writes its
// shares and limits right after the directory: what we write in between is lost or makes the maker's write
// fail.

/// v1 1024, v2 100: what the kernel gives, and no kubelet or runtime leaves to a pod.
bool has_default_shares(const NodeSnapshot& node, const CgroupSample& cgroup);

/// Nothing runs in a pod before it has a container's directory.
bool provisioning(const NodeSnapshot& node, const PodSample& pod);
/// A container or a service: done when a tick has gone by, since only then is there a use.
bool provisioning(const NodeSnapshot& node, const CgroupSample& cgroup);

}  // namespace evenkeel
