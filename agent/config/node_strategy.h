// Applies a node's annotation, then its labels, on top of the cluster's colocation strategy. Pure.
#pragma once

#include <string>
#include <vector>

#include "qos/model/nodeslo.h"
#include "qos/model/pod.h"

namespace evenkeel::config {

struct NodeStrategy {
  ColocationStrategy strategy{};
  std::vector<std::string> notices{};  ///< an ignored layer, and why
};

/// Later wins: `cluster` (extensions.colocation), the annotation node.koordinator.sh/colocation-strategy
/// (completely or not at all), each of the labels node.koordinator.sh/cpu-reclaim-ratio,
/// memory-reclaim-ratio, mid-static-cpu-reserved-ratio and mid-static-memory-reserved-ratio.
NodeStrategy node_strategy(const ColocationStrategy& cluster, const NodeObject& node);

}  // namespace evenkeel::config
