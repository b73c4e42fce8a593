#include "qos/lending/prod_reclaimable.h"

#include <algorithm>
#include <string_view>

#include "qos/model/pod_resources.h"

namespace evenkeel::lending {

namespace {

/// Both resources, both known.
struct Amount {
  MilliCpu cpu{};
  Bytes memory{};
};
Amount operator+(Amount a, Amount b) { return {clamped_sum(a.cpu, b.cpu), clamped_sum(a.memory, b.memory)}; }
/// What is left of `a`, not below zero.
Amount operator-(Amount a, Amount b) {
  return {std::max(clamped_difference(a.cpu, b.cpu), MilliCpu(0)),
          std::max(clamped_difference(a.memory, b.memory), Bytes(0))};
}
Amount lesser(Amount a, Amount b) { return {std::min(a.cpu, b.cpu), std::min(a.memory, b.memory)}; }
Amount greater(Amount a, Amount b) { return {std::max(a.cpu, b.cpu), std::max(a.memory, b.memory)}; }
Usage usage(Amount amount) { return {amount.cpu, amount.memory}; }

bool known(const Usage& usage) { return usage.cpu && usage.memory; }
Amount amount(const Usage& usage) {
  return {usage.cpu.value_or(MilliCpu(0)), usage.memory.value_or(Bytes(0))};
}
Amount with_margin(const Usage& peak, Percent margin) {
  const Percent whole(100 + margin.count());
  return {percent_of(amount(peak).cpu, whole), percent_of(amount(peak).memory, whole)};
}

/// The sums over the pods.
struct Sums {
  Amount peaks{};        ///< of the predicted ones
  Amount spare{};        ///< what they request above their peaks
  Amount unpredicted{};  ///< requests of the others
  Amount requests{};     ///< of all that go on
  int predicted_pods = 0, unpredicted_pods = 0;
};

void add(Sums& sums, const ProdPod& pod, Percent margin) {
  const Amount request = amount(pod.request);
  if (pod.cold || (!pod.ending && !known(pod.peak))) {
    sums.unpredicted = sums.unpredicted + request;
    ++sums.unpredicted_pods;
    if (pod.cold && !pod.ending) sums.requests = sums.requests + request;
    return;
  }
  if (pod.ending) return;
  const Amount peak = with_margin(pod.peak, margin);
  sums.peaks = sums.peaks + peak;
  sums.spare = sums.spare + (request - peak);
  sums.requests = sums.requests + request;
  ++sums.predicted_pods;
}

std::string what_is_missing(const ReclaimInput& input) {
  if (!known(input.allocatable)) return "what is allocatable on the node is not known";
  if (!known(input.system)) return "nothing has been learned about the system yet";
  if (!known(input.prod) || !known(input.none)) return "nothing has been learned about services yet";
  return {};
}

LendTerm term(std::string name, std::string source, Amount amount) {
  return {std::move(name), std::move(source), amount.cpu, amount.memory};
}

}  // namespace

ProdReclaimable prod_reclaimable(const ReclaimInput& input) {
  ProdReclaimable out;
  out.unknown_reason = what_is_missing(input);
  if (!out.unknown_reason.empty()) return out;
  Sums sums;
  for (const ProdPod& pod : input.pods) add(sums, pod, input.margin);
  const Amount allocatable = amount(input.allocatable);
  const Usage together = usage(amount(input.system) + amount(input.prod) + amount(input.none));
  const Amount class_peak = with_margin(together, input.margin);
  const Amount by_pods = lesser(allocatable - sums.peaks, sums.spare);
  const Amount by_classes = lesser(allocatable - class_peak, sums.requests - class_peak);
  out.reclaimable = usage(lesser(by_pods, by_classes));
  out.peak = usage(greater(sums.peaks + sums.unpredicted, class_peak));
  const std::string predictor = "peak predictor, " + std::to_string(input.margin.count()) + " % on top";
  const auto pods = [](int count) { return "pod list, " + std::to_string(count) + " services"; };
  out.terms = {
      term("allocatable", "node", allocatable),
      term("services: peaks of each", predictor, sums.peaks),
      term("services: requested above their peaks", pods(sums.predicted_pods), sums.spare),
      term("services: requested, not predictable yet", pods(sums.unpredicted_pods), sums.unpredicted),
      term("services: requested by all", "pod list", sums.requests),
      term("services and system: peak together", predictor, class_peak),
      term("reclaimable, pod by pod", "sum", by_pods),
      term("reclaimable, all together", "sum", by_classes),
      term("reclaimable from services", "the lesser of both", lesser(by_pods, by_classes))};
  return out;
}

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
          .ending = pod.terminating || has_ended(pod.phase)};
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
