#include "qos/interference/interference.h"

#include "qos/interference/remedy.h"
#include "qos/interference/roster.h"
#include "qos/interference/steps.h"

namespace evenkeel::interference {
namespace {

/// What is counted within a day.
void forget_yesterday(MonoTime now, InterferenceState& state) {
  const auto old = [now](MonoTime at) { return now - at >= std::chrono::hours(24); };
  std::erase_if(state.tests, old);
  std::erase_if(state.confirmed, [&](const ConfirmedAntagonist& one) { return old(one.at); });
}

bool enabled(const NodeSlo& slo) { return slo.evenkeel.interference.enable; }

void decide(const NodeSnapshot& node, const NodeSlo& slo, InterferenceState& state,
            InterferencePolicy::Facts facts, decide::Intents& out) {
  const InterferenceSettings& settings = slo.evenkeel.interference;
  state.news.clear();
  state.sampled.clear();
  state.suspicion.reset();
  forget_yesterday(node.at, state);
  if (update_roster(node, settings, state)) publish(state, facts.publish<decide::WatchedCgroups>());
  if (node.measured) measure(node, settings, state, state.sampled);
  for (const NewSample& sampled : state.sampled) look_at(sampled, node, settings, state);
  let_go(node, settings, state);
  advance_trial(node, settings, state.sampled, state);
  act(node, settings, state.sampled, state);
  wish(node, state, out);
  publish(state, facts.publish<decide::CacheLimits>());
  publish(state, facts.publish<decide::MemoryLimits>());
  publish(state, settings, facts.publish<decide::RepeatAntagonists>());
}

}  // namespace

void restart(const NodeSnapshot& node, const InterferenceSettings& settings, InterferenceState& state,
             InterferencePolicy::Facts facts) {
  facts.withdraw();
  state = {};
  state.source = node.run_queue.source;
  state.counter_period = settings.counter_period;
  state.stall_window = settings.stall_window;
}

constinit const InterferencePolicy interference_policy{
    {"interference", "finds out who slows a service down, and limits best effort that does", enabled},
    decide};

}  // namespace evenkeel::interference
