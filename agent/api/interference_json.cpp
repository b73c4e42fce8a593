#include "agent/api/interference_json.h"

#include "agent/runtime/clock.h"
#include "agent/tick/interference.h"
#include "qos/interference/measure.h"
#include "qos/interference/workloads.h"

namespace evenkeel {
namespace {

void put_accusation(Json& json, const Accusation& one, const Agent& agent) {
  const Verdict& verdict = one.verdict;
  const SignalTraits& signal = traits_of(one.signal);
  const InterferenceState& state = agent.remembered().interference;
  json.begin_object().member("victim", agent.title_of(one.victim));
  json.member("workload", workload_named(state, one.victim));
  json.member("antagonist", agent.title_of(one.suspect)).member("resource", resource_of(one.signal));
  json.member("score", verdict.confidence()).member("why", sentence_of(one));
  json.member("signal", signal.name).member("unit", signal.unit);
  json.member("value", one.value).member("usual", one.usual);
  json.member("finding", finding_name(verdict.finding)).member("times", one.times);
  if (verdict.with) json.member("with", agent.title_of(verdict.with));
  json.member("blame_seconds_per_second", verdict.blame).member("blame_share", verdict.blame_share);
  json.member("effect", verdict.evidence.effect).member("contrast", verdict.evidence.contrast);
  json.member("rank_correlation", verdict.evidence.rank_correlation);
  json.member("chance", verdict.chance).member("since", seconds(one.since));
  const auto cap = std::ranges::find(state.caps, one.suspect, &Cap::suspect);
  json.member("limited", cap != state.caps.end()).end_object();
}

void put_cap(Json& json, const Cap& cap, const Agent& agent) {
  json.begin_object().member("antagonist", agent.title_of(cap.suspect));
  json.member("victim", agent.title_of(cap.victim)).member("resource", resource_of(cap.signal));
  json.member("remedy", name(cap.limit.remedy)).member("limit", limit_text(cap.limit));
  if (cap.limit.remedy == Remedy::cpu) {
    json.member("limit_cores", static_cast<double>(cap.limit.cpu.count()) / 1000);
    json.member("used_cores", static_cast<double>(cap.limit.used.count()) / 1000);
  }
  json.member("since", seconds(cap.since)).member("helps", cap.cured).end_object();
}

/// A test that is under way.
void put_trial(Json& json, const std::optional<Trial>& trial, const Agent& agent) {
  if (!trial) return static_cast<void>(json.null());
  json.begin_object().member("victim", agent.title_of(trial->about.victim));
  json.member("suspect", agent.title_of(trial->about.suspect));
  json.member("resource", resource_of(trial->about.signal));
  json.member("turn", trial->slot + 1).member("turns", trial->plan.slots);
  json.member("limited_now", trial->limits()).member("limit", limit_text(trial->limit)).end_object();
}

void put_budget(Json& json, const StallBudget& budget) {
  json.begin_object();
  for (std::size_t stall = 0; stall < kStallSignals; ++stall)
    json.member(resource_of(stall_signal(stall)), budget[stall]);
  json.end_object();
}

/// Which signals of it are known well enough, and what is usual: in the words in which a NodeSLO gives it.
void put_victim(Json& json, const Victim& victim, const InterferenceSettings& settings, const Agent& agent) {
  const InterferenceState& state = agent.remembered().interference;
  json.begin_object().member("victim", agent.title_of(victim.cgroup));
  json.member("workload", state.workloads[victim.workload].key);
  put_budget(json.key("stalled_by_others_seconds"), victim.stalled_by_others_seconds);
  json.key("signals").begin_array();
  for (std::size_t i = 0; i < kSignals; ++i) {
    const VictimWatch& watch = victim.watch[i];
    const auto newest = watch.series().at(watch.series().newest());
    if (!newest) continue;
    const DetectorSettings detector = detector_settings(settings);
    json.begin_object().member("signal", kSignalTraits[i].name).member("unit", kSignalTraits[i].unit);
    json.member("value", *newest).member("usual", watch.model().usual());
    if (const auto normal = watch.model().normal())
      json.member("deviation", deviation_of(*normal, kSignalTraits[i])).member("samples", normal->weight);
    json.member("threshold", watch.model().threshold(detector));
    json.member("trusted", watch.model().trusted(detector)).end_object();
  }
  json.end_array().end_object();
}

}  // namespace

void put_accusations(Json& json, const Agent& agent) {
  json.begin_array();
  for (const Accusation& one : agent.remembered().interference.accusations) put_accusation(json, one, agent);
  json.end_array();
}

std::string interference_json(const Agent& agent) {
  std::string out;
  Json json(out);
  const InterferenceState& state = agent.remembered().interference;
  const auto& slo = agent.snapshot().slo;
  json.begin_object().member("enabled", slo && slo->evenkeel.interference.enable);
  json.member("acts", slo && slo->evenkeel.interference.act);
  json.member("cpu_model", agent.snapshot().topology.model).key("interference");
  put_accusations(json, agent);
  json.key("limits").begin_array();
  for (const Cap& cap : state.caps) put_cap(json, cap, agent);
  json.end_array().key("test");
  put_trial(json, state.trial, agent);
  json.key("victims").begin_array();
  if (slo)
    for (const Victim& victim : state.victims) put_victim(json, victim, slo->evenkeel.interference, agent);
  json.end_array().key("charged").begin_array();
  for (const Unit& unit : state.units) {
    if (unit.charged_seconds == StallBudget{}) continue;
    json.begin_object().member("antagonist", agent.title_of(unit.cgroup));
    put_budget(json.key("charged_seconds"), unit.charged_seconds);
    put_budget(json.key("charged_seconds_last_day"), unit.charged_lately.sum(agent.snapshot().at));
    json.end_object();
  }
  json.end_array().key("workloads").begin_array();
  for (const auto& [workload, seconds] : stalled_lately(state, agent.snapshot().at)) {
    json.begin_object().member("workload", std::string(workload));
    put_budget(json.key("stalled_by_others_seconds_last_day"), seconds);
    json.end_object();
  }
  json.end_array().end_object();
  return out;
}

}  // namespace evenkeel
