// Computes what mid pods may borrow from services: what services request and will not need even at their
// predicted peaks (Koordinator's prodReclaimable), and what services will need (prodPeak). Pure. Does not
// learn, or know how mid resources are advertised.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "qos/lending/lendable.h"
#include "qos/lending/peak_predictor.h"
#include "qos/model/nodeslo.h"
#include "qos/model/pod.h"
#include "qos/model/pod_resources.h"

namespace evenkeel::lending {

/// A pod of class prod or none, as a term of the sum.
struct ProdPod {
  Usage request{};      ///< absent: it requests nothing
  Usage peak{};         ///< predicted, without the margin; unknown in one resource is unknown in both
  bool cold = false;    ///< too young, or watched for too short a time, to be trusted
  bool ending = false;  ///< being deleted, or ended
};

/// Predictions are without the margin.
struct ReclaimInput {
  Usage allocatable{};
  std::vector<ProdPod> pods{};
  Usage system{}, prod{}, none{};
  Percent margin{10};
};

struct ProdReclaimable {
  std::optional<Usage>
      reclaimable{};            ///< the value for LendInput::prod_reclaimable; both resources or absent
  std::optional<Usage> peak{};  ///< both resources or absent
  std::vector<LendTerm> terms{};
  std::string unknown_reason{};  ///< not empty: both are absent, and why
};
ProdReclaimable prod_reclaimable(const ReclaimInput& input);

struct ReclaimSources {
  const PeakPredictor& predictor;
  const PredictionSettings& settings;
  /// From the annotation node.koordinator.sh/raw-allocatable, else status.allocatable.
  Usage allocatable{};
  const std::vector<Pod>& pods;
  /// RecentUsage::pods: a pod without a measurement of both resources in the window is not in the sum at all.
  const std::vector<PodUsage>& measured;
  MonoTime now{};
  std::optional<std::int64_t> unix_seconds{};  ///< absent in stepped mode: there a pod is as old as its model
};
ReclaimInput reclaim_input(const ReclaimSources& sources);

}  // namespace evenkeel::lending
