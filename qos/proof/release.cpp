// Best effort is released from the quota of cpuSuppressPolicy `auto` where services are shown to do without.
//
// That is safe because
// - it rests on this node's own services: the quota was withheld while best effort used it up, in at least
//   kTrialsPerRun trials, and services then waited at most kSuffersAtMost times as long, as far as is known;
// - best effort keeps the weight that the kubelet gave it, the least there is, and the brake acts as ever;
// - the first tick in which services are in trouble brings the quota back, for ten minutes or, if that was
//   soon after it had gone, for twice as long as the last time; so do objectives, which say themselves how
//   much best effort may have;
// - trials go on, with the quota in a single span: if it begins to help, that is found as for any lever. Then
//   it stays, for a lever that helps never makes "no difference" again.
#include <algorithm>
#include <utility>
#include <variant>

#include "qos/proof/proof.h"

namespace evenkeel::proof {
namespace {

/// What counts as good in the scoreboard too, compared with a service that has no batch work beside it.
constexpr double kSuffersAtMost = 1.25;

bool shows_no_need(const Evidence& one) {
  const auto effect = one.effect();
  return one.verdict == Verdict::no_difference && effect && effect->low * kSuffersAtMost >= 1;
}

/// What services report counts as soon as there is any.
bool is_shown(const ProofState& state) {
  const Evidence& reported = state.reported[kBesteffortQuota];
  return shows_no_need(state.evidence[kBesteffortQuota]) && (reported.trials == 0 || shows_no_need(reported));
}

}  // namespace

bool may_be_released(const NodeSlo& slo, const decide::ServiceObjectives& objectives) {
  return slo.evenkeel.proof.withdraw && slo.threshold.cpu_suppress_policy == SuppressPolicy::automatic &&
         !objectives.in_force;
}

bool quota_binds(const NodeSnapshot& node, const decide::Intents& intents) {
  constexpr Percent kUsedUp{90};
  const CgroupSample* directory = node.cgroup(node.besteffort);
  if (directory == nullptr || !directory->cpu_use || !directory->applied.cpu_limit) return true;
  const auto intent = std::ranges::find_if(intents.all(), [&](const decide::Intent& one) {
    return one.target == directory->id && one.knob == Knob::cpu_quota &&
           decide::policy_name(one.by) == levers()[kBesteffortQuota].policy;
  });
  if (intent == intents.all().end() || intent->hold) return true;
  const auto* quota = std::get_if<std::int64_t>(&intent->value);
  if (quota == nullptr) return true;
  const MilliCpu allowed = cpu_of(QuotaTime(*quota), directory->applied.cpu_limit->period);
  return *directory->cpu_use >= percent_of(allowed, kUsedUp);
}

void update_release(MonoTime now, bool possible, std::string_view trouble, ProofState& state) {
  Release& release = state.release;
  const bool needed = !possible || !trouble.empty() || !is_shown(state);
  if (needed && release.in_force) {
    const bool soon = now - release.changed_at < release.stays;
    release.stays = soon ? std::min(2 * release.stays, Release::kLongestStay) : Release::kShortestStay;
  }
  // After a start what is usual is not known yet.
  if (needed || !release.needed_until) release.needed_until = now + release.stays;
  const bool in_force = now >= *release.needed_until;
  release.changed = std::exchange(release.in_force, in_force) != in_force;
  if (release.changed) release.changed_at = now;
  // A trial that trouble meets is cut short in the next tick, and counts.
  if (!in_force && trouble.empty() && state.trial && state.trial->given) state.trial.reset();
}

bool is_released(std::size_t lever, const ProofState& state) {
  return state.release.in_force && lever == kBesteffortQuota;
}

}  // namespace evenkeel::proof
