#include "agent/api/eviction_json.h"

namespace evenkeel::api {
namespace {

/// What being chosen means here.
std::string_view means(tick::EvictionRoute way) {
  switch (way) {
    case tick::EvictionRoute::api:
      return "asked to go through the API server";
    case tick::EvictionRoute::kill:
      return "ended: SIGTERM, its grace, SIGKILL (killWithoutApi)";
    case tick::EvictionRoute::report_only:
      return "only told";
    case tick::EvictionRoute::unavailable:
      return "only told: no API server is configured, and killWithoutApi is not set";
  }
  return "";
}

}  // namespace

void put_eviction_verdicts(runtime::Json& json, const tick::Agent& agent) {
  const eviction::EvictionState& state = agent.eviction();
  const NodeSlo& slo = *agent.inputs().slo();
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
    json.member("outcome", verdict.outcome.text()).member("way", means(agent.eviction_route()));
    if (state.pending && state.pending->by == trigger.name)
      json.member("waits_for", agent.pod_name_of_uid(state.pending->uid));
    json.end_object();
  }
  json.end_array();
}

}  // namespace evenkeel::api
