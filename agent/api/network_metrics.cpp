#include "agent/api/metric_families.h"

namespace evenkeel::api {

void put_network(Exposition& out, const AgentView& view) {
  const auto totals = view.execution.writers().network_totals();
  if (totals.held == 0 && totals.writes == 0 && totals.refusals == 0) return;
  out.gauge("evenkeel_network_classes",
            "Classes of the queue on the interface of the default route; 0: it is not shared now.",
            static_cast<double>(totals.held));
  out.counter("evenkeel_network_changes_total", "Classes and packet rules that were put or taken away.",
              static_cast<double>(totals.writes));
}

void put_core_sched(Exposition& out, const AgentView& view) {
  const auto& counters = view.execution.writers().core_sched_counters();
  if (counters.groups == 0 && counters.tasks == 0) return;
  out.gauge("evenkeel_core_sched_groups", "Groups of pods that share no physical core with anybody else.",
            static_cast<double>(counters.groups));
  out.counter("evenkeel_core_sched_tasks_total", "Tasks given to such a group, or taken out of it.",
              static_cast<double>(counters.tasks));
}

}  // namespace evenkeel::api
