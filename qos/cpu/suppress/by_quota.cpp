#include <algorithm>

#include "qos/cpu/suppress/suppress.h"

namespace evenkeel::suppress {
namespace {

using std::chrono::microseconds;

constexpr QuotaTime kKernelMinimum{1000};  // kernel/sched/core.c: min_cfs_quota_period, 1 ms
constexpr MilliCpu kLeast{20};             // Koordinator's 2000 µs per 100 ms

QuotaTime least_quota(Duration period) { return std::max(quota_for(kLeast, period), kKernelMinimum); }

SuppressPace pace_of(const NodeSnapshot& node, const NodeSlo& slo, const SuppressTarget& target,
                     Duration period) {
  return {.capacity = target.capacity,
          .minimum = cpu_of(least_quota(period), period),
          .recovery = slo.evenkeel.suppress_recovery,
          .dwell = slo.evenkeel.suppress_dwell,
          .elapsed = node.since_previous};
}

bool descends(const NodeSnapshot& node, const CgroupSample& sample, CgroupIndex ancestor) {
  CgroupIndex index = sample.parent;
  while (index != kNoCgroup && index != ancestor) index = node.cgroup(index)->parent;
  return index == ancestor;
}

/// `quota` per `period`, spread over another period, not rounded up.
QuotaTime per(Duration other, QuotaTime quota, Duration period) {
  return QuotaTime(scaled(quota.count(), other.count(), period.count()));
}

// On v1 the kernel refuses a directory less than any of its children has, so a batch pod with its own limit
// would make the cut fail. Children with more than the directory are narrowed along, and get back exactly
// what they had, never more. On v2 the tighter ancestor simply wins.
void narrow_child(const CgroupSample& child, MonoTime now, const CpuLimit& parent, CpuSuppressState& state,
                  decide::Intents& out) {
  const auto& limit = child.applied.cpu_limit;
  const auto known = state.narrowed.find(child.id);
  // This round's word of somebody else, or what the kernel holds is what we asked for.
  const bool ours = known != state.narrowed.end() && limit && known->second.period == limit->period &&
                    (known->second.seen == now || known->second.asked == limit->quota);
  if (!limit || (!limit->quota && !ours)) return;
  const QuotaTime original = ours ? known->second.original : *limit->quota;
  const QuotaTime share = std::max(per(limit->period, *parent.quota, parent.period), kKernelMinimum);
  if (original <= share) return;
  const bool again = ours && known->second.seen == now;
  const QuotaTime asked = again ? std::min(share, known->second.asked) : share;
  state.narrowed.insert_or_assign(child.id, CpuSuppressState::Narrowed{original, asked, limit->period, now});
  out.want(child.id, Knob::cpu_quota, share.count(),
           because("no more than the {} per {} of its parent, which cgroup v1 would refuse", *parent.quota,
                   parent.period));
}

void narrow_children(const NodeSnapshot& node, const CpuLimit& parent, CpuSuppressState& state,
                     decide::Intents& out) {
  // Who was not narrowed in the last round has his own value back, or is gone.
  if (state.narrowing != node.at)
    std::erase_if(state.narrowed, [&](const auto& entry) { return entry.second.seen != state.narrowing; });
  state.narrowing = node.at;
  for (const CgroupSample& sample : node.cgroups)
    if (descends(node, sample, node.besteffort)) narrow_child(sample, node.at, parent, state, out);
}

}  // namespace

void limit_besteffort(const NodeSnapshot& node, const CpuLimit& limit, const Reason& why,
                      CpuSuppressState& state, decide::Intents& out) {
  out.want(node.cgroup(node.besteffort)->id, Knob::cpu_quota, limit.quota->count(), why);
  if (!node.v2_cpu) narrow_children(node, limit, state, out);
}

void hold_besteffort_limit(const NodeSnapshot& node, const CpuSuppressState& state, const Reason& why,
                           decide::Intents& out) {
  out.hold(node.cgroup(node.besteffort)->id, Knob::cpu_quota, why);
  for (const auto& [child, original] : state.narrowed) out.hold(child, Knob::cpu_quota, why);
}

void suppress_by_quota(const NodeSnapshot& node, const NodeSlo& slo, CpuSuppressState& state,
                       decide::Intents& out) {
  const CgroupSample& dir = *node.cgroup(node.besteffort);
  Reason unknown = because("held: the BestEffort directory's quota cannot be read");
  const auto target = suppress_target(node, slo.threshold, unknown);
  const auto& limit = dir.applied.cpu_limit;
  if (!target || !limit || limit->period <= Duration::zero()) {
    hold_besteffort_limit(node, state, unknown, out);
    return;
  }
  const SuppressPace pace = pace_of(node, slo, *target, limit->period);
  std::optional<MilliCpu> current;
  if (limit->quota) current = cpu_of(*limit->quota, limit->period);
  const SuppressStep step = next_allowance(state, node.at, target->target, current, pace);
  const bool keep = step.move == SuppressMove::keep;
  const QuotaTime quota =
      keep ? *limit->quota : std::max(quota_for(step.allowance, limit->period), least_quota(limit->period));
  limit_besteffort(node, {quota, limit->period}, suppress_reason(step, *target), state, out);
}

}  // namespace evenkeel::suppress
