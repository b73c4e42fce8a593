#include "agent/api/pages.h"
#include "qos/model/reason.h"

namespace evenkeel::api {

namespace {

/// What happens to a chosen pod on this route.
std::string_view means(evictions::EvictionRoute way) {
  switch (way) {
    case evictions::EvictionRoute::api:
      return "evicted through the API server";
    case evictions::EvictionRoute::kill:
      return "ended: SIGTERM, its grace, SIGKILL (killWithoutApi)";
    case evictions::EvictionRoute::report_only:
      return "only reported";
    case evictions::EvictionRoute::unavailable:
      return "only reported: no API server is configured, and killWithoutApi is not set";
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

namespace {

void put_amounts(runtime::Json& json, const lending::LentAmounts& amounts) {
  json.begin_object();
  for (std::size_t i = 0; i < lending::kLentCount; ++i) json.member(lending::kLentNames[i], amounts[i]);
  json.end_object();
}

/// For the operator: "35 CPUs", "42 GiB"; empty if it is not known or not part of the line.
template <class Q>
std::string spelled(const std::optional<Q>& amount) {
  return amount ? because("{}", *amount).text() : std::string();
}

void put_term(runtime::Json& json, const lending::LendTerm& term) {
  const auto count = [](const auto& amount) {
    return amount ? std::optional(amount->count()) : std::nullopt;
  };
  json.begin_object().member("name", term.name).member("source", term.source);
  json.member("cpu_milli", count(term.cpu)).member("memory_bytes", count(term.memory));
  json.member("cpu", spelled(term.cpu)).member("memory", spelled(term.memory)).end_object();
}

bool any(const lending::LentAmounts& amounts) {
  for (const auto& amount : amounts)
    if (amount) return true;
  return false;
}

}  // namespace

void put_report(runtime::Json& json, const lender::Lending& lending) {
  json.key("report");
  const auto& advertised = lending.advertised();
  if (!advertised || !any(advertised->amounts)) return void(json.null());
  put_amounts(json, advertised->amounts);
}

void put_lending(runtime::Json& json, const lender::Lending& lending) {
  const auto& advertised = lending.advertised();
  if (!advertised || !lending.lendable()) return void(json.null());
  json.begin_object().key("advertised");
  put_amounts(json, advertised->amounts);
  json.key("standing");
  put_amounts(json, lending.standing());
  json.key("held");
  put_amounts(json, advertised->held);
  json.member("below_held", advertised->below_requested).member("why", advertised->why);
  json.member("unknown_because", lending.lendable()->unknown_reason).key("terms").begin_array();
  for (const auto& term : lending.lendable()->terms) put_term(json, term);
  json.end_array().end_object();
}

}  // namespace evenkeel::api
