// Whether a cgroup's maker may not be done with it. Whoever makes one (kubelet, runtime, systemd) writes its
// shares and limits right after the directory: what we write in between is lost or makes the maker's write
// fail.
#pragma once

#include "qos/model/snapshot.h"

namespace evenkeel {

/// v1 1024, v2 100: what the kernel gives, and no kubelet or runtime leaves to a pod.
bool has_default_shares(const NodeSnapshot& node, const CgroupSample& cgroup);

/// Nothing runs in a pod before it has a container's directory.
bool being_made(const NodeSnapshot& node, const PodSample& pod);
/// A container or a service: done when a tick has gone by, since only then is there a use.
bool being_made(const NodeSnapshot& node, const CgroupSample& cgroup);

}  // namespace evenkeel
