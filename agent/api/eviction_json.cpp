#include "agent/api/eviction_json.h"

namespace evenkeel {
namespace {

/// What being chosen means here.
std::string_view means(EvictionWay way) {
  switch (way) {
    case EvictionWay::asked:
      return "asked to go through the API server";
    case EvictionWay::ended:
      return "ended: SIGTERM, its grace, SIGKILL (killWithoutApi)";
    case EvictionWay::told:
      return "only told";
    case EvictionWay::nobody_to_ask:
      return "only told: no API server is configured, and killWithoutApi is not set";
  }
  return "";
}

}  // namespace

void put_eviction_verdicts(Json& json, const Agent& agent) {
  const EvictionState& state = agent.eviction();
  const NodeSlo& slo = *agent.inputs().slo();
  const auto triggers = eviction_triggers();
  json.begin_array();
  for (std::size_t i = 0; i < triggers.size(); ++i) {
    const EvictionTrigger& trigger = *triggers[i];
    const auto gate = static_cast<std::size_t>(trigger.gate);
    if (!slo.evenkeel.feature_gates[gate]) continue;
    const EvictionVerdict& verdict = state.verdicts[i];
    const char* missing = trigger.missing(slo.threshold);
    json.begin_object().member("trigger", kFeatureGates[gate]).member("by", trigger.name);
    json.member("needed", verdict.needed);
    json.member("why",
                missing == nullptr ? verdict.why.text() : std::string("cannot run without ") + missing);
    json.member("outcome", verdict.outcome.text()).member("way", means(agent.eviction_way()));
    if (state.pending && state.pending->by == trigger.name)
      json.member("waits_for", agent.pod_named(state.pending->uid));
    json.end_object();
  }
  json.end_array();
}

}  // namespace evenkeel
