#include "agent/api/metric_families.h"

namespace evenkeel::api {
namespace {

struct Row {
  const char* name;
  const char* help;
  std::uint64_t reclaim::ReclaimCounters::*count;
};
constexpr Row kRows[] = {
    {"evenkeel_reclaim_asked_bytes_total", "Memory that the kernel was asked to take (memory.reclaim).",
     &reclaim::ReclaimCounters::asked_bytes},
    {"evenkeel_reclaim_reclaimed_bytes_total", "Memory that it has taken.",
     &reclaim::ReclaimCounters::reclaimed_bytes},
    {"evenkeel_reclaim_chunks_total", "Requests to the kernel.", &reclaim::ReclaimCounters::chunks},
    {"evenkeel_reclaim_stopped_by_pressure_total", "Orders ended because the cgroup was stalled.",
     &reclaim::ReclaimCounters::stopped_by_pressure},
    {"evenkeel_reclaim_budget_exhausted_total", "Orders that wanted more than the node spares in a tick.",
     &reclaim::ReclaimCounters::budget_exhausted},
    {"evenkeel_reclaim_nothing_left_total", "Orders ended because the kernel found no more to take.",
     &reclaim::ReclaimCounters::nothing_left},
    {"evenkeel_reclaim_failures_total", "Orders that failed.", &reclaim::ReclaimCounters::failures},
};

}  // namespace

void put_reclaim(Exposition& out, const AgentView& view) {
  const auto counters = view.reclaimer.counters();
  for (const auto& row : kRows) out.counter(row.name, row.help, static_cast<double>(counters.*row.count));
  out.gauge("evenkeel_reclaim_orders", "Cgroups that memory is or may be taken from until the next tick.",
            static_cast<double>(view.tick.result().reclaims.size()));
}

}  // namespace evenkeel::api
