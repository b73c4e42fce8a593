#include "qos/cpu/burst/burst.h"

#include <algorithm>

#include "qos/cpu/burst/parts.h"

namespace evenkeel::burst {
namespace {

using std::chrono::seconds;
using Candidate = CpuBurstState::Candidate;

// A raised quota that is no longer used is lowered again, a fifth per second, when the container has used
// less than half of its base for a minute without throttling. (Koordinator keeps it for ever on an idle
// node.)
constexpr Duration kQuiet = seconds(60);
constexpr Percent kQuietUse{50};

/// One tick, and what all containers have in common in it.
struct Tick {
  const NodeSnapshot& node;
  const NodeSlo& slo;
  CpuBurstState& state;
  SharePool pool{};
  Duration elapsed{};
};

/// One pod, and what all its containers have in common.
struct Owner {
  const Pod& pod;
  CpuBurstStrategy strategy{};
  std::optional<double> divisor{};  ///< of its quotas
  std::optional<MilliCpu> level{};  ///< limit of the pod as a whole
  bool quota_is_ours = false;
  Resize resize{};
};

/// Zero: unlimited, or the limit is not known.
MilliCpu limit_of(const Owner& owner, const Container* container) {
  if (!container) return {};
  const MilliCpu own = container->limits.cpu.value_or(MilliCpu{});
  return own > MilliCpu{} ? own : owner.level.value_or(MilliCpu{});
}

/// The limit in the pod list decides; without one the owner's last quota: the first
/// one seen, or a later one below the base or above all that burst has set.
std::optional<QuotaTime> base_of(const Owner& owner, const ContainerSample& container,
                                 const CgroupSample& cgroup, CpuBurstState::Container& memory) {
  const auto& limit = cgroup.applied.cpu_limit;
  if (!limit) return memory.base;
  if (!owner.pod.from_cgroup_only) {
    memory.base.reset();
    if (const MilliCpu listed = limit_of(owner, container.spec); listed > MilliCpu{})
      memory.base = divided(base_quota(listed, limit->period), owner.divisor);
  } else if (!memory.base || is_owners(limit->quota, *memory.base, memory.most_of_ours)) {
    memory.base = limit->quota;
  }
  return memory.base;
}

std::int64_t use_percent(const CgroupSample& cgroup, MilliCpu limit) {
  if (!cgroup.cpu_use || limit <= MilliCpu{}) return 100;
  return scaled(cgroup.cpu_use->count(), 100, limit.count());
}

bool quiet(const CgroupSample& cgroup, MilliCpu limit, MonoTime now, std::optional<MonoTime>& since) {
  const bool calm = cgroup.cpu_use && *cgroup.cpu_use < percent_of(limit, kQuietUse) && cgroup.throttling &&
                    cgroup.throttling->throttled_periods == 0;
  if (!calm) since.reset();
  if (calm && !since) since = now;
  return since && now - *since >= kQuiet;
}

/// The last reason that applies: the node's overrules the container's.
BurstCause cause_of(bool tokens_left, bool unused, BurstOperation wanted, ShareState node) {
  if (node == ShareState::overload) return BurstCause::full;
  if (unused) return BurstCause::unused;
  if (!tokens_left) return BurstCause::tokens_spent;
  if (wanted != BurstOperation::up) return BurstCause::nothing;
  return node == ShareState::idle ? BurstCause::throttled : BurstCause::not_idle;
}

void choose_operation(const Tick& tick, const CpuBurstStrategy& strategy, const CgroupSample& cgroup,
                      MilliCpu limit, CpuBurstState::Container& memory, Candidate& candidate) {
  const bool allowed =
      update_bucket(memory.bucket, strategy.cfs_quota_burst_period_seconds, strategy.cfs_quota_burst_percent,
                    use_percent(cgroup, limit), tick.node.at);
  std::optional<std::int64_t> throttled;
  if (cgroup.throttling) throttled = cgroup.throttling->throttled_periods;
  const bool unused = quiet(cgroup, limit, tick.node.at, memory.quiet_since);
  const BurstOperation wanted = unused ? BurstOperation::down : container_operation(allowed, throttled);
  candidate.operation = node_operation(wanted, tick.pool.state);
  candidate.cause = cause_of(allowed, unused, wanted, tick.pool.state);
}

/// On v1 a container cannot have more than its pod; if burst may not raise the pod's quota, that is the
/// ceiling.
QuotaTime ceiling_of(const Tick& tick, const CpuBurstStrategy& strategy, const CgroupSample& container,
                     Duration period, QuotaTime base, bool pod_is_ours) {
  const QuotaTime ceiling = burst_ceiling(base, strategy.cfs_quota_burst_percent);
  const CgroupSample* pod = tick.node.cgroup(container.parent);
  if (pod_is_ours || !pod || !pod->applied.cpu_limit || !pod->applied.cpu_limit->quota) return ceiling;
  const CpuLimit& limit = *pod->applied.cpu_limit;
  return std::clamp(QuotaTime(scaled(limit.quota->count(), period.count(), limit.period.count())), base,
                    ceiling);
}

bool static_wanted(BurstPolicy policy) {
  return policy == BurstPolicy::automatic || policy == BurstPolicy::cpu_burst_only;
}
bool quota_wanted(BurstPolicy policy) {
  return policy == BurstPolicy::automatic || policy == BurstPolicy::cfs_quota_burst_only;
}

/// The kernel accepts no more than the quota. The base is never more than the quota in force.
QuotaTime legal_burst(QuotaTime wanted, const Candidate& candidate) {
  if (candidate.pending) return std::min({wanted, candidate.base, *candidate.pending});
  if (candidate.quota_burst || (candidate.divisor && candidate.current))
    return std::min(wanted, candidate.base);
  return candidate.current ? std::min(wanted, *candidate.current) : wanted;
}

/// The quota from which the next step starts. Where the kernel has held the raised one and now holds the base
/// again, systemd has reset it or proof withholds it; it goes on from what was wanted. A raise that the
/// kernel has never carried out does not count, else the quota would drift away.
std::optional<QuotaTime> quota_before(const Candidate& candidate, CpuBurstState::Container& memory) {
  const bool raised = memory.wanted > candidate.base, at_base = candidate.current == candidate.base;
  if (!at_base || !raised) memory.was_in_force = raised && candidate.current == memory.wanted;
  return at_base && memory.was_in_force ? memory.wanted : candidate.current;
}

void fill(const Tick& tick, const Owner& owner, const CgroupSample& cgroup, MilliCpu limit,
          CpuBurstState::Container& memory, Candidate& candidate) {
  const CpuBurstStrategy& strategy = owner.strategy;
  const CgroupSample& limited = *tick.node.cgroup(candidate.cgroup);
  candidate.current = limited.applied.cpu_limit->quota;
  candidate.target = candidate.current.value_or(candidate.base);
  candidate.owner_is_ahead = owner_is_ahead(candidate, memory, tick.node.at);
  candidate.quota_burst = candidate.quota_burst && !candidate.owner_is_ahead;
  if (candidate.quota_burst) {
    candidate.current = quota_before(candidate, memory);
    const QuotaTime ceiling =
        ceiling_of(tick, strategy, cgroup, candidate.period, candidate.base, owner.quota_is_ours);
    const auto& whole = owner.pod.pending_pod_level_cpu;
    candidate.ceiling = ceiling_during_resize(
        owner.resize, tick.node.v2_cpu, candidate,
        whole ? std::optional(base_quota(*whole, candidate.period)) : std::nullopt, ceiling);
    choose_operation(tick, strategy, cgroup, limit, memory, candidate);
    // The quota before its limit was divided is not its base.
    const bool undivided = candidate.divisor && memory.divisor != candidate.divisor;
    candidate.target = quota_target(undivided ? std::nullopt : candidate.current, candidate.operation,
                                    tick.elapsed, candidate.base, candidate.ceiling);
  }
  if (static_wanted(strategy.policy) && limited.applied.cpu_burst && owner.resize != Resize::possible)
    candidate.burst =
        legal_burst(static_burst(limit, strategy.cpu_burst_percent, candidate.period), candidate);
}

/// A restarted container has a new id, which the kubelet's list names a second or two later. Its directory is
/// recognized by its quota: that of the limit of a container of the pod whose own directory is gone. Null:
/// none.
const Container* heir_of(const NodeSnapshot& node, const Owner& owner, const PodSample& pod,
                         const ContainerSample& unnamed) {
  const CgroupSample* cgroup = node.cgroup(unnamed.cgroup);
  if (!cgroup || !cgroup->applied.cpu_limit || owner.pod.from_cgroup_only) return nullptr;
  const CpuLimit& held = *cgroup->applied.cpu_limit;
  for (const ContainerSample& other : node.containers_of(pod)) {
    if (!other.spec || other.cgroup != kNoCgroup) continue;
    const MilliCpu limit = limit_of(owner, other.spec);
    if (limit > MilliCpu{} && held.quota == base_quota(limit, held.period)) return other.spec;
  }
  return nullptr;
}

/// What the owner asks for, and what it is about to get.
void set_what_the_list_says(const Owner& owner, const ContainerSample& container, Candidate& candidate) {
  const MilliCpu limit = limit_of(owner, container.spec);
  if (limit <= MilliCpu{}) return;
  candidate.listed = base_quota(limit, candidate.period);
  const MilliCpu pending = container.spec->pending_cpu_limit.value_or(MilliCpu{});
  if (pending > MilliCpu{}) candidate.pending = base_quota(pending, candidate.period);
}

void consider(const Tick& tick, const Owner& owner, const ContainerSample& container, bool is_heir) {
  const Pod& pod = owner.pod;
  const CgroupSample* cgroup = tick.node.cgroup(container.cgroup);
  if (!cgroup || (!container.spec && !pod.from_cgroup_only)) return;
  const CgroupIndex at = limited_cgroup(tick.node, container.cgroup);
  const CgroupSample& limited = *tick.node.cgroup(at);
  auto& memory = tick.state.containers[limited.id];
  memory.seen = tick.node.at;
  const auto base_before = memory.base;
  const auto base = base_of(owner, container, limited, memory);
  if (base != base_before) memory.wanted = {};  // after a resize the new limit counts
  if (!base) return;

  Candidate candidate{.cgroup = at, .pod = container.pod, .base = *base};
  candidate.pod_level = owner.level;
  candidate.divisor = owner.divisor;
  const auto& limit = limited.applied.cpu_limit;
  candidate.unreadable = !limit || limit->period <= Duration::zero();
  // The owner set no quota, or took it away: cpuCFSQuota is false, or the container has CPUs of its own.
  const bool unlimited = limit && !limit->quota;
  // The quota identifies the restarted container, so it is not raised yet.
  candidate.quota_burst = !unlimited && (pod.from_cgroup_only || (container.spec->running && !is_heir)) &&
                          quota_wanted(owner.strategy.policy);
  if (!candidate.unreadable) {
    candidate.period = limit->period;
    set_what_the_list_says(owner, container, candidate);
    const bool by_quota = pod.from_cgroup_only || owner.divisor;
    const MilliCpu allowed = by_quota ? cpu_of(*base, limit->period) : limit_of(owner, container.spec);
    fill(tick, owner, *cgroup, allowed, memory, candidate);
    memory.divisor = owner.divisor;
  }
  tick.state.candidates.push_back(candidate);
}

void consider_pod(const Tick& tick, const PodSample& pod) {
  if (skipped_by_burst(*pod.spec)) return;
  const CpuBurstStrategy strategy = burst_strategy(tick.slo.cpu_burst, pod.spec->cpu_burst);
  if (strategy.policy == BurstPolicy::none) return;
  const auto divisor = quota_divisor(tick.node, tick.slo, pod);
  const Owner owner{*pod.spec,
                    strategy,
                    divisor,
                    pod_level_limit(tick.node, pod, strategy.cfs_quota_burst_percent, divisor, tick.state),
                    manages_pod_quota(*pod.spec),
                    resize_of(tick.node, pod, tick.state)};
  for (ContainerSample container : tick.node.containers_of(pod)) {
    const Container* heir = container.spec ? nullptr : heir_of(tick.node, owner, pod, container);
    if (heir) container.spec = heir;
    consider(tick, owner, container, heir != nullptr);
  }
}

void remember(const Candidate& candidate, CpuBurstState::Container& memory) {
  if (candidate.unreadable) return;
  memory.wanted = candidate.quota_burst ? candidate.target : QuotaTime{};
  if (!candidate.owner_is_ahead)
    memory.most_of_ours = std::max(candidate.target, candidate.current.value_or(QuotaTime{}));
}

void forget_the_gone(CpuBurstState& state, MonoTime now) {
  std::erase_if(state.containers, [&](const auto& entry) { return entry.second.seen != now; });
  std::erase_if(state.pods, [&](const auto& entry) { return entry.second.seen != now; });
}

// Always on: a pod's annotation may enable burst where the node's strategy does not. Where neither does,
// there are no intents.
bool enabled(const NodeSlo& /*slo*/) { return true; }

/// Which quotas burst sets in this tick.
void publish(const NodeSnapshot& node, const CpuBurstState& state, decide::BurstQuotas& quotas) {
  quotas.containers.clear();
  quotas.raised_pods.clear();
  for (const Candidate& one : state.candidates)
    if (one.quota_burst || one.unreadable) quotas.containers.push_back(node.cgroup(one.cgroup)->id);
  for (const auto& [pod, memory] : state.pods)
    if (memory.raised) quotas.raised_pods.push_back(pod);
  std::ranges::sort(quotas.containers);
  std::ranges::sort(quotas.raised_pods);
}

void decide(const NodeSnapshot& node, const NodeSlo& slo, CpuBurstState& state, CpuBurstPolicy::Facts facts,
            decide::Intents& out) {
  const Duration elapsed = growth_time(node);
  Tick tick{node, slo, state, share_pool(node, slo.cpu_burst.share_pool_threshold_percent, state), elapsed};
  state.candidates.clear();
  for (const PodSample& pod : node.pods) consider_pod(tick, pod);
  const MilliCpu per_second = percent_of(node.node.cpu_capacity, slo.evenkeel.burst_growth_budget_percent);
  const MilliCpu budget(scaled(per_second.count(), elapsed.count(), Duration(seconds(1)).count()));
  divide_growth_budget(state.candidates, budget, state.turn);
  for (const Candidate& one : state.candidates) remember(one, state.containers[node.cgroup(one.cgroup)->id]);
  add_burst_intents(node, tick.pool, state, out);
  forget_the_gone(state, node.at);
  publish(node, state, facts.publish<decide::BurstQuotas>());
}

}  // namespace

CgroupIndex limited_cgroup(const NodeSnapshot& node, CgroupIndex container) {
  const CgroupIndex below = node.subgroup_of(container);
  if (below == kNoCgroup) return container;
  const auto& outer = node.cgroup(container)->applied.cpu_limit;
  const auto& inner = node.cgroup(below)->applied.cpu_limit;
  return outer && !outer->quota && inner && inner->quota ? below : container;
}

constinit const CpuBurstPolicy cpu_burst_policy{
    {"cpu-burst", "throttled services may use the node's spare CPU", enabled}, decide};

}  // namespace evenkeel::burst
