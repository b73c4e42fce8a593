#include "qos/cpu/suppress/suppress.h"

#include <algorithm>
#include <cstdlib>

#include "qos/decide/policy.h"

namespace evenkeel::suppress {

namespace {

bool enabled(const NodeSlo& slo) { return slo.threshold.enable; }

/// Services have so much to spare that best effort may have the whole node, whatever the threshold.
bool is_free(const decide::ServiceObjectives& objectives) {
  return objectives.in_force && !objectives.some_unknown && !objectives.besteffort_cpu;
}

/// Nothing limits best effort now.
void forget(CpuSuppressState& state) {
  const ForkStorm storm = state.storm;
  state = {};
  state.storm = storm;
}

void limit(const NodeSnapshot& node, const NodeSlo& slo, const SuppressGoal& goal, bool by_quota,
           CpuSuppressState& state, decide::NarrowedChildren& narrowed, decide::Intents& out) {
  // What the other lever wanted is not in force any more.
  if (by_quota)
    state.chosen.reset();
  else
    state.wanted.reset();
  const bool applications = limits_applications(node, goal.apps);
  if (applications && goal.apps == AppLever::quota)
    return suppress_shared(node, slo, goal, by_quota, state, narrowed, out);
  state.shares.clear();
  state.shared.reset();
  if (node.besteffort == kNoCgroup && !applications) return;
  if (by_quota)
    suppress_by_quota(node, slo, goal, state, narrowed, out);
  else
    suppress_by_cpuset(node, slo, goal, state, out);
}

void decide(const NodeSnapshot& node, const NodeSlo& slo, CpuSuppressState& state,
            CpuSuppressPolicy::Facts facts, decide::Intents& out) {
  const auto& objectives = facts.read<decide::ServiceObjectives>();
  const auto& harmful = facts.read<decide::HarmfulLevers>();
  watch_forks(node, state.storm);
  const SuppressActuator actuator = suppress_actuator(node, slo, harmful, need_limit(objectives));
  const bool storm = actuator == SuppressActuator::weight && state.storm.on;
  if ((actuator == SuppressActuator::weight && !storm) || is_free(objectives)) return forget(state);
  SuppressGoal goal;
  goal.braked = facts.read<decide::BrakeInForce>().cpu;
  const bool quotas = !storm && decide::quota_is_harmless(node, slo, harmful);
  goal.apps = quotas ? AppLever::quota : AppLever::cpuset;
  goal.target = suppress_target(node, slo.threshold, goal.apps, goal.unknown);
  if (goal.target && storm) {
    if (goal.target->services <= MilliCpu{}) return forget(state);
    leave_cpus_to_services(state.storm, slo.threshold, *goal.target);
  } else if (goal.target) {
    apply_objectives(objectives, slo.threshold, *goal.target);
  }
  limit(node, slo, goal, actuator == SuppressActuator::quota, state, facts.amend<decide::NarrowedChildren>(),
        out);
}

}  // namespace

SuppressActuator suppress_actuator(const NodeSnapshot& node, const NodeSlo& slo,
                                   const decide::HarmfulLevers& harmful, bool must_limit) {
  const SuppressPolicy policy = slo.threshold.cpu_suppress_policy;
  if (policy == SuppressPolicy::automatic && !must_limit) return SuppressActuator::weight;
  const bool quota = policy != SuppressPolicy::cpuset && decide::quota_is_harmless(node, slo, harmful);
  return quota ? SuppressActuator::quota : SuppressActuator::cpuset;
}

namespace {

const char* objective_sentence(const decide::ServiceObjectives& objectives) {
  switch (objectives.move) {
    case decide::ServiceObjectives::Move::grow:
      return "best effort may use {}, of {} that services' objectives allow now and that grow: the tightest "
             "service has {} of its target to spare";
    case decide::ServiceObjectives::Move::hold:
      return "best effort may use {}, of {} that services' objectives allow and that do not grow: the "
             "tightest service has only {} of its target to spare";
    case decide::ServiceObjectives::Move::shrink:
      break;
    case decide::ServiceObjectives::Move::pause:
      return "best effort pauses at {}, for services' objectives allow {}: a service is beyond its target by "
             "{} of it";
  }
  switch (objectives.stall) {
    case Stall::cpu:
      return "best effort is cut to {}, for services' objectives allow {}: a service misses its target by {} "
             "of it and waits for CPUs";
    case Stall::memory:
      return "best effort is cut to {}, for services' objectives allow {}: a service misses its target by {} "
             "of it and waits for memory";
    case Stall::io:
      return "best effort is cut to {}, for services' objectives allow {}: a service misses its target by {} "
             "of it and waits for disks";
    case Stall::none:
      break;
  }
  return "best effort is cut to {}, for services' objectives allow {}: a service misses its target by {} of "
         "it, and no stall says why";
}

Reason objective_reason(MilliCpu allowance, MilliCpu target, const decide::ServiceObjectives& objectives) {
  const Percent size(std::abs(objectives.slack.count()));
  return because(objective_sentence(objectives), allowance, target, size);
}

}  // namespace

Reason suppress_reason(const SuppressStep& step, const SuppressTarget& target) {
  if (target.objectives) return objective_reason(step.allowance, target.target, *target.objectives);
  if (target.storm)
    return because(
        "best effort keeps to {}: {} of its CPU time is in the kernel, where services have to wait for it, "
        "and the node starts {} processes in each second of that time; services use {}, the system {}, and "
        "have a quarter more, at least a CPU",
        step.allowance, target.storm->in_kernel, target.storm->tasks_per_cpu_second, target.services,
        target.system);
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

QuotaTime least_quota(Duration period) {
  return std::max(quota_for(decide::kMinBesteffortCpu, period), kMinQuota);
}

SuppressPace pace_of(const NodeSnapshot& node, const NodeSlo& slo, const SuppressTarget& target,
                     Duration period) {
  return {.capacity = target.capacity,
          .minimum = cpu_of(least_quota(period), period),
          .recovery = slo.evenkeel.suppress_recovery,
          .dwell = slo.evenkeel.suppress_dwell,
          .elapsed = growth_time(node)};
}

}  // namespace

// The brake's smaller limit is no step on the way: when it ends, the allowance before it is due. Nor is a
// tick without any or with the owner's larger one, after a reset by systemd or in a trial of proof.
std::optional<QuotaTime> quota_before(const CpuSuppressState& state, bool braked,
                                      std::optional<QuotaTime> in_force) {
  if (!state.wanted) return in_force;
  const bool passing = braked || !in_force || *in_force > *state.wanted;
  return passing ? state.wanted : in_force;
}

void suppress_by_quota(const NodeSnapshot& node, const NodeSlo& slo, const SuppressGoal& goal,
                       CpuSuppressState& state, decide::NarrowedChildren& narrowed, decide::Intents& out) {
  const CgroupSample& dir = *node.cgroup(node.besteffort);
  const auto& target = goal.target;
  const auto& limit = dir.applied.cpu_limit;
  if (!target || !limit || limit->period <= Duration::zero()) {
    const Reason unread = because("held: the BestEffort directory's quota cannot be read");
    decide::hold_besteffort_limit(node, narrowed, target ? unread : goal.unknown, out);
    return;
  }
  const SuppressPace pace = pace_of(node, slo, *target, limit->period);
  const std::optional<QuotaTime> before = quota_before(state, goal.braked, limit->quota);
  std::optional<MilliCpu> current;
  if (before) current = cpu_of(*before, limit->period);
  const SuppressStep step = next_allowance(state.damping, node.at, target->target, current, pace);
  const bool keep = step.move == SuppressMove::keep;
  const QuotaTime quota =
      keep ? *before : std::max(quota_for(step.allowance, limit->period), least_quota(limit->period));
  state.wanted = quota;
  decide::limit_besteffort(node, {quota, limit->period}, suppress_reason(step, *target), narrowed, out);
}

}  // namespace evenkeel::suppress
