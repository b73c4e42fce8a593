#include "agent/api/pages.h"
#include "agent/runtime/json.h"

namespace evenkeel::api {
namespace {

template <class Tag>
std::optional<std::int64_t> count(const std::optional<Quantity<Tag>>& quantity) {
  return quantity ? std::optional(quantity->count()) : std::nullopt;
}

const char* kind_name(CgroupKind kind) {
  switch (kind) {
    case CgroupKind::kubepods:
      return "kubepods";
    case CgroupKind::qos_dir:
      return "qos";
    case CgroupKind::pod:
      return "pod";
    case CgroupKind::container:
      return "container";
    case CgroupKind::host_application:
      return "host-application";
    case CgroupKind::node:
      return "node";
    case CgroupKind::subgroup:
      return "subgroup";
  }
  return "";
}

void put_pressure(runtime::Json& json, std::string_view name, const std::optional<Pressure>& pressure) {
  json.key(name);
  if (!pressure) {
    json.null();
    return;
  }
  json.begin_object()
      .member("some_seconds_total", runtime::seconds(pressure->some.total))
      .member("some_avg10_percent", pressure->some.avg10_percent);
  if (pressure->full) {
    json.member("full_seconds_total", runtime::seconds(pressure->full->total))
        .member("full_avg10_percent", pressure->full->avg10_percent);
  }
  json.end_object();
}

void put_pressures(runtime::Json& json, const PressureSample& pressure) {
  json.key("pressure").begin_object();
  put_pressure(json, "cpu", pressure.cpu);
  put_pressure(json, "memory", pressure.memory);
  put_pressure(json, "io", pressure.io);
  json.end_object();
}

void put_node(runtime::Json& json, const NodeSnapshot& snapshot) {
  const NodeSample& node = snapshot.node;
  json.key("node").begin_object();
  json.member("cpu_capacity_millis", node.cpu_capacity.count()).member("cpu_use_millis", count(node.cpu_use));
  json.member("cpu_stolen_millis", count(node.cpu_stolen));
  json.member("tasks_started", node.tasks_started);
  json.member("online_cpus", snapshot.topology.online.text());
  json.key("memory");
  if (node.memory) {
    json.begin_object()
        .member("total_bytes", node.memory->total.count())
        .member("available_bytes", node.memory->available.count());
    json.member("hugepages_bytes", node.memory->hugepages.count()).end_object();
  } else {
    json.null();
  }
  put_pressures(json, node.pressure);
  json.end_object();
}

void put_limit(runtime::Json& json, const Applied& applied) {
  json.key("cpu_quota_us");
  if (!applied.cpu_limit) {
    json.null();
  } else if (applied.cpu_limit->quota) {
    json.value(applied.cpu_limit->quota->count());
  } else {
    json.value("unlimited");
  }
  json.key("cpu_period_us");
  if (applied.cpu_limit) {
    json.value(std::chrono::duration_cast<std::chrono::microseconds>(applied.cpu_limit->period).count());
  } else {
    json.null();
  }
  json.member("cpu_burst_us", count(applied.cpu_burst))
      .member("cpu_shares", applied.cpu_shares)
      .member("cpu_idle", applied.cpu_idle);
  json.key("cpus");
  if (applied.cpus) {
    json.value(applied.cpus->text());
  } else {
    json.null();
  }
}

void put_cgroup(runtime::Json& json, const CgroupSample& cgroup, const std::string& pod) {
  json.begin_object().member("path", cgroup.path).member("kind", kind_name(cgroup.kind));
  if (!pod.empty()) json.member("pod", pod);
  json.member("hands_off", cgroup.hands_off).member("cpu_use_millis", count(cgroup.cpu_use));
  json.key("throttling");
  if (cgroup.throttling) {
    json.begin_object()
        .member("periods", cgroup.throttling->periods)
        .member("throttled_periods", cgroup.throttling->throttled_periods);
    json.member("throttled_seconds", runtime::seconds(cgroup.throttling->throttled_time))
        .member("bursts", cgroup.throttling->bursts)
        .end_object();
  } else {
    json.null();
  }
  json.key("memory").begin_object().member("current_bytes", count(cgroup.memory.current));
  json.member("working_set_bytes", count(cgroup.memory.working_set))
      .member("anonymous_bytes", count(cgroup.memory.anonymous));
  json.member("page_cache_bytes", count(cgroup.memory.page_cache)).end_object();
  put_pressures(json, cgroup.pressure);
  put_limit(json, cgroup.applied);
  json.end_object();
}

}  // namespace

std::string snapshot_json(const AgentView& view) {
  const NodeSnapshot& snapshot = view.node();
  std::string out;
  runtime::Json json(out);
  json.begin_object().member("now", runtime::seconds(snapshot.at));
  json.member("pods_known", snapshot.pods_known);
  put_node(json, snapshot);
  json.key("cgroups").begin_array();
  for (const auto& cgroup : snapshot.cgroups) put_cgroup(json, cgroup, view.names().pod_name(cgroup.id));
  json.end_array().end_object();
  return out;
}

std::string capabilities_json(const std::vector<features::Capability>& capabilities) {
  std::string out;
  runtime::Json json(out);
  json.begin_object().key("capabilities").begin_array();
  for (const auto& capability : capabilities) {
    json.begin_object().member("feature", capability.feature).member("works", capability.works);
    json.member("detail", capability.detail);
    json.member("why_not", capability.why_not).member("substitute", capability.substitute).end_object();
  }
  json.end_array().end_object();
  return out;
}

std::string capabilities_text(const std::vector<features::Capability>& capabilities) {
  std::size_t width = 0;
  for (const auto& capability : capabilities) width = std::max(width, capability.feature.size());
  std::string out;
  for (const auto& capability : capabilities) {
    out += capability.feature + std::string(width + 2 - capability.feature.size(), ' ');
    out += capability.works ? "works" : "no: " + capability.why_not;
    if (!capability.detail.empty()) out += " (" + capability.detail + ")";
    if (!capability.works && !capability.substitute.empty()) out += "; instead: " + capability.substitute;
    out += '\n';
  }
  return out;
}

}  // namespace evenkeel::api
