// Renders the usage of the node and its pods as the status of Koordinator's NodeMetric
// (slo.koordinator.sh/v1alpha1), which its scheduler, descheduler and manager read. Pure: does not measure or
// send it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agent/history/usage_history.h"
#include "qos/lending/prod_reclaimable.h"
#include "qos/model/nodeslo.h"
#include "qos/model/pod.h"

namespace evenkeel::reporting {

struct NodeMetricInput {
  const history::UsageHistory& history;
  const std::vector<Duration>& windows;    ///< of the percentiles
  const std::vector<Pod>* pods = nullptr;  ///< null: the pods are not known
  const std::vector<HostApplication>& host_applications;
  const std::optional<lending::ProdReclaimable>& prod;
  std::int64_t unix_seconds = 0;  ///< now
};

/// A merge patch that replaces every known field of the status, including what an earlier reporter left.
/// Empty while the usage of node or system is not known: readers would take a missing usage for zero, and
/// lend it out.
std::string node_metric_patch(const NodeMetricInput& input);

}  // namespace evenkeel::reporting
