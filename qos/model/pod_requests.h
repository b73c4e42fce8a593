// Computes what a pod requests as a whole by the rule of Kubernetes, and whether its cgroup is still being
// set up.
#pragma once

#include "qos/model/pod.h"
#include "qos/model/snapshot.h"

namespace evenkeel {

// What a pod as a whole requests, by the rule of Kubernetes. Does not look at its use.

/// The API server's default for a container's resources: where only a limit is given, it is the request, too.
Resources completed_requests(const Resources& requests, const Resources& limits);

/// Sums and maxima of each resource; what neither gives stays absent. Sums are clamped.
void add(Resources& sum, const Resources& more);
void raise(Resources& most, const Resources& other);

/// The containers and sidecars together, at least the peak of the init containers, plus the overhead. Absent
/// is "not requested", unless the pod is known from its cgroup only: then nothing is known.
Resources pod_requests(const Pod& pod);

// Whether a cgroup may still be in setup. Its creator (kubelet, runtime, systemd) writes shares and limits
// right after creating the directory: a write of ours in between is lost or makes the creator's write fail.

/// v1 1024, v2 100: the kernel's initial values, which kubelets and runtimes always replace for a pod.
bool has_default_shares(const NodeSnapshot& node, const CgroupSample& cgroup);

/// Nothing runs in a pod before it has a container's directory.
bool provisioning(const NodeSnapshot& node, const PodSample& pod);
/// A container or a service: set up when a tick has passed, because its use is known only then.
bool provisioning(const NodeSnapshot& node, const CgroupSample& cgroup);

}  // namespace evenkeel
