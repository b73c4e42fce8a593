// Suppression of several places with one allowance: its size follows the same damping as always, and the
// parts change with it, when a place comes or goes, or when a place has long used up its part while others
// leave theirs unused.
#include <algorithm>

#include "qos/cpu/suppress/share.h"
#include "qos/cpu/suppress/suppress.h"
#include "qos/decide/policy.h"

namespace evenkeel::suppress {
namespace {

using std::chrono::seconds;

/// An application that has not been measured at this age never will be.
constexpr Duration kYoung = seconds(30);
constexpr std::size_t kLeastCpus = 2;

bool same(const CpuLimit& limit, std::optional<QuotaTime> quota) {
  return limit.quota && limit.quota == quota;
}

/// A limit that was neither there before nor set by the agent was set by its owner. Returns whether it was.
bool take_limit(SuppressShare& share, const CpuLimit& now) {
  const bool known = now == share.own || now == share.in_force || same(now, share.requested);
  if (!known) share.own = now;
  share.in_force = now;
  return !known;
}

/// Enters a place that best effort uses, or what is known of it now. Returns whether the allowance must be
/// divided anew.
bool take_part(std::vector<SuppressShare>& shares, const CgroupSample& sample, bool directory, MonoTime now,
               Duration memory) {
  auto share = std::find_if(shares.begin(), shares.end(),
                            [&](const SuppressShare& known) { return known.place == sample.id; });
  const bool fresh = share == shares.end();
  const CpuLimit limit = sample.applied.cpu_limit.value_or(CpuLimit{});
  if (fresh) {
    SuppressShare made;
    made.place = sample.id;
    made.directory = directory;
    made.own = made.in_force = limit;
    made.created = made.watched = now;
    share = shares.insert(shares.end(), made);
  }
  const bool changed = take_limit(*share, limit) && !directory;
  if (directory) share->own = {std::nullopt, limit.period};
  share->seen = now;
  update_peak_use(*share, sample.cpu_use, now, memory);
  bound(*share);
  return fresh || changed;
}

void gather(const NodeSnapshot& node, Duration memory, CpuSuppressState& state) {
  const auto join = [&](CgroupIndex index, bool directory) {
    if (const CgroupSample* sample = node.cgroup(index))
      state.regroup = take_part(state.shares, *sample, directory, node.at, memory) || state.regroup;
  };
  join(node.besteffort, true);
  for (const HostApplicationSample& app : node.host_applications)
    if (has_share(node, app, AppLever::quota)) join(app.cgroup, false);
  const auto gone =
      std::erase_if(state.shares, [&](const SuppressShare& share) { return share.seen != node.at; });
  state.regroup = state.regroup || gone > 0;
}

bool has_newcomers(const NodeSnapshot& node, const std::vector<SuppressShare>& shares) {
  return std::any_of(shares.begin(), shares.end(), [&](const SuppressShare& share) {
    return !share.directory && !share.measured && node.at - share.created < kYoung;
  });
}

bool directory_known(const NodeSnapshot& node, bool by_quota, const CpuSuppressState& state,
                     Reason& unknown) {
  const CgroupSample* directory = node.cgroup(node.besteffort);
  if (!directory) return true;
  if (!by_quota) return besteffort_cpus(node, state, AppLever::quota, unknown).has_value();
  unknown = because("held: the BestEffort directory's quota cannot be read");
  const auto& limit = directory->applied.cpu_limit;
  return limit && limit->period > Duration::zero();
}

/// Use without a known source may be a new cgroup's. Counted as the system's, the start of a batch job would
/// look like a burst of the system and cut the others; so the target stays what it was, as far as that
/// explains it.
void forgive(SuppressTarget& target, MilliCpu before) {
  const MilliCpu theirs = std::clamp(before - target.target, MilliCpu{}, target.unseen);
  target.target += theirs;
  target.system -= theirs;
}

/// What all may use now; absent: a place is not limited. A smaller limit that the brake has set is no
/// allowance.
std::optional<MilliCpu> together(const NodeSnapshot& node, bool by_quota, bool braked,
                                 const CpuSuppressState& state) {
  if (state.shared) return state.shared;
  MilliCpu sum{};
  for (const SuppressShare& share : state.shares) {
    Reason unused;
    const auto cpus =
        share.directory && !by_quota ? besteffort_cpus(node, state, AppLever::quota, unused) : std::nullopt;
    const auto quota =
        share.directory ? quota_before(state, braked, share.in_force.quota) : share.in_force.quota;
    if (!cpus && !quota) return std::nullopt;
    sum += cpus ? MilliCpu(static_cast<std::int64_t>(*cpus) * 1000) : cpu_of(*quota, share.in_force.period);
  }
  return sum;
}

MilliCpu least_together(const std::vector<SuppressShare>& shares) {
  MilliCpu sum{};
  for (const SuppressShare& share : shares) sum += share.least;
  return sum;
}

/// A place that uses up its part would get clearly more in a new division. That can wait, unless it has less
/// than half of an even part: then it was asleep at the last division.
bool unfair(const CpuSuppressState& state, MonoTime now, MilliCpu capacity, Duration dwell) {
  const auto count = static_cast<std::int64_t>(state.shares.size());
  return std::any_of(state.shares.begin(), state.shares.end(), [&](const SuppressShare& share) {
    const bool gains = share.hungry && share.next - share.granted >= suppress_band(capacity);
    const bool was_asleep = share.granted * 2 * count < *state.shared;
    return gains && (was_asleep || now - state.divided >= dwell);
  });
}

/// The parts of `total`: unchanged, unless a new division is needed.
void settle(CpuSuppressState& state, MilliCpu total, MonoTime now, const SuppressPace& pace) {
  rate(state.shares, total, pace.capacity);
  divide(state.shares, total);
  const bool anew = state.regroup || state.shared != total;
  state.shared = total;
  if (!anew && !unfair(state, now, pace.capacity, pace.dwell)) return;
  for (SuppressShare& share : state.shares) share.granted = share.next;
  state.regroup = false;
  state.divided = now;
  state.damping.changed = now;
}

Reason part_reason(const SuppressShare& share, MilliCpu total, const SuppressTarget& target) {
  if (target.objectives)
    return because("its part is {} of the {} that services' objectives allow best effort in several places",
                   share.granted, total);
  const auto say = [&](const char* sentence) {
    return because(sentence, share.granted, total, target.allowed, target.capacity, target.services,
                   target.system);
  };
  if (share.own.quota && share.granted == share.most)
    return say(
        "its own limit, {}, is no more than its part of the {} that best effort may use: {} of {} are the "
        "threshold, services use {}, the system {}");
  return say(
      "its part is {} of the {} that best effort may use in several places: {} of {} are the threshold, "
      "services use {}, the system {}");
}

/// A part that reaches the owner's limit is exactly that limit.
QuotaTime quota_of(const SuppressShare& share) {
  const bool all = share.granted == share.most && share.own.period == share.in_force.period;
  return all && share.own.quota ? *share.own.quota : quota_for(share.granted, share.in_force.period);
}

void confine(const NodeSnapshot& node, const SuppressShare& share, const Reason& why, CpuSuppressState& state,
             decide::Intents& out) {
  const auto whole = static_cast<std::size_t>((share.granted.count() + 999) / 1000);
  confine_besteffort(node, std::max(whole, kLeastCpus), AppLever::quota, why, state, out);
}

void hold_all(const NodeSnapshot& node, bool by_quota, const CpuSuppressState& state,
              const decide::NarrowedChildren& narrowed, const Reason& why, decide::Intents& out) {
  for (const SuppressShare& share : state.shares)
    if (!share.directory) out.hold(share.place, Knob::cpu_quota, why);
  if (node.besteffort == kNoCgroup) return;
  if (by_quota)
    decide::hold_besteffort_limit(node, narrowed, why, out);
  else
    hold_besteffort_cpus(node, AppLever::quota, why, out);
}

void ask(const NodeSnapshot& node, bool by_quota, const SuppressTarget& target, CpuSuppressState& state,
         decide::NarrowedChildren& narrowed, decide::Intents& out) {
  for (SuppressShare& share : state.shares) {
    const Reason why = part_reason(share, *state.shared, target);
    share.requested = quota_of(share);
    const CpuLimit limit{share.requested, share.in_force.period};
    if (share.directory && by_quota) {
      state.wanted = limit.quota;
      decide::limit_besteffort(node, limit, why, narrowed, out);
    } else if (share.directory) {
      confine(node, share, why, state, out);
    } else {
      out.want(share.place, Knob::cpu_quota, limit.quota->count(), why);
    }
  }
}

}  // namespace

bool limits_applications(const NodeSnapshot& node, AppLever lever) {
  return std::any_of(node.host_applications.begin(), node.host_applications.end(),
                     [&](const HostApplicationSample& app) { return has_share(node, app, lever); });
}

void suppress_shared(const NodeSnapshot& node, const NodeSlo& slo, SuppressGoal goal, bool by_quota,
                     CpuSuppressState& state, decide::NarrowedChildren& narrowed, decide::Intents& out) {
  gather(node, slo.evenkeel.suppress_dwell, state);
  auto& target = goal.target;
  Reason unknown;
  const bool known = directory_known(node, by_quota, state, unknown);
  if (!target || !known)
    return hold_all(node, by_quota, state, narrowed, target ? unknown : goal.unknown, out);
  const auto before = latest_target(state.damping, node.at);
  if (before && !target->objectives && has_newcomers(node, state.shares)) forgive(*target, *before);

  const SuppressPace pace{.capacity = target->capacity,
                          .minimum = least_together(state.shares),
                          .recovery = slo.evenkeel.suppress_recovery,
                          .dwell = slo.evenkeel.suppress_dwell,
                          .elapsed = growth_time(node)};
  const auto now = together(node, by_quota, goal.braked, state);
  const SuppressStep step = next_allowance(state.damping, node.at, target->target, now, pace);
  settle(state, step.allowance, node.at, pace);
  ask(node, by_quota, *target, state, narrowed, out);
}

}  // namespace evenkeel::suppress
