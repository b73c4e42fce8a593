#include "agent/top/view.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string_view>

#include "agent/document/document.h"
#include "agent/document/units_text.h"
#include "agent/figures/metric_text.h"
#include "cgroup/base/text.h"

namespace evenkeel::top {
namespace {

using document::Value;

/// Beyond, it is no figure of a node, and sums of two could overflow.
constexpr std::int64_t kMost = std::int64_t{1} << 53;
constexpr double kLongestSeconds = 1e9;  // 30 years

/// Members are found by their paths.
using Path = std::initializer_list<std::string_view>;

std::optional<std::int64_t> whole(const Value& value, Path path) {
  const auto number = whole_number(text_at(value, path));
  return number && *number >= 0 && *number <= kMost ? number : std::nullopt;
}

std::optional<double> decimal(const Value& value, Path path) {
  const auto number = document::parse_decimal(text_at(value, path));
  const bool good = number && std::isfinite(*number) && std::abs(*number) <= static_cast<double>(kMost);
  return good ? number : std::nullopt;
}

template <class Q>
std::optional<Q> quantity(const Value& value, Path path) {
  const auto number = whole(value, path);
  return number ? std::optional(Q(*number)) : std::nullopt;
}

/// Empty, too: it is no list.
std::span<const Value> items_of(const Value& value, std::string_view key) {
  return list_at(value, {key}).value_or(std::span<const Value>());
}

// /v1/snapshot

CpuLimit limit_of(const Value& cgroup) {
  if (cgroup.text("cpu_quota_us") == "unlimited") return {.unlimited = true};
  const auto quota = whole(cgroup, {"cpu_quota_us"}), period = whole(cgroup, {"cpu_period_us"});
  if (!quota || !period || *period == 0) return {};
  return {.cpu = MilliCpu(scaled(*quota, 1000, *period))};
}

std::optional<double> throttled_percent(const Value& cgroup) {
  const auto periods = whole(cgroup, {"throttling", "periods"});
  const auto throttled = whole(cgroup, {"throttling", "throttled_periods"});
  if (!periods || !throttled || *periods == 0) return std::nullopt;
  return 100 * static_cast<double>(*throttled) / static_cast<double>(*periods);
}

Stall stall_of(const Value& holder, std::string_view resource) {
  return {decimal(holder, {"pressure", resource, "some_avg10_percent"}),
          decimal(holder, {"pressure", resource, "full_avg10_percent"})};
}

void take_worst_stall(PodUse& pod, const Value& cgroup) {
  for (const auto& [resource, short_name] : {std::pair{"cpu", "cpu"}, {"memory", "mem"}, {"io", "io"}}) {
    const auto percent = stall_of(cgroup, resource).some_percent;
    // Absent is less than any number.
    if (!percent || percent <= pod.stall_percent) continue;
    pod.stall_percent = percent;
    pod.stalled_on = *percent > 0 ? short_name : "";
  }
}

/// The kubelet names its directories by QoS class; Guaranteed has none of its own.
const char* class_of(const std::string& path) {
  if (path.find("besteffort") != std::string::npos) return "BE";
  return path.find("burstable") != std::string::npos ? "Burst" : "Guar";
}

PodUse pod_of(const Value& cgroup, const std::string& path) {
  PodUse pod;
  pod.name = cgroup.text("pod").empty() ? path : cgroup.text("pod");
  pod.qos_class = cgroup.text("kind") == "pod" ? class_of(path) : "host";
  pod.cpu_use = quantity<MilliCpu>(cgroup, {"cpu_use_millis"});
  pod.limit = limit_of(cgroup);
  pod.throttled_percent = throttled_percent(cgroup);
  pod.memory = quantity<Bytes>(cgroup, {"memory", "working_set_bytes"});
  take_worst_stall(pod, cgroup);
  return pod;
}

void put_pods(View& view, const Value& snapshot) {
  std::map<std::string, PodUse> by_path;
  for (const auto& cgroup : items_of(snapshot, "cgroups")) {
    const std::string kind = cgroup.text("kind"), path = cgroup.text("path");
    if (kind == "pod" || kind == "host-application") by_path.emplace(path, pod_of(cgroup, path));
  }
  for (const auto& cgroup : items_of(snapshot, "cgroups")) {
    if (cgroup.text("kind") != "container") continue;
    const std::string path = cgroup.text("path");
    const auto pod = by_path.find(path.substr(0, path.rfind('/')));
    if (pod == by_path.end()) continue;
    auto& highest = pod->second.throttled_percent;
    highest = std::max(highest, throttled_percent(cgroup));
  }
  for (auto& [path, pod] : by_path) view.pods.push_back(std::move(pod));
  std::ranges::stable_sort(view.pods, [](const PodUse& a, const PodUse& b) { return a.cpu_use > b.cpu_use; });
}

void put_node(View& view, const Value& node) {
  view.cpu_capacity = quantity<MilliCpu>(node, {"cpu_capacity_millis"});
  view.cpu_use = quantity<MilliCpu>(node, {"cpu_use_millis"});
  view.cpu_stolen = quantity<MilliCpu>(node, {"cpu_stolen_millis"});
  view.memory_total = quantity<Bytes>(node, {"memory", "total_bytes"});
  view.memory_available = quantity<Bytes>(node, {"memory", "available_bytes"});
  view.cpu_stall = stall_of(node, "cpu");
  view.memory_stall = stall_of(node, "memory");
  view.io_stall = stall_of(node, "io");
}

/// Returns the path of the BestEffort directory; empty: there is none.
std::string put_sides(View& view, const Value& snapshot) {
  std::string path;
  std::optional<MilliCpu> all;
  for (const auto& cgroup : items_of(snapshot, "cgroups")) {
    const std::string kind = cgroup.text("kind");
    if (kind == "kubepods") all = quantity<MilliCpu>(cgroup, {"cpu_use_millis"});
    if (kind != "qos" || cgroup.text("path").find("besteffort") == std::string::npos) continue;
    path = cgroup.text("path");
    view.best_effort.cpu_use = quantity<MilliCpu>(cgroup, {"cpu_use_millis"});
    view.best_effort.limit = limit_of(cgroup);
  }
  // Both are read one after the other, so the difference can be a little less than nothing.
  if (all && view.best_effort.cpu_use)
    view.services_use = std::max(*all - *view.best_effort.cpu_use, MilliCpu{});
  return path;
}

// /v1/explain

void put_levers(View& view, const Value& explain, const std::string& besteffort_path) {
  std::map<std::string, int> values;
  auto& best_effort = view.best_effort;
  bool why_is_its_own = false;
  for (const auto& managed : items_of(explain, "managed")) {
    if (managed.text("yielded") == "true") continue;  // its owner's again
    const std::string policy = managed.text("policy"), file = managed.text("file");
    ++values[policy];
    const bool own = !besteffort_path.empty() && managed.text("cgroup") == besteffort_path;
    if (own && file.starts_with("cpu"))
      best_effort.levers += (best_effort.levers.empty() ? "" : ", ") + file + " (" + policy + ")";
    if (policy != "cpu-suppress" || why_is_its_own || (!own && !best_effort.why.empty())) continue;
    best_effort.why = managed.text("sentence");
    why_is_its_own = own;
  }
  for (const auto& [policy, count] : values) view.levers.push_back({policy, count});
  for (const auto& lever : items_of(explain, "withdrawn")) view.withdrawn.push_back(lever.text("lever"));
}

void put_lent(View& view, const Value& explain) {
  const auto cpu = [&](const char* which) {
    return quantity<MilliCpu>(explain, {"lending", which, "batch-cpu"});
  };
  const auto memory = [&](const char* which) {
    return quantity<Bytes>(explain, {"lending", which, "batch-memory"});
  };
  view.lent = {cpu("advertised"), cpu("held"), memory("advertised"), memory("held")};
}

// /metrics

/// Figures and where each goes: the page is read once for all of them.
class Wishes {
 public:
  void add(const char* metric, const TextMap& labels, std::function<void(double)> take) {
    PrometheusFigure wanted;
    wanted.metric = metric;
    wanted.labels = labels;
    wanted_.push_back(std::move(wanted));
    takers_.push_back(std::move(take));
  }
  void read(const std::string& body) const {
    const auto figures = figures::parse_metrics(body, wanted_);
    for (std::size_t i = 0; i < figures.size(); ++i) {
      const auto& value = figures[i].value;
      if (value && *value >= 0 && *value <= static_cast<double>(kMost)) takers_[i](*value);
    }
  }

 private:
  std::vector<PrometheusFigure> wanted_{};
  std::vector<std::function<void(double)>> takers_{};
};

void put_metrics(View& view, const std::string& body) {
  Wishes wishes;
  const auto count = [&](const char* metric, const TextMap& labels, std::optional<std::int64_t>& to) {
    wishes.add(metric, labels, [&to](double value) { to = std::llround(value); });
  };
  count("evenkeel_writes_total", {}, view.counts.writes);
  count("evenkeel_refusals_total", {}, view.counts.refusals);
  count("evenkeel_foreign_writes_total", {}, view.counts.foreign_writes);
  count("evenkeel_evictions_total", {}, view.counts.evictions);
  count("evenkeel_ticks_total", {}, view.counts.ticks);
  for (const auto& [resource, brake] : {std::pair{"cpu", &view.cpu_brake}, {"memory", &view.memory_brake}}) {
    const TextMap labels = {{"resource", resource}};
    Brake& to = *brake;
    wishes.add("evenkeel_brake_on", labels, [&to](double value) { to.on = value != 0; });
    count("evenkeel_brakes_total", labels, to.times);
    wishes.add("evenkeel_braked_seconds_total", labels, [&to](double seconds) {
      to.time = std::chrono::milliseconds(std::llround(std::min(seconds, kLongestSeconds) * 1000));
    });
  }
  wishes.read(body);
}

}  // namespace

std::optional<View> read_view(const PageTexts& texts) {
  const auto snapshot = document::parse_json(texts.snapshot, "snapshot");
  const auto explain = document::parse_json(texts.explain, "explain");
  const Value* node = value_at(snapshot.root, {"node"});
  if (node == nullptr || value_at(explain.root, {"managed"}) == nullptr) return std::nullopt;
  View view;
  put_node(view, *node);
  put_pods(view, snapshot.root);
  put_levers(view, explain.root, put_sides(view, snapshot.root));
  put_lent(view, explain.root);
  put_metrics(view, texts.metrics);
  return view;
}

}  // namespace evenkeel::top
