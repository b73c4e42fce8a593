// The agent's side of eviction: who has to go, who asks, and what came of it.
#include "agent/core/agent.h"

namespace evenkeel {

/// Only on fresh measurements: this is never done between two ticks.
void Agent::evict(MonoTime now) {
  result_.evictions.clear();
  auto victim = decide_eviction(snapshot_, *inputs_.slo(), eviction_state_);
  if (!victim) return;
  const bool only_told = options_.stepped || options_.dry_run;
  // The victim stays pending, so that this is said once a minute and not of every pod in turn.
  if (!only_told && !ask_to_go_) return not_evicted(victim->uid, "no API server is configured", now);
  record(*victim, now);
  ++counters_.evictions;
  if (!only_told) ask_to_go_(*victim);
  result_.evictions.push_back(std::move(*victim));
}

void Agent::eviction_failed(const std::string& uid, const std::string& why, Duration pause) {
  pass_over(eviction_state_, uid, clock_.now() + pause);
  not_evicted(uid, why, clock_.now());
}

void Agent::not_evicted(const std::string& uid, const std::string& why, MonoTime now) {
  ++counters_.eviction_failures;
  record({.kind = "not-evicted", .why = why}, uid, now);
  log_.warning("not-evicted").with("pod", pod_named(uid)).with("why", why);
}

}  // namespace evenkeel
