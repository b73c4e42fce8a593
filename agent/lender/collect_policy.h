// How the cluster wants usage measured: spec.metricCollectPolicy of Koordinator's NodeMetric, one more layer
// over the colocation strategy, as far as the history can serve it. Pure. May not: ask for the object, or
// measure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/document/document.h"
#include "qos/model/nodeslo.h"

namespace evenkeel::lender {

struct CollectPolicy {
  document::Value fields{};  ///< as they came; null: it asks for nothing
};
/// Absent: the text is no NodeMetric.
std::optional<CollectPolicy> collect_policy_in(std::string_view node_metric_json);

/// Each field of the policy that is legal replaces its like in the strategy, koordlet's lower bounds kept.
/// Then what cannot be measured goes, whoever asked for it. Returns what was left out or changed, a sentence
/// each.
std::vector<std::string> apply_collect_policy(const CollectPolicy& policy, ColocationStrategy& strategy);

}  // namespace evenkeel::lender
