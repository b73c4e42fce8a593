#include "qos/interference/interference.h"

#include "qos/interference/act.h"
#include "qos/interference/judge.h"
#include "qos/interference/remedy.h"
#include "qos/interference/roster.h"
#include "qos/interference/trial.h"

namespace evenkeel::interference {
namespace {

/// What is counted within a day.
void forget_yesterday(MonoTime now, InterferenceState& state) {
  const auto old = [now](MonoTime at) { return now - at >= std::chrono::hours(24); };
  std::erase_if(state.tests, old);
  std::erase_if(state.confirmed, [&](const Confirmed& one) { return old(one.at); });
}

void decide(const NodeSnapshot& node, const NodeSlo& slo, decide::PolicyState& all, decide::Intents& out) {
  const InterferenceSettings& settings = slo.evenkeel.interference;
  InterferenceState& state = all.interference;
  state.news.clear();
  state.sampled.clear();
  state.suspicion.reset();
  forget_yesterday(node.at, state);
  follow_roster(node, settings, state);
  if (node.measured) measure(node, settings, state, state.sampled);
  for (const Sampled& sampled : state.sampled) look_at(sampled, node, settings, state);
  let_go(node, settings, state);
  try_out(node, settings, state.sampled, state);
  act(node, settings, state.sampled, state);
  wish(node, state, out);
}

}  // namespace

const decide::PolicySpec interference_policy{
    "interference", "finds out who slows a service down, and limits best effort that does",
    [](const NodeSlo& slo) { return slo.evenkeel.interference.enable; }, &decide,
    [](decide::PolicyState& state) { state.interference = {}; }};

}  // namespace evenkeel::interference
