#include "agent/api/metric_families.h"

namespace evenkeel::api {

void put_network(Exposition& out, const AgentView& view) {
  const auto totals = view.execution.writers().network_totals();
  if (totals.held == 0 && totals.writes == 0 && totals.refusals == 0) return;
  out.gauge("evenkeel_network_classes",
            "Traffic classes on the interface of the default route; 0: bandwidth is not shared by class "
            "now.",
            static_cast<double>(totals.held));
  out.counter("evenkeel_network_changes_total",
              "Traffic classes and packet filters that were added or removed.",
              static_cast<double>(totals.writes));
}

void put_core_sched(Exposition& out, const AgentView& view) {
  const auto& counters = view.execution.writers().core_sched_counters();
  if (counters.groups == 0 && counters.tasks == 0) return;
  out.gauge("evenkeel_core_sched_groups",
            "Core scheduling groups: pods of a group share physical cores only with each other.",
            static_cast<double>(counters.groups));
  out.counter("evenkeel_core_sched_tasks_total",
              "Tasks that were added to or removed from a core scheduling group.",
              static_cast<double>(counters.tasks));
}

}  // namespace evenkeel::api
