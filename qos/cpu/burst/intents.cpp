#include <algorithm>
#include <span>
#include <utility>

#include "qos/cpu/burst/burst.h"
#include "qos/cpu/burst/parts.h"
#include "qos/model/pod_resources.h"

namespace evenkeel::burst {
namespace {

using Candidate = CpuBurstState::Candidate;
using Group = std::span<const Candidate>;

Reason why_quota(const NodeSnapshot& node, const SharePool& pool, const Candidate& candidate) {
  const auto& throttling = node.cgroup(candidate.cgroup)->throttling;
  const std::int64_t throttled = throttling ? throttling->throttled_periods : 0;
  const auto say = [&](const char* sentence) {
    return because(sentence, candidate.target, candidate.base, candidate.ceiling, pool.use, pool.total,
                   throttled);
  };
  switch (candidate.cause) {
    case BurstCause::throttled:
      return say(
          "{} per period, its limit being {} and the most {}: {} of the shared {} are in use, and it was "
          "throttled in {} periods");
    case BurstCause::not_idle:
      return say(
          "kept at {} per period, its limit being {} and the most {}: {} of the shared {} are in use, too "
          "much for growth, though it was throttled in {} periods");
    case BurstCause::full:
      return say(
          "{} per period, down to its limit's {} (the most would be {}): {} of the shared {} are in use");
    case BurstCause::tokens_spent:
      return say(
          "{} per period, down to its limit's {} (the most would be {}): its saved CPU time is used up");
    case BurstCause::unused:
      return say(
          "{} per period, down to its limit's {} (the most would be {}): it has used less than half of its "
          "limit for a minute");
    case BurstCause::nothing:
      break;
  }
  return say("kept at {} per period, its limit being {} and the most {}: it is not throttled");
}

/// The same share of another period, rounded up: a pod must never have less than its containers together.
QuotaTime per(Duration other, QuotaTime quota, Duration period) {
  if (other == period) return quota;
  const QuotaTime down(scaled(quota.count(), other.count(), period.count()));
  return down + QuotaTime(1);
}

bool is_limit(std::optional<MilliCpu> cpu) { return cpu.value_or(MilliCpu{}) > MilliCpu{}; }

/// What the containers may use above their own limits. A pod with a limit of its own, which several
/// containers may share, grows by no larger factor than they do.
QuotaTime granted(const Pod& pod, Group group, Duration period, QuotaTime original) {
  QuotaTime sum, most;
  for (const Candidate& candidate : group) {
    if (candidate.target <= candidate.base || candidate.owner_is_ahead) continue;
    sum += per(period, candidate.target - candidate.base, candidate.period);
    most = std::max(most, QuotaTime(scaled(original.count(), (candidate.ceiling - candidate.base).count(),
                                           candidate.base.count())));
  }
  return is_limit(pod.pod_level_limits.cpu) ? std::min(sum, most) : sum;
}

constexpr QuotaTime kNotKnown{INT64_MAX};

/// The pod's quota by its limits; absent: it has none, or they are not known.
std::optional<QuotaTime> pod_quota_due(const Pod& pod, std::optional<MilliCpu> level, Duration period,
                                       std::optional<double> divisor) {
  if (divisor) return normalized_pod_quota(pod, level, period, *divisor);
  const auto owners = owners_pod_quota(pod, level, period);
  return owners ? std::optional(QuotaTime(*owners)) : std::nullopt;
}

/// The pod's quota without burst: its quota while burst does not raise it, or that of its divided limits.
CpuBurstState::PodQuota& remembered(const Pod& pod, const CgroupSample& cgroup, MonoTime now,
                                    const Candidate& any, CpuBurstState& state) {
  const auto [entry, is_new] = state.pods.try_emplace(cgroup.id);
  auto& memory = entry->second;
  if (is_new) memory.since = now;
  const auto& limit = *cgroup.applied.cpu_limit;
  const auto divisor = any.divisor;
  const bool changed = memory.divisor != divisor;
  memory.level = any.pod_level;
  memory.divisor = divisor;
  memory.seen = now;
  memory.raised = memory.raised && limit.quota && !changed;
  const QuotaTime limits = quota_of_limits(pod, memory.level, divisor, limit.period);
  memory.resized = std::exchange(memory.limits, limits) != limits;
  const auto due =
      memory.resized || divisor ? pod_quota_due(pod, memory.level, limit.period, divisor) : std::nullopt;
  // After a resize in place, of a container or of the pod, the quota is that of the new limits, whether or
  // not the kubelet had written it before the list told.
  if (memory.raised) {
    if (memory.resized && due) memory.original = *due;
    if (pod.from_cgroup_only && is_owners(limit.quota, memory.original, memory.most_of_ours))
      memory.original = *limit.quota;
    return memory;
  }
  // A tick after a change the file still holds the quota of the old divisor: nothing is raised above that.
  memory.original = changed && memory.original > QuotaTime{} ? kNotKnown : limit.quota.value_or(QuotaTime{});
  if (divisor && due) memory.original = *due;
  return memory;
}

/// Absolute, from the quota without burst and the containers' targets of this tick: what was written before
/// does not count, else every failed write and every restarted container would leave a drift.
void add_pod_quota(const Pod& pod, const CgroupSample& cgroup, Group group, CpuBurstState::PodQuota& memory,
                   decide::Intents& out) {
  const bool any = std::any_of(group.begin(), group.end(), [](const Candidate& c) { return c.quota_burst; });
  const bool may_raise = any && manages_pod_quota(pod) && memory.original != kNotKnown;
  const QuotaTime more =
      may_raise ? granted(pod, group, cgroup.applied.cpu_limit->period, memory.original) : QuotaTime{};
  // Once more after a resize, so that the new quota is the one that is restored.
  memory.raised = more > QuotaTime{} || (may_raise && memory.raised && memory.resized);
  if (!memory.raised) return;
  memory.most_of_ours = std::max(memory.original + more, *cgroup.applied.cpu_limit->quota);
  out.want(cgroup.id, Knob::cpu_quota, (memory.original + more).count(),
           because("{} per period, {} without burst: its containers may use {} more", memory.original + more,
                   memory.original, more),
           owners_pod_quota(pod, memory.level, cgroup.applied.cpu_limit->period));
}

void add_pod_burst(const CgroupSample& cgroup, Group group, std::optional<QuotaTime> quota,
                   decide::Intents& out) {
  QuotaTime sum;
  for (const Candidate& candidate : group) {
    if (candidate.burst <= QuotaTime{}) continue;
    const Duration period = cgroup.applied.cpu_limit->period;
    sum += QuotaTime(scaled(candidate.burst.count(), period.count(), candidate.period.count()));
  }
  if (quota) sum = std::min(sum, *quota);
  if (sum <= QuotaTime{} || !cgroup.applied.cpu_burst) return;
  out.want(cgroup.id, Knob::cpu_burst, sum.count(),
           because("{} is the sum of what its containers may save", sum));
}

void hold_pod(const CgroupSample& cgroup, CpuBurstState& state, MonoTime now, decide::Intents& out) {
  const auto memory = state.pods.find(cgroup.id);
  if (memory == state.pods.end()) return;
  memory->second.seen = now;
  out.hold(cgroup.id, Knob::cpu_quota, because("held: a quota of the pod cannot be read"));
  out.hold(cgroup.id, Knob::cpu_burst, because("held: a quota of the pod cannot be read"));
}

void add_pod(const NodeSnapshot& node, Group group, CpuBurstState& state, decide::Intents& out) {
  const PodSample& pod = node.pods[static_cast<std::size_t>(group.front().pod)];
  const CgroupSample* cgroup = node.cgroup(pod.cgroup);
  if (!cgroup) return;
  const bool blind = std::any_of(group.begin(), group.end(), [](const Candidate& c) { return c.unreadable; });
  const auto& limit = cgroup->applied.cpu_limit;
  if (blind || !limit || limit->period <= Duration::zero()) return hold_pod(*cgroup, state, node.at, out);
  auto& memory = remembered(*pod.spec, *cgroup, node.at, group.front(), state);
  std::optional<QuotaTime> quota;
  if (limit->quota) quota = memory.original;
  if (quota) add_pod_quota(*pod.spec, *cgroup, group, memory, out);
  add_pod_burst(*cgroup, group, quota, out);
}

void add_container(const NodeSnapshot& node, const SharePool& pool, const Candidate& candidate,
                   decide::Intents& out) {
  const CgroupId id = node.cgroup(candidate.cgroup)->id;
  if (candidate.unreadable) {
    out.hold(id, Knob::cpu_quota, because("held: its quota cannot be read"));
    out.hold(id, Knob::cpu_burst, because("held: its quota cannot be read"));
    return;
  }
  if (candidate.quota_burst)
    out.want(id, Knob::cpu_quota, candidate.target.count(), why_quota(node, pool, candidate),
             candidate.listed ? std::optional(candidate.listed->count()) : std::nullopt);
  if (candidate.burst > QuotaTime{})
    out.want(id, Knob::cpu_burst, candidate.burst.count(),
             because("may save up to {} of the {} per period that its limit allows", candidate.burst,
                     candidate.base));
}

}  // namespace

bool manages_pod_quota(const Pod& pod) { return pod.from_cgroup_only || cpu_limit_of(pod); }

std::optional<std::int64_t> owners_pod_quota(const Pod& pod, std::optional<MilliCpu> level, Duration period) {
  if (pod.from_cgroup_only) return std::nullopt;
  const auto limit = is_limit(level) ? level : cpu_limit_of(pod);
  if (!limit) return std::nullopt;
  return base_quota(clamped_sum(*limit, pod.overhead.cpu.value_or(MilliCpu{})), period).count();
}

QuotaTime quota_of_limits(const Pod& pod, std::optional<MilliCpu> level, std::optional<double> divisor,
                          Duration period) {
  if (pod.from_cgroup_only) return {};
  if (is_limit(level)) return divided(base_quota(*level, period), divisor);
  QuotaTime sum;
  for (const Container& container : pod.containers)
    if (container.limits.cpu) sum += divided(base_quota(*container.limits.cpu, period), divisor);
  return sum;
}

void add_burst_intents(const NodeSnapshot& node, const SharePool& pool, CpuBurstState& state,
                       decide::Intents& out) {
  const std::span<const Candidate> all = state.candidates;
  for (std::size_t first = 0, last = 0; first < all.size(); first = last) {
    while (last < all.size() && all[last].pod == all[first].pod) ++last;
    const Group group = all.subspan(first, last - first);
    for (const Candidate& candidate : group) add_container(node, pool, candidate, out);
    add_pod(node, group, state, out);
  }
}

}  // namespace evenkeel::burst
