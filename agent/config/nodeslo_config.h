// Parses a NodeSLO, checks it for the operator, and applies a node's own settings on top.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/document/document.h"
#include "qos/model/nodeslo.h"
#include "qos/model/pod.h"

namespace evenkeel::config {

// Parses a NodeSLO text into a NodeSlo value, or into the complete list of its problems. All or nothing.

/// One effective setting, for `evenkeel check`.
struct EffectiveSetting {
  std::string key{};     ///< "resourceUsedThresholdWithBE.cpuSuppressThresholdPercent"
  std::string value{};   ///< as YAML; "(not set)" for absent
  std::string origin{};  ///< "nodeslo.yaml:7:5" or "default"
};

struct NodeSloConfig {
  NodeSlo slo{};
  std::vector<EffectiveSetting> effective{};  ///< every field of the schema, in its order
  std::vector<std::string>
      notices{};  ///< legal, but without effect: an eviction trigger without its threshold, …
  std::vector<document::Problem> problems{};  ///< not empty: slo must not be used
  bool by_labels = false;                     ///< has nodeStrategies: other labels may make another slo
  std::vector<std::string> pools{};  ///< which of nodeStrategies apply to the node, and to which sections
};

/// `text` holds a NodeSLO object or its bare spec, with nodeStrategies for nodes with certain labels.
/// `labels` are those of the node; null: not known, then no strategy applies. All are checked, whether or not
/// they apply. An empty text means the defaults.
NodeSloConfig parse_nodeslo(std::string_view text, const std::string& file, const TextMap* labels = nullptr);

/// `object` is a NodeSLO as an API server returns it, `source` its name in problems. Unknown keys belong to
/// another version of its schema: notices. Problems have no line and column, since no file shows them.
NodeSloConfig read_nodeslo(const document::Value& object, const std::string& source);

// Applies a node's annotation, then its labels, on top of the cluster's colocation strategy. Pure.

struct NodeStrategy {
  ColocationStrategy strategy{};
  std::vector<std::string> notices{};  ///< an ignored layer, and why
};

/// Later wins: `cluster` (extensions.colocation), the annotation node.koordinator.sh/colocation-strategy
/// (completely or not at all), each of the labels node.koordinator.sh/cpu-reclaim-ratio,
/// memory-reclaim-ratio, mid-static-cpu-reserved-ratio and mid-static-memory-reserved-ratio.
NodeStrategy node_strategy(const ColocationStrategy& cluster, const NodeObject& node);

}  // namespace evenkeel::config
