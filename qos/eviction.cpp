#include "qos/eviction.h"

#include <algorithm>
#include <array>

#include "qos/memory_evict.h"

namespace evenkeel {
namespace {

constexpr std::array<const EvictionTrigger*, 1> kTriggers = {&be_memory_evict_trigger};

// The kubelet kills after the pod's grace (30 s unless the pod says otherwise) and removes the cgroup some
// seconds later. Whoever is still there after this has a longer grace or a kubelet in trouble.
constexpr Duration kPatience = std::chrono::seconds(60);
// The time for which the reference remembers a pod that it has evicted.
constexpr Duration kNotAgain = std::chrono::minutes(2);

const PodSample* find(const NodeSnapshot& node, const std::string& uid) {
  const auto found =
      std::ranges::find_if(node.pods, [&](const PodSample& pod) { return pod.spec->uid == uid; });
  return found == node.pods.end() ? nullptr : &*found;
}

/// Whether a victim that was asked to go still holds what it has.
bool waits_for_pending(const NodeSnapshot& node, EvictionState& state) {
  if (!state.pending) return false;
  const auto* pod = find(node, state.pending->uid);
  if (pod && pod->cgroup != kNoCgroup) {
    if (node.at - state.pending->at < kPatience) return true;
    pass_over(state, state.pending->uid, node.at + kNotAgain);
    return false;
  }
  state.freed = node.at;
  state.pending.reset();
  return false;
}

bool is_passed_over(const EvictionState& state, const std::string& uid) {
  return std::ranges::any_of(state.passed_over, [&](const auto& one) { return one.uid == uid; });
}

/// Asks the trigger, and remembers that it has begun until it needs nobody any more.
std::optional<Reason> need_of(std::size_t index, const NodeSnapshot& node, const NodeSlo& slo,
                              EvictionState& state) {
  const EvictionTrigger& trigger = *kTriggers[index];
  const auto bit = static_cast<std::uint8_t>(1U << index);
  std::optional<Reason> why;
  if (slo.evenkeel.feature_gates[static_cast<std::size_t>(trigger.gate)])
    why = trigger.need(node, slo.threshold, (state.draining & bit) != 0);
  state.draining = static_cast<std::uint8_t>(why ? state.draining | bit : state.draining & ~bit);
  return why;
}

/// Whom no trigger may choose: those that the API cannot take away, those that are on their way, and those
/// whose owner said hands off.
bool can_go(const EvictionTrigger& trigger, const Pod& pod) {
  const bool allowed = (pod.evictable_by >> static_cast<unsigned>(trigger.gate) & 1U) != 0;
  return allowed && is_active(pod) && !pod.terminating && !pod.hands_off && !pod.is_static &&
         !pod.from_cgroup_only && !pod.name.empty();
}

const PodSample* choose(const EvictionTrigger& trigger, const NodeSnapshot& node,
                        const EvictionState& state) {
  const PodSample* first = nullptr;
  for (const PodSample& pod : node.pods) {
    if (pod.cgroup == kNoCgroup || !can_go(trigger, *pod.spec) || is_passed_over(state, pod.spec->uid))
      continue;
    if (!trigger.may_choose(node, pod)) continue;
    if (!first || trigger.before(node, pod, *first)) first = &pod;
  }
  return first;
}

}  // namespace

std::span<const EvictionTrigger* const> eviction_triggers() { return kTriggers; }

void pass_over(EvictionState& state, const std::string& uid, MonoTime until) {
  if (state.pending && state.pending->uid == uid) state.pending.reset();
  for (auto& one : state.passed_over)
    if (one.uid == uid) return static_cast<void>(one.until = until);
  state.passed_over.push_back({uid, until});
}

std::optional<Eviction> decide_eviction(const NodeSnapshot& node, const NodeSlo& slo, EvictionState& state) {
  std::erase_if(state.passed_over, [&](const auto& one) { return one.until <= node.at; });
  if (waits_for_pending(node, state)) return std::nullopt;
  if (!slo.threshold.enable || slo.evenkeel.hands_off) return std::nullopt;
  if (!node.pods_known || node.pods_stale) return std::nullopt;
  for (std::size_t i = 0; i < kTriggers.size(); ++i) {
    const EvictionTrigger& trigger = *kTriggers[i];
    const auto why = need_of(i, node, slo, state);
    if (!why || (state.freed && node.at - *state.freed < trigger.cool_down)) continue;
    const PodSample* victim = choose(trigger, node, state);
    if (!victim) continue;
    const Pod& pod = *victim->spec;
    state.pending = {pod.uid, node.at, trigger.name};
    return Eviction{pod.namespace_, pod.name, pod.uid, trigger.name, *why};
  }
  return std::nullopt;
}

}  // namespace evenkeel
