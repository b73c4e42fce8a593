// Pods that a list has forgotten while they live: a kubelet that was restarted without its API server lists
// none but its static pods, and a pod that is deleted without grace leaves the list before its processes end.
// Pure.
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
