#include "qos/cpu/suppress/suppress.h"

#include <algorithm>

#include "qos/decide/policy.h"

namespace evenkeel::suppress {

namespace {

bool enabled(const NodeSlo& slo) { return slo.threshold.enable; }

void decide(const NodeSnapshot& node, const NodeSlo& slo, CpuSuppressState& state,
            CpuSuppressPolicy::Facts facts, decide::Intents& out) {
  SuppressActuator actuator = suppress_actuator(node, slo);
  if (actuator == SuppressActuator::quota && facts.read<decide::HarmfulLevers>().besteffort_quota)
    actuator = SuppressActuator::cpuset;
  if (actuator == SuppressActuator::weight) {
    state = {};
    return;
  }
  auto& narrowed = facts.amend<decide::NarrowedChildren>();
  const bool by_quota = actuator == SuppressActuator::quota;
  if (shares_allowance(node)) return suppress_shared(node, slo, by_quota, state, narrowed, out);
  state.shares.clear();
  state.shared.reset();
  if (node.besteffort == kNoCgroup) return;
  if (by_quota)
    suppress_by_quota(node, slo, state, narrowed, out);
  else
    suppress_by_cpuset(node, slo, state, out);
}

}  // namespace

SuppressActuator suppress_actuator(const NodeSnapshot& node, const NodeSlo& slo) {
  switch (slo.threshold.cpu_suppress_policy) {
    case SuppressPolicy::cpuset:
      return SuppressActuator::cpuset;
    case SuppressPolicy::cfs_quota:
      return decide::quota_is_harmless(node, slo) ? SuppressActuator::quota : SuppressActuator::cpuset;
    case SuppressPolicy::automatic:
      break;
  }
  return node.scheduler.fair == FairScheduler::eevdf ? SuppressActuator::weight : SuppressActuator::quota;
}

Reason suppress_reason(const SuppressStep& step, const SuppressTarget& target) {
  const auto say = [&](const char* sentence) {
    return because(sentence, step.allowance, target.allowed, target.capacity, target.services, target.system,
                   target.target);
  };
  switch (step.move) {
    case SuppressMove::cut:
    case SuppressMove::raise:
      return say("best effort may use {}: {} of {} are the threshold, services use {}, the system {}");
    case SuppressMove::raise_part:
      return say(
          "best effort may use {} for now, growing by a tenth of the node per second: {} of {} are the "
          "threshold, "
          "services use {}, the system {}, which leaves {}");
    case SuppressMove::to_minimum:
      return say(
          "best effort is held at its minimum, {}: {} of {} are the threshold, services use {}, the system "
          "{}, "
          "which leaves {}");
    case SuppressMove::keep:
      break;
  }
  return say(
      "best effort keeps {}: {} of {} are the threshold, services use {}, the system {}, which leaves {}, "
      "too "
      "little a difference or too short a time for a change");
}

constinit const CpuSuppressPolicy cpu_suppress_policy{
    {"cpu-suppress", "best effort gets the CPU that services leave below the threshold", enabled}, decide};

namespace {

using std::chrono::microseconds;

QuotaTime least_quota(Duration period) {
  return std::max(quota_for(decide::kMinBesteffortCpu, period), kMinQuota);
}

SuppressPace pace_of(const NodeSnapshot& node, const NodeSlo& slo, const SuppressTarget& target,
                     Duration period) {
  return {.capacity = target.capacity,
          .minimum = cpu_of(least_quota(period), period),
          .recovery = slo.evenkeel.suppress_recovery,
          .dwell = slo.evenkeel.suppress_dwell,
          .elapsed = node.since_previous};
}

}  // namespace

void suppress_by_quota(const NodeSnapshot& node, const NodeSlo& slo, CpuSuppressState& state,
                       decide::NarrowedChildren& narrowed, decide::Intents& out) {
  const CgroupSample& dir = *node.cgroup(node.besteffort);
  Reason unknown = because("held: the BestEffort directory's quota cannot be read");
  const auto target = suppress_target(node, slo.threshold, unknown);
  const auto& limit = dir.applied.cpu_limit;
  if (!target || !limit || limit->period <= Duration::zero()) {
    decide::hold_besteffort_limit(node, narrowed, unknown, out);
    return;
  }
  const SuppressPace pace = pace_of(node, slo, *target, limit->period);
  std::optional<MilliCpu> current;
  if (limit->quota) current = cpu_of(*limit->quota, limit->period);
  const SuppressStep step = next_allowance(state.damping, node.at, target->target, current, pace);
  const bool keep = step.move == SuppressMove::keep;
  const QuotaTime quota =
      keep ? *limit->quota : std::max(quota_for(step.allowance, limit->period), least_quota(limit->period));
  decide::limit_besteffort(node, {quota, limit->period}, suppress_reason(step, *target), narrowed, out);
}

}  // namespace evenkeel::suppress
