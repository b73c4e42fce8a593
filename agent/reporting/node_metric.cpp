#include <algorithm>
#include <cmath>
#include <tuple>
#include <unordered_map>

#include "agent/document/units_text.h"
#include "agent/pods/kube_text.h"
#include "agent/pods/pod_list.h"
#include "agent/reporting/reporting.h"
#include "agent/runtime/json.h"

namespace evenkeel::reporting {
namespace {

/// Readers would take a missing half for zero.
bool known(const Usage& usage) { return usage.cpu && usage.memory; }

/// Writes into an open object. Quantities are integers, which are read back unchanged.
void put_resources(runtime::Json& json, const Usage& usage) {
  json.key("resources").begin_object();
  if (usage.cpu) json.member("cpu", std::to_string(usage.cpu->count()) + 'm');
  if (usage.memory) json.member("memory", std::to_string(usage.memory->count()));
  json.end_object();
}
void put_usage(runtime::Json& json, std::string_view key, const Usage& usage) {
  json.key(key).begin_object();
  put_resources(json, usage);
  json.end_object();
}

/// Nulls remove fields that koordlet may have left and the agent does not measure.
void put_whole(runtime::Json& json, std::string_view key, const Usage& usage) {
  json.key(key).begin_object();
  put_resources(json, usage);
  json.key("devices").null().end_object();
}

/// As in koordlet: a window is not reported before half of it has passed.
bool is_cold(const history::UsageSummary& summary, Duration window) { return 2 * summary.span < window; }

void put_window(runtime::Json& json, const history::UsageSummary& summary, Duration window) {
  json.begin_object().member("duration", document::duration_text(window)).key("usage").begin_object();
  put_usage(json, "avg", summary.average);
  for (std::size_t i = 0; i < history::kPercentiles.size(); ++i)
    put_usage(json, "p" + std::to_string(history::kPercentiles[i]), summary.percentiles[i]);
  json.end_object().end_object();
}

void put_windows(runtime::Json& json, std::string_view key, const history::UsageWindow& kept,
                 const std::vector<Duration>& windows) {
  std::vector<std::int64_t> scratch;
  json.key(key).begin_array();
  for (const Duration window : windows) {
    const auto summary = kept.summary(*kept.newest() - window, scratch);
    // Where the average is known, so is every percentile.
    if (!is_cold(summary, window) && known(summary.average)) put_window(json, summary, window);
  }
  json.end_array();
}

/// Null where none is known: it removes what koordlet may have left.
void put_numa(runtime::Json& json, const std::vector<NumaUsage>& numa) {
  const auto complete = [](const NumaUsage& one) { return known(one.whole) && known(one.system); };
  json.key("numaUsages");
  if (std::ranges::none_of(numa, complete)) return void(json.null());
  json.begin_array();
  for (const NumaUsage& one : numa) {
    if (!complete(one)) continue;
    json.begin_object().member("numaNodeID", one.node);
    put_usage(json, "nodeUsage", one.whole);
    put_usage(json, "systemUsage", one.system);
    json.end_object();
  }
  json.end_array();
}

void put_node(runtime::Json& json, const NodeMetricInput& input, const RecentUsage& recent) {
  json.key("nodeMetric").begin_object();
  put_whole(json, "nodeUsage", recent.node);
  put_windows(json, "aggregatedNodeUsages", input.history.node(), input.windows);
  put_whole(json, "systemUsage", recent.system);
  put_windows(json, "aggregatedSystemUsages", input.history.system(), input.windows);
  put_numa(json, input.numa);
  json.end_object();
}

/// Writes into an open object.
void put_classes(runtime::Json& json, PriorityClass priority_class, std::optional<QosClass> qos) {
  if (priority_class != PriorityClass::none) json.member("priority", pods::name_of(priority_class));
  if (qos) json.member("qos", pods::name_of(*qos));
}

struct MeasuredPod {
  const Pod* pod = nullptr;
  const PodUsage* measured = nullptr;
};
/// The pods that have a name and known CPU and memory usage, sorted by name.
std::vector<MeasuredPod> measured_pods(const std::vector<Pod>& pods, const RecentUsage& recent) {
  std::unordered_map<std::string_view, const Pod*> by_uid;
  for (const Pod& pod : pods)
    if (!pod.name.empty()) by_uid.emplace(pod.uid, &pod);
  std::vector<MeasuredPod> out;
  for (const auto& measured : recent.pods)
    if (const auto found = by_uid.find(measured.uid); found != by_uid.end() && known(measured.usage))
      out.push_back({found->second, &measured});
  std::ranges::sort(out, {},
                    [](const MeasuredPod& one) { return std::tie(one.pod->namespace_, one.pod->name); });
  return out;
}

/// Koordinator leaves extensions to third parties.
void put_stalls(runtime::Json& json, const NodeMetricInput& input, const Pod& pod) {
  const auto* stalls = input.stalls ? input.stalls(pod.uid) : nullptr;
  if (stalls == nullptr) return;
  json.key("extensions").begin_object().key("evenkeel.io/stall-percent").begin_object();
  for (std::size_t i = 0; i < stalls->size(); ++i)
    if (const auto& stall = (*stalls)[i])
      json.member(name(static_cast<Contended>(i)), std::int64_t{std::lround(*stall)});
  json.end_object().end_object();
}

void put_pods(runtime::Json& json, const NodeMetricInput& input, const RecentUsage& recent) {
  json.key("podsMetric");
  if (input.pods == nullptr) return void(json.null());
  json.begin_array();
  for (const auto& [pod, measured] : measured_pods(*input.pods, recent)) {
    json.begin_object().member("namespace", pod->namespace_).member("name", pod->name);
    put_classes(json, measured->priority_class, default_qos(*pod));
    put_usage(json, "podUsage", measured->usage);
    put_stalls(json, input, *pod);
    json.end_object();
  }
  json.end_array();
}

void put_host_applications(runtime::Json& json, const NodeMetricInput& input, const RecentUsage& recent) {
  json.key("hostApplicationMetric").begin_array();
  for (const auto& measured : recent.host_applications) {
    const auto spec = std::ranges::find(input.host_applications, measured.name, &HostApplication::name);
    if (spec == input.host_applications.end()) continue;
    // Reported with only one resource known, too: it is not part of the system's usage and appears nowhere
    // else.
    json.begin_object().member("name", measured.name);
    put_classes(json, spec->priority, spec->qos);
    put_usage(json, "usage", measured.usage);
    json.end_object();
  }
  json.end_array();
}

void put_prediction(runtime::Json& json, std::string_view key, const std::optional<Usage>& predicted) {
  json.key(key);
  if (!predicted || !known(*predicted)) return void(json.null());
  json.begin_object();
  put_usage(json, "resource", *predicted);
  json.end_object();
}

}  // namespace

std::string node_metric_patch(const NodeMetricInput& input) {
  const RecentUsage recent = input.history.recent();
  if (!known(recent.node) || !known(recent.system)) return {};
  std::string out;
  runtime::Json json(out);
  json.begin_object().key("status").begin_object();
  json.member("updateTime", pods::timestamp(input.unix_seconds));
  put_node(json, input, recent);
  put_pods(json, input, recent);
  put_host_applications(json, input, recent);
  put_prediction(json, "prodReclaimableMetric", input.prod ? input.prod->reclaimable : std::nullopt);
  put_prediction(json, "prodPeakMetric", input.prod ? input.prod->peak : std::nullopt);
  json.end_object().end_object();
  return out;
}

}  // namespace evenkeel::reporting
