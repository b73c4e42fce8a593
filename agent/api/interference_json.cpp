#include "agent/api/pages.h"
#include "agent/record/recorder.h"
#include "agent/runtime/clock.h"
#include "qos/interference/roster.h"
#include "qos/interference/steps.h"

namespace evenkeel::api {
namespace {

void put_accusation(runtime::Json& json, const interference::Accusation& one, const AgentView& view) {
  const detector::Verdict& verdict = one.verdict;
  const SignalTraits& signal = traits_of(one.signal);
  const auto& state = view.policies.of<interference::InterferenceState>();
  json.begin_object().member("victim", view.names().display_name(one.victim));
  json.member("workload", interference::workload_key_of(state, one.victim));
  json.member("antagonist", view.names().display_name(one.suspect))
      .member("resource", record::resource_of(one.signal));
  json.member("score", verdict.confidence()).member("why", record::sentence_of(one));
  json.member("signal", signal.name).member("unit", signal.unit);
  json.member("value", one.value).member("usual", one.usual);
  json.member("finding", detector::finding_name(verdict.finding)).member("times", one.times);
  if (verdict.with) json.member("with", view.names().display_name(verdict.with));
  json.member("blame_seconds_per_second", verdict.blame).member("blame_share", verdict.blame_share);
  json.member("effect", verdict.evidence.effect).member("contrast", verdict.evidence.contrast);
  json.member("rank_correlation", verdict.evidence.rank_correlation);
  json.member("chance", verdict.chance).member("since", runtime::seconds(one.since));
  const auto cap = std::ranges::find(state.caps, one.suspect, &interference::Cap::suspect);
  json.member("limited", cap != state.caps.end()).end_object();
}

void put_cap(runtime::Json& json, const interference::Cap& cap, const AgentView& view) {
  json.begin_object().member("antagonist", view.names().display_name(cap.suspect));
  json.member("victim", view.names().display_name(cap.victim))
      .member("resource", record::resource_of(cap.signal));
  json.member("remedy", record::name(cap.limit.remedy)).member("limit", record::limit_text(cap.limit));
  if (cap.limit.remedy == interference::Remedy::cpu) {
    json.member("limit_cores", static_cast<double>(cap.limit.cpu.count()) / 1000);
    json.member("used_cores", static_cast<double>(cap.limit.used.count()) / 1000);
  }
  json.member("since", runtime::seconds(cap.since)).member("helps", cap.relieved).end_object();
}

/// The randomized trial in progress.
void put_trial(runtime::Json& json, const std::optional<interference::Trial>& trial, const AgentView& view) {
  if (!trial) return static_cast<void>(json.null());
  json.begin_object().member("victim", view.names().display_name(trial->about.victim));
  json.member("suspect", view.names().display_name(trial->about.suspect));
  json.member("resource", record::resource_of(trial->about.signal));
  json.member("turn", trial->slot + 1).member("turns", trial->plan.slots);
  json.member("limited_now", trial->limits()).member("limit", record::limit_text(trial->limit)).end_object();
}

void put_budget(runtime::Json& json, const detector::StallSeconds& budget) {
  json.begin_object();
  for (std::size_t stall = 0; stall < detector::kStallSignals; ++stall)
    json.member(record::resource_of(detector::stall_signal(stall)), budget[stall]);
  json.end_object();
}

/// The signals with a known baseline, and their usual level, in the terms of the NodeSLO.
void put_victim(runtime::Json& json, const interference::Victim& victim, const InterferenceSettings& settings,
                const AgentView& view) {
  const auto& state = view.policies.of<interference::InterferenceState>();
  json.begin_object().member("victim", view.names().display_name(victim.cgroup));
  json.member("workload", state.workloads[victim.workload].key);
  put_budget(json.key("stalled_by_others_seconds"), victim.stalled_by_others_seconds);
  json.key("signals").begin_array();
  for (std::size_t i = 0; i < kSignals; ++i) {
    const detector::VictimWatch& watch = victim.watch[i];
    const auto newest = watch.series().at(watch.series().newest());
    if (!newest) continue;
    const detector::DetectorSettings detector = interference::detector_settings(settings);
    json.begin_object().member("signal", kSignalTraits[i].name).member("unit", kSignalTraits[i].unit);
    json.member("value", *newest).member("usual", watch.model().usual());
    if (const auto normal = watch.model().normal())
      json.member("deviation", detector::deviation_of(*normal, kSignalTraits[i]))
          .member("samples", normal->weight);
    json.member("threshold", watch.model().threshold(detector));
    json.member("trusted", watch.model().trusted(detector)).end_object();
  }
  json.end_array().end_object();
}

}  // namespace

void put_accusations(runtime::Json& json, const AgentView& view) {
  json.begin_array();
  for (const interference::Accusation& one : view.policies.of<interference::InterferenceState>().accusations)
    put_accusation(json, one, view);
  json.end_array();
}

std::string interference_json(const AgentView& view) {
  std::string out;
  runtime::Json json(out);
  const auto& state = view.policies.of<interference::InterferenceState>();
  const auto& slo = view.node().slo;
  json.begin_object().member("enabled", slo && slo->evenkeel.interference.enable);
  json.member("acts", slo && slo->evenkeel.interference.act);
  json.member("cpu_model", view.node().topology.model).key("interference");
  put_accusations(json, view);
  json.key("limits").begin_array();
  for (const interference::Cap& cap : state.caps) put_cap(json, cap, view);
  json.end_array().key("test");
  put_trial(json, state.trial, view);
  json.key("victims").begin_array();
  if (slo)
    for (const interference::Victim& victim : state.victims)
      put_victim(json, victim, slo->evenkeel.interference, view);
  json.end_array().key("charged").begin_array();
  for (const interference::Unit& unit : state.units) {
    if (unit.charged_seconds == detector::StallSeconds{}) continue;
    json.begin_object().member("antagonist", view.names().display_name(unit.cgroup));
    put_budget(json.key("charged_seconds"), unit.charged_seconds);
    put_budget(json.key("charged_seconds_last_day"), unit.recent_charges.sum(view.node().at));
    json.end_object();
  }
  json.end_array().key("workloads").begin_array();
  for (const auto& [workload, seconds] : interference::stalled_lately(state, view.node().at)) {
    json.begin_object().member("workload", std::string(workload));
    put_budget(json.key("stalled_by_others_seconds_last_day"), seconds);
    json.end_object();
  }
  json.end_array().end_object();
  return out;
}

}  // namespace evenkeel::api
