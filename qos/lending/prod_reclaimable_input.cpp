#include <algorithm>
#include <string_view>

#include "qos/lending/prod_reclaimable.h"
#include "qos/model/pod_requests.h"

namespace evenkeel::lending {
namespace {

bool is_service(const Pod& pod) {
  const auto priority_class = default_priority_class(pod);
  return priority_class == PriorityClass::prod || priority_class == PriorityClass::none;
}

/// The uids of the pods that were measured, sorted.
std::vector<std::string_view> measured_uids(const std::vector<PodUsage>& measured) {
  std::vector<std::string_view> uids;
  uids.reserve(measured.size());
  for (const PodUsage& pod : measured)
    if (pod.usage.cpu && pod.usage.memory) uids.emplace_back(pod.uid);
  std::sort(uids.begin(), uids.end());
  return uids;
}

std::int64_t whole_seconds(Duration duration) {
  return std::chrono::duration_cast<std::chrono::seconds>(duration).count();
}

/// Koordinator checks the pod's age alone. On the day of the agent's installation old pods have models of one
/// minute: they have to be watched for a while, too.
bool is_cold(const Pod& pod, const PeakModel* model, const ReclaimSources& sources) {
  const auto watched = model != nullptr ? whole_seconds(sources.now - model->since) : 0;
  const bool age_known = pod.created_unix_seconds && sources.unix_seconds;
  const auto age = age_known ? *sources.unix_seconds - *pod.created_unix_seconds : watched;
  if (age <= whole_seconds(sources.settings.cold_start)) return true;
  return model != nullptr && watched < whole_seconds(sources.settings.least_history);
}

ProdPod seen_by_the_sum(const Pod& pod, const ReclaimSources& sources) {
  const auto requests = pod_requests(pod);
  return {.request = {requests.cpu, requests.memory},
          .peak = sources.predictor.predict(pod.uid),
          .cold = is_cold(pod, sources.predictor.find(pod.uid), sources),
          .ending = pod.terminating || pod.phase == PodPhase::succeeded || pod.phase == PodPhase::failed};
}

}  // namespace

ReclaimInput reclaim_input(const ReclaimSources& sources) {
  const auto& predictor = sources.predictor;
  ReclaimInput input{.allocatable = sources.allocatable,
                     .pods = {},
                     .system = predictor.predict(kSystemModel),
                     .prod = predictor.predict(class_model(PriorityClass::prod)),
                     .none = predictor.predict(class_model(PriorityClass::none)),
                     .margin = sources.settings.safety_margin_percent};
  const auto uids = measured_uids(sources.measured);
  for (const Pod& pod : sources.pods) {
    if (!is_service(pod) || !std::binary_search(uids.begin(), uids.end(), std::string_view(pod.uid)))
      continue;
    input.pods.push_back(seen_by_the_sum(pod, sources));
  }
  return input;
}

}  // namespace evenkeel::lending
