#include "agent/api/metric_families.h"

namespace evenkeel::api {
namespace {

struct Row {
  const char* name;
  const char* help;
  std::uint64_t reclaim::ReclaimCounters::*count;
};
constexpr Row kRows[] = {
    {"evenkeel_reclaim_asked_bytes_total", "Memory requested through memory.reclaim, in bytes.",
     &reclaim::ReclaimCounters::asked_bytes},
    {"evenkeel_reclaim_reclaimed_bytes_total", "Memory that the kernel reclaimed on request, in bytes.",
     &reclaim::ReclaimCounters::reclaimed_bytes},
    {"evenkeel_reclaim_chunks_total", "Writes to memory.reclaim.", &reclaim::ReclaimCounters::chunks},
    {"evenkeel_reclaim_stopped_by_pressure_total",
     "Reclaim orders that ended early because of memory pressure in the cgroup.",
     &reclaim::ReclaimCounters::stopped_by_pressure},
    {"evenkeel_reclaim_budget_exhausted_total",
     "Reclaim orders that exceeded the node's reclaim budget for a tick.",
     &reclaim::ReclaimCounters::budget_exhausted},
    {"evenkeel_reclaim_nothing_left_total",
     "Reclaim orders that ended early because the kernel found no more reclaimable memory.",
     &reclaim::ReclaimCounters::nothing_left},
    {"evenkeel_reclaim_failures_total", "Reclaim orders that failed.", &reclaim::ReclaimCounters::failures},
};

}  // namespace

void put_reclaim(Exposition& out, const AgentView& view) {
  const auto counters = view.reclaimer.counters();
  for (const auto& row : kRows) out.counter(row.name, row.help, static_cast<double>(counters.*row.count));
  out.gauge("evenkeel_reclaim_orders", "Cgroups with a reclaim order in force until the next tick.",
            static_cast<double>(view.tick.result().reclaims.size()));
}

}  // namespace evenkeel::api
