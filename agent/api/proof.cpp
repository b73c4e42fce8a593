#include "qos/proof/proof.h"

#include "agent/api/metrics.h"
#include "agent/api/pages.h"
#include "agent/record/recorder.h"
#include "agent/runtime/json.h"

namespace evenkeel::api {
namespace {

const proof::ProofState& state_of(const AgentView& view) { return view.policies.of<proof::ProofState>(); }

bool is_on(const AgentView& view) { return view.node().slo && view.node().slo->evenkeel.proof.enable; }

bool is_withdrawn(const AgentView& view, std::size_t lever) {
  return is_on(view) && view.node().slo->evenkeel.proof.withdraw &&
         proof::verdict(state_of(view), lever) == proof::Verdict::harms;
}

bool compares_figures(const AgentView& view) {
  return is_on(view) && proof::compares_figures(*view.node().slo);
}

std::string feeling_of(const proof::Lever& lever, const proof::Evidence& one) {
  return std::string(proof::name(one.feeling.value_or(lever.feeling)));
}

/// What the verdict rests on; empty: there is none.
std::string decided_by(const AgentView& view, std::size_t lever) {
  if (proof::verdict(state_of(view), lever) == proof::Verdict::unknown) return {};
  return feeling_of(proof::levers()[lever], proof::deciding(state_of(view), lever));
}

void put_evidence(runtime::Json& json, const proof::Evidence& one) {
  json.member("trials", one.trials);
  if (const auto effect = one.effect())
    json.member("ratio", effect->ratio).member("ratio_low", effect->low).member("ratio_high", effect->high);
}

/// What services report, where that is compared.
void put_reported(Exposition& out, const std::string& lever, const proof::Evidence& one) {
  out.counter("evenkeel_proof_reported_trials_total",
              "Trials in which the figures that services report for their objectives were compared.",
              static_cast<double>(one.trials), {{"lever", lever}});
  if (const auto effect = one.effect())
    out.gauge("evenkeel_proof_reported_ratio",
              "Figures that services report while the lever is in force, as a multiple of those without it "
              "(geometric mean of all trials).",
              effect->ratio, {{"lever", lever}});
}

}  // namespace

void put_withdrawn(runtime::Json& json, const AgentView& view) {
  json.begin_array();
  for (std::size_t i = 0; i < proof::kLevers; ++i)
    if (is_withdrawn(view, i))
      json.begin_object()
          .member("lever", std::string(proof::levers()[i].name))
          .member("why", record::sentence_of(proof::levers()[i], proof::deciding(state_of(view), i)))
          .end_object();
  json.end_array();
}

std::string proof_json(const AgentView& view) {
  std::string out;
  runtime::Json json(out);
  const proof::ProofState& state = state_of(view);
  json.begin_object().member("enabled", is_on(view)).member("error_rate", proof::kErrorRate);
  json.member("run_queue_waits", std::string(record::name(view.node().run_queue.source)));
  json.member("run_queue_waits_why", view.node().run_queue.why);
  json.member("trouble", std::string(state.trouble));
  json.member("withheld_seconds", runtime::seconds(state.withheld)).key("levers").begin_array();
  for (std::size_t i = 0; i < proof::kLevers; ++i) {
    const proof::Lever& lever = proof::levers()[i];
    const proof::Evidence& one = state.evidence[i];
    json.begin_object().member("lever", std::string(lever.name)).member("policy", std::string(lever.policy));
    json.member("feeling", feeling_of(lever, one));
    put_evidence(json, one);
    json.member("felt_verdict", std::string(proof::name(one.verdict)));
    if (compares_figures(view)) {
      json.key("reported").begin_object();
      put_evidence(json, state.reported[i]);
      json.member("verdict", std::string(proof::name(state.reported[i].verdict))).end_object();
    }
    json.member("standing", std::string(proof::name(state.standing[i])));
    json.member("verdict", std::string(proof::name(proof::verdict(state, i))));
    json.member("decided_by", decided_by(view, i));
    json.member("withdrawn", is_withdrawn(view, i)).end_object();
  }
  json.end_array().end_object();
  return out;
}

void put_proof(Exposition& out, const AgentView& view) {
  if (!is_on(view)) return;
  const proof::ProofState& state = state_of(view);
  out.counter("evenkeel_proof_withheld_seconds_total",
              "Time in which a lever was withheld for a test, in seconds.", runtime::seconds(state.withheld));
  for (std::size_t i = 0; i < proof::kLevers; ++i) {
    const std::string lever(proof::levers()[i].name);
    const proof::Evidence& one = state.evidence[i];
    out.counter("evenkeel_proof_trials_total",
                "Trials: a span of time with the lever and one without it were compared.",
                static_cast<double>(one.trials), {{"lever", lever}});
    out.gauge("evenkeel_proof_verdict",
              "Always 1; the label verdict says what the lever does to services on this node.", 1,
              {{"lever", lever}, {"verdict", std::string(proof::name(proof::verdict(state, i)))}});
    if (const std::string by = decided_by(view, i); !by.empty())
      out.gauge("evenkeel_proof_decided_by",
                "Always 1; the label evidence says what the verdict on the lever rests on.", 1,
                {{"lever", lever}, {"evidence", by}});
    if (compares_figures(view)) put_reported(out, lever, state.reported[i]);
    out.gauge("evenkeel_proof_withdrawn", "1 while the lever is withheld for good because it harms services.",
              is_withdrawn(view, i) ? 1 : 0, {{"lever", lever}});
    if (const auto effect = one.effect())
      out.gauge("evenkeel_proof_effect_ratio",
                "Waits of services while the lever is in force, as a multiple of their waits without it "
                "(geometric mean of all trials).",
                effect->ratio, {{"lever", lever}});
  }
}

}  // namespace evenkeel::api
