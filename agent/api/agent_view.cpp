#include "agent/api/agent_view.h"

namespace evenkeel::api {

std::optional<record::Degraded> AgentView::degraded() const {
  return record::degraded({inputs.states(), node().pods_known, node().pods_stale, execution.counters()});
}

}  // namespace evenkeel::api
