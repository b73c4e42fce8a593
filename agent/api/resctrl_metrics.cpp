#include "agent/api/metric_families.h"

namespace evenkeel::api {
namespace {

void put_use(Exposition& out, const ResctrlUse& use) {
  const std::string group = use.group.empty() ? "root" : use.group, cache = std::to_string(use.domain);
  if (use.occupancy)
    out.gauge("evenkeel_resctrl_llc_occupancy_bytes",
              "Last-level cache occupied by the tasks of a resctrl group, in bytes.",
              static_cast<double>(use.occupancy->count()), {{"group", group}, {"cache", cache}});
  const auto traffic = [&](const char* kind, const std::optional<Bytes>& bytes) {
    if (bytes)
      out.counter(
          "evenkeel_resctrl_memory_traffic_bytes_total",
          "Memory traffic of a resctrl group's tasks since the group was created, in bytes; kind total "
          "includes local.",
          static_cast<double>(bytes->count()), {{"group", group}, {"cache", cache}, {"kind", kind}});
  };
  traffic("total", use.total_traffic);
  traffic("local", use.local_traffic);
}

/// Steering of best effort's cache ways, if enabled.
void put_ways(Exposition& out, const AgentView& view) {
  const auto* slo = view.node().slo.get();
  if (slo == nullptr || !slo->evenkeel.resctrl_dynamic.enable || !slo->evenkeel.resctrl_dynamic.cache_ways)
    return;
  const cache::WaySteering& ways = view.policies.of<cache::ResctrlState>().ways;
  out.gauge("evenkeel_resctrl_ways_taken",
            "Cache ways withheld now from the configured range of best effort, to protect services.",
            static_cast<double>(ways.taken()));
  if (ways.misses())
    out.gauge("evenkeel_services_cache_misses_per_instruction",
              "Last-level cache misses per instruction of all services together.", *ways.misses());
  if (ways.times_usual())
    out.gauge("evenkeel_services_cache_misses_ratio",
              "Last-level cache misses per instruction of all services, relative to their usual level (1: "
              "usual).",
              *ways.times_usual());
  for (std::size_t i = 0; i < cache::kWaySteps; ++i)
    out.counter("evenkeel_resctrl_way_steps_total",
                "Steps that withheld cache ways from best effort (helped, no-help) or restored them "
                "(harmless, hurt), by outcome.",
                static_cast<double>(ways.steps()[i]), {{"outcome", cache::kWayStepNames[i]}});
}

}  // namespace

void put_resctrl(Exposition& out, const AgentView& view) {
  if (view.node().resctrl == nullptr) return;
  const auto& counters = view.execution.writers().resctrl_counters();
  out.gauge("evenkeel_resctrl_groups", "Resctrl control groups that the agent created.",
            static_cast<double>(counters.groups));
  out.counter("evenkeel_resctrl_moved_tasks_total", "Tasks that were moved into a resctrl group or back.",
              static_cast<double>(counters.moved_tasks));
  for (const auto& use : view.node().resctrl_use) put_use(out, use);
  put_ways(out, view);
}

}  // namespace evenkeel::api
