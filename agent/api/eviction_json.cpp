#include "agent/api/json_pages.h"

namespace evenkeel::api {
namespace {

/// What happens to a chosen pod on this route.
std::string_view means(evictions::EvictionRoute way) {
  switch (way) {
    case evictions::EvictionRoute::api:
      return "asked to go through the API server";
    case evictions::EvictionRoute::kill:
      return "ended: SIGTERM, its grace, SIGKILL (killWithoutApi)";
    case evictions::EvictionRoute::report_only:
      return "only told";
    case evictions::EvictionRoute::unavailable:
      return "only told: no API server is configured, and killWithoutApi is not set";
  }
  return "";
}

}  // namespace

void put_eviction_verdicts(runtime::Json& json, const AgentView& view) {
  const eviction::EvictionState& state = view.evictions.state();
  const NodeSlo& slo = *view.inputs.slo();
  const auto triggers = eviction::eviction_triggers();
  json.begin_array();
  for (std::size_t i = 0; i < triggers.size(); ++i) {
    const eviction::EvictionTrigger& trigger = *triggers[i];
    const auto gate = static_cast<std::size_t>(trigger.gate);
    if (!slo.evenkeel.feature_gates[gate]) continue;
    const eviction::EvictionVerdict& verdict = state.verdicts[i];
    const char* missing = trigger.missing(slo.threshold);
    json.begin_object().member("trigger", kFeatureGates[gate]).member("by", trigger.name);
    json.member("needed", verdict.needed);
    json.member("why",
                missing == nullptr ? verdict.why.text() : std::string("cannot run without ") + missing);
    json.member("outcome", verdict.outcome.text()).member("way", means(view.evictions.route()));
    if (state.pending && state.pending->by == trigger.name)
      json.member("waits_for", view.names().pod_name_of_uid(state.pending->uid));
    json.end_object();
  }
  json.end_array();
}

}  // namespace evenkeel::api
