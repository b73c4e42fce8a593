#include "qos/interference/interference.h"

#include <algorithm>

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
  state.events.clear();
  state.sampled.clear();
  state.suspicion.reset();
  state.may_limit_cpu = decide::quota_is_harmless(node, slo, facts.read<decide::HarmfulLevers>());
  forget_yesterday(node.at, state);
  if (update_roster(node, settings, state)) publish(state, facts.publish<decide::WatchedCgroups>());
  if (node.measured) measure(node, settings, state, state.sampled);
  for (const NewSample& sampled : state.sampled) look_at(sampled, node, settings, state);
  let_go(node, settings, state);
  advance_trial(node, settings, state.sampled, state);
  act(node, settings, state.sampled, state);
  add_intents(node, state, out);
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
    {"interference", "finds the pod that slows a service down, and limits it if it is best effort", enabled},
    decide};

void publish(const InterferenceState& state, decide::WatchedCgroups& watched) {
  watched.services.clear();
  watched.best_effort.clear();
  for (const Victim& victim : state.victims) watched.services.push_back(victim.cgroup);
  for (const auto& member : state.members) {
    const Unit* unit = entry_of(state.units, unit_of(state, member.cgroup));
    if (unit != nullptr && unit->best_effort) watched.best_effort.push_back(member.cgroup);
  }
}

void publish(const InterferenceState& state, decide::CacheLimits& cache) {
  cache.antagonists.clear();
  for (const Cap& cap : state.caps)
    if (cap.limit.remedy == Remedy::cache) cache.antagonists.push_back(cap.suspect);
}

void publish(const InterferenceState& state, decide::MemoryLimits& memory) {
  memory.limits.clear();
  for (const Cap& cap : state.caps)
    if (cap.limit.remedy == Remedy::memory) memory.limits.push_back({cap.suspect, cap.limit.memory});
}

void publish(const InterferenceState& state, const InterferenceSettings& settings,
             decide::RepeatAntagonists& repeat) {
  repeat.pods.clear();
  for (const ConfirmedAntagonist& one : state.confirmed) {
    const auto times = std::ranges::count(state.confirmed, one.suspect, &ConfirmedAntagonist::suspect);
    if (times >= settings.evict_after && std::ranges::find(repeat.pods, one.suspect) == repeat.pods.end())
      repeat.pods.push_back(one.suspect);
  }
  std::ranges::sort(repeat.pods);
}

}  // namespace evenkeel::interference
