// Finds pods that still run but are missing from the pod list: a kubelet that restarts without its API server
// lists only its static pods, and a pod deleted without a grace period leaves the list before its processes
// exit. Pure.
#pragma once

#include <memory>
#include <vector>

#include "cgroup/tree/tree.h"
#include "qos/model/pod.h"

namespace evenkeel::tick {

using Pods = std::shared_ptr<const std::vector<Pod>>;

/// `listed`, and those of `before` that it does not name although their directories are there, marked as
/// unlisted.
Pods with_unlisted_pods(const Pods& before, const Pods& listed, const tree::CgroupTree& tree);

}  // namespace evenkeel::tick
