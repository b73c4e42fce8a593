#include "agent/api/core_sched_metrics.h"

namespace evenkeel::api {

void put_core_sched(Exposition& out, const AgentView& view) {
  const auto& counters = view.execution.writers().core_sched_counters();
  if (counters.groups == 0 && counters.tasks == 0) return;
  out.gauge("evenkeel_core_sched_groups", "Groups of pods that share no physical core with anybody else.",
            static_cast<double>(counters.groups));
  out.counter("evenkeel_core_sched_tasks_total", "Tasks given to such a group, or taken out of it.",
              static_cast<double>(counters.tasks));
}

}  // namespace evenkeel::api
