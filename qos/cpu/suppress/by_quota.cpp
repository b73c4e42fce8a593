#include <algorithm>

#include "qos/cpu/suppress/suppress.h"
#include "qos/decide/besteffort_quota.h"

namespace evenkeel::suppress {
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
