#include "agent/api/network_metrics.h"

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

}  // namespace evenkeel::api
