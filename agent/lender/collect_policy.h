// Applies spec.metricCollectPolicy of Koordinator's NodeMetric (how the cluster wants usage measured) over
// the colocation strategy, as far as the history supports it. Pure: does not request the object or measure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/document/document.h"
#include "qos/model/nodeslo.h"

namespace evenkeel::lender {

struct CollectPolicy {
  document::Value fields{};  ///< as received; null: no policy is set
};
/// Absent: the text is not a NodeMetric.
std::optional<CollectPolicy> collect_policy_in(std::string_view node_metric_json);

/// Each legal field of the policy replaces its counterpart in the strategy, within koordlet's lower bounds.
/// Then drops what cannot be measured, from either source. Returns one sentence for each value that was
/// dropped or changed.
std::vector<std::string> apply_collect_policy(const CollectPolicy& policy, ColocationStrategy& strategy);

}  // namespace evenkeel::lender
