#include "qos/eviction/eviction.h"

#include <algorithm>

#include "qos/eviction/choice.h"

namespace evenkeel::eviction {
namespace {

using Asked = EvictionState::Asked;

// The kubelet kills after the pod's grace period and removes the cgroup some seconds later. If a pod is still
// there after this, its kubelet has a problem.
constexpr Duration kAfterGrace = std::chrono::seconds(30);
// The time for which Koordinator remembers a pod that it has evicted.
constexpr Duration kNotAgain = std::chrono::minutes(2);
// For this long a gang that lost a member counts as having lost it; by then its scheduler has replaced it.
constexpr Duration kRemembered = std::chrono::minutes(5);
// Node-wide: a trigger that is wrong or misconfigured empties a node slowly enough for operators to see.
constexpr Duration kTokenEvery = std::chrono::seconds(15);

void refill(EvictionState& state, MonoTime now) {
  const auto due = (now - state.refilled) / kTokenEvery;
  if (due >= EvictionState::kMaxTokens - state.tokens) {
    state.tokens = EvictionState::kMaxTokens;
    state.refilled = now;
  } else if (due > 0) {
    state.tokens += static_cast<int>(due);
    state.refilled += kTokenEvery * due;
  }
}

/// A token is spent when a pod is gone, not on a request: a disruption budget that forbids all costs nothing.
void spent_on(const Asked& victim, EvictionState& state, MonoTime now) {
  if (state.tokens == EvictionState::kMaxTokens) state.refilled = now;
  state.tokens = std::max(state.tokens - 1, 0);
  state.recent_evictions.push_back({victim.uid, victim.owner_uid, victim.gang, now});
}

void gone(EvictionState& state, MonoTime now) {
  spent_on(*state.pending, state, now);
  state.freed = now;
  state.pending.reset();
  restart_window(state.use);
}

/// Whether the pending victim is gone, or takes too long.
void watch_pending(const NodeSnapshot& node, EvictionState& state) {
  if (!state.pending) return;
  const auto* pod = node.pod(state.pending->uid);
  if (!pod || pod->cgroup == kNoCgroup) return gone(state, node.at);
  if (node.at - state.pending->at < state.pending->patience) return;
  spent_on(*state.pending, state, node.at);
  skip_pod(state, std::string(state.pending->uid), node.at + kNotAgain);
}

void forget(EvictionState& state, MonoTime now) {
  std::erase_if(state.skipped_pods, [&](const auto& one) { return one.until <= now; });
  std::erase_if(state.recent_evictions, [&](const auto& one) { return now - one.at >= kRemembered; });
  refill(state, now);
}

/// Why no trigger is evaluated at all: eviction is switched off …
const char* why_off(const NodeSlo& slo) {
  if (!slo.threshold.enable) return "resourceUsedThresholdWithBE is not enabled";
  if (slo.evenkeel.hands_off) return "handsOff is set: nothing is changed on this node";
  return nullptr;
}
/// … or what it would rest on is not known.
const char* what_is_unknown(const NodeSnapshot& node) {
  if (!node.pods_known) return "the pods are not known";
  if (node.pods_stale) return "the list of pods is too old to decide on";
  return nullptr;
}

bool is_on(const EvictionTrigger& trigger, const NodeSlo& slo) {
  return slo.evenkeel.feature_gates[static_cast<std::size_t>(trigger.gate)] &&
         !trigger.missing(slo.threshold);
}

bool asks_for_cpu(const NodeSlo& slo) {
  const auto& gates = slo.evenkeel.feature_gates;
  return gates[static_cast<std::size_t>(FeatureGate::be_cpu_evict)] ||
         gates[static_cast<std::size_t>(FeatureGate::cpu_evict)];
}

/// Evaluates every trigger, and remembers for each that it has begun until it needs no more evictions.
void judge(const EvictionInput& input, const NodeSlo& slo, EvictionState& state) {
  const auto triggers = eviction_triggers();
  for (std::size_t i = 0; i < triggers.size(); ++i) {
    const EvictionTrigger& trigger = *triggers[i];
    const auto bit = static_cast<std::uint16_t>(1U << i);
    EvictionVerdict& verdict = state.verdicts[i];
    EvictionNeed need;
    if (is_on(trigger, slo)) need = trigger.need(input, (state.draining & bit) != 0);
    const bool needed = need.is == EvictionNeed::Is::yes;
    verdict = {needed, need.why, because(needed ? "" : "no pod must be evicted")};
    if (need.is == EvictionNeed::Is::unknown) continue;
    state.draining = static_cast<std::uint16_t>(needed ? state.draining | bit : state.draining & ~bit);
  }
}

/// What the next eviction has to wait for; absent: nothing.
std::optional<Reason> wait_of(const EvictionTrigger& trigger, const EvictionState& state, MonoTime now) {
  if (state.pending)
    return because("waits for the pod whose eviction was requested {} ago to terminate",
                   now - state.pending->at);
  const auto since = trigger.cools_down_at_start && !state.freed ? state.began : state.freed;
  if (since && now - *since < trigger.cool_down)
    return because(state.freed ? "waits {} until the effect of the last eviction is measured"
                               : "waits {} after the start",
                   trigger.cool_down - (now - *since));
  if (state.tokens > 0) return std::nullopt;
  return because("waits {}: too many evictions in a short time", kTokenEvery - (now - state.refilled));
}

Eviction ask(const EvictionTrigger& trigger, const Pod& pod, const Reason& why, EvictionState& state,
             MonoTime now) {
  const auto& terms = pod.eviction;
  const Duration patience = terms.grace.value_or(kDefaultGrace) + kAfterGrace;
  state.pending = Asked{pod.uid, terms.owner_uid, terms.gang.name, now, trigger.name, patience};
  return {pod.namespace_, pod.name, pod.uid, trigger.name, why, trigger.gate};
}

}  // namespace

void skip_pod(EvictionState& state, const std::string& uid, MonoTime until) {
  if (state.pending && state.pending->uid == uid) state.pending.reset();
  for (auto& one : state.skipped_pods)
    if (one.uid == uid) return static_cast<void>(one.until = until);
  state.skipped_pods.push_back({uid, until});
}

void ended(EvictionState& state, const std::string& uid, MonoTime now) {
  if (!state.pending || state.pending->uid != uid) return;
  gone(state, now);
  skip_pod(state, uid, now + kNotAgain);
}

std::optional<Eviction> decide_eviction(const NodeSnapshot& node, const NodeSlo& slo, EvictionState& state) {
  if (!state.began) state.began = node.at;
  forget(state, node.at);
  watch_pending(node, state);
  const char* off = why_off(slo);
  if (off != nullptr) state.draining = 0;  // switched on again, it begins at its thresholds
  if (const char* why = off != nullptr ? off : what_is_unknown(node)) {
    state.verdicts.fill({false, because(why), because("no pod is evicted")});
    return std::nullopt;
  }
  if (asks_for_cpu(slo)) observe(node, slo.threshold, state.use);
  const EvictionInput input{node, slo.threshold, state.use};
  judge(input, slo, state);
  const auto triggers = eviction_triggers();
  for (std::size_t i = 0; i < triggers.size(); ++i) {
    EvictionVerdict& verdict = state.verdicts[i];
    if (!verdict.needed) continue;
    if (const auto wait = wait_of(*triggers[i], state, node.at)) {
      verdict.outcome = *wait;
      continue;
    }
    const auto choice = choose_victim(*triggers[i], input, state);
    verdict.outcome = choice.victim ? because("the eviction of a pod is requested now") : choice.why_none;
    if (choice.victim) return ask(*triggers[i], *choice.victim->spec, verdict.why, state, node.at);
  }
  return std::nullopt;
}

}  // namespace evenkeel::eviction
