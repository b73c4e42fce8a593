#include <algorithm>

#include "qos/cpu/pinning/pinning.h"
#include "qos/cpu/suppress/suppress.h"

namespace evenkeel::suppress {
namespace {

constexpr MilliCpu kLeast{2000};

/// Kept off CPUs in a storm of forks, best effort has half of a small machine.
MilliCpu least(const SuppressTarget& target) {
  const MilliCpu half(target.capacity.count() / 2 / 1000 * 1000);
  return target.storm ? std::clamp(half, kWholeCpu, kLeast) : kLeast;
}

/// Where best effort may run: the pools from which CPUs are picked in proportion to their sizes.
struct Pools {
  CpuSet pinned{};  ///< CPUs of services that share them with best effort alone
  CpuSet shared{};
};

Pools pools_of(const NodeSnapshot& node) {
  const pinning::CpuClaims claims = pinning::cpu_claims(node);
  return {.pinned = claims.pinned, .shared = claims.shared()};
}

CpuSet pick(const CpuTopology& topology, const Pools& pools, std::size_t count, std::size_t from_pinned) {
  CpuSet picked;
  for (const CpuId cpu : pinning::pick_cpus(topology, pools.pinned, from_pinned)) picked.add(cpu);
  for (const CpuId cpu : pinning::pick_cpus(topology, pools.shared, count - from_pinned)) picked.add(cpu);
  return picked;
}

/// The same CPUs as before if they still serve: work is not moved without need.
CpuSet choose(const NodeSnapshot& node, const Pools& pools, std::size_t wanted,
              const std::optional<CpuSet>& before) {
  const std::size_t all = pools.pinned.size() + pools.shared.size();
  const std::size_t count = std::min(wanted, all);
  const std::size_t from_pinned = count * pools.pinned.size() / all;
  const bool serves = before && before->size() == count && before->subset_of(pools.pinned | pools.shared) &&
                      (*before & pools.pinned).size() <= from_pinned;
  return serves ? *before : pick(node.topology, pools, count, from_pinned);
}

/// Calls `see` for everything with a CPU set in applications that are limited by theirs.
template <class See>
void for_applications(const NodeSnapshot& node, See see) {
  for (const HostApplicationSample& app : node.host_applications) {
    if (!has_share(node, app, AppLever::cpuset)) continue;
    for (std::size_t i = 0; i < node.cgroups.size(); ++i)
      if (node.is_within(static_cast<CgroupIndex>(i), app.cgroup) && node.cgroups[i].applied.cpus)
        see(node.cgroups[i]);
  }
}

/// Calls `see` for what the policy writes to: below a static kubelet CPU manager only what holds processes,
/// because the kubelet owns the directories above.
template <class See>
void for_levers(const NodeSnapshot& node, AppLever apps, See see) {
  if (apps == AppLever::cpuset) for_applications(node, see);
  const bool leaves_only = node.object.kubelet_static_cpu_manager;
  pinning::for_besteffort(node, [&](CgroupIndex, const CgroupSample& sample) {
    if (is_leaf(sample.kind) || !leaves_only) see(sample);
  });
}

/// A directory that inherits no other CPUs than these (cgroup v2) needs no set of its own. Once it has one,
/// the kernel does not let it inherit again while processes run in it (ENOSPC).
bool inherits_within(const CgroupSample& sample, const CpuSet& cpus) {
  const auto now = pinning::cpus_in_use(&sample);
  return sample.applied.cpus && sample.applied.cpus->empty() && now && now->subset_of(cpus);
}

SuppressPace pace_of(const NodeSnapshot& node, const NodeSlo& slo, const SuppressTarget& target) {
  return {.capacity = target.capacity,
          .minimum = least(target),
          .grain = kWholeCpu,
          .recovery = slo.evenkeel.suppress_recovery,
          .dwell = slo.evenkeel.suppress_dwell,
          .elapsed = growth_time(node)};
}

/// All CPUs on which the applications may run. A set that cannot be told is the whole machine: it may be
/// empty on v2, and so inherited.
std::optional<CpuSet> present_of_applications(const NodeSnapshot& node) {
  std::optional<CpuSet> all;
  for (const HostApplicationSample& app : node.host_applications)
    if (has_share(node, app, AppLever::cpuset))
      all = all.value_or(CpuSet{}) |
            pinning::cpus_in_use(node.cgroup(app.cgroup)).value_or(node.topology.online);
  return all;
}

/// The set from which the next step starts: our last choice. The directory may have more for a tick, after a
/// reset by systemd or in a trial of proof, and below a static CPU manager it always has all its CPUs
/// (Koordinator takes these for the present size and grows without limit).
std::optional<CpuSet> present(const NodeSnapshot& node, const CpuSuppressState& state, AppLever apps) {
  if (node.object.kubelet_static_cpu_manager && state.chosen) return state.chosen;
  const bool applications_only = node.besteffort == kNoCgroup && apps == AppLever::cpuset;
  const auto in_force =
      applications_only ? present_of_applications(node) : pinning::cpus_in_use(node.cgroup(node.besteffort));
  return in_force && state.chosen ? state.chosen : in_force;
}

}  // namespace

std::optional<std::size_t> besteffort_cpus(const NodeSnapshot& node, const CpuSuppressState& state,
                                           AppLever apps, Reason& unknown) {
  const auto now = present(node, state, apps);
  const Pools pools = pools_of(node);
  const bool nowhere = (pools.pinned | pools.shared).empty();
  if (!now) unknown = because("held: the BestEffort directory's CPUs cannot be read");
  if (node.topology.cpus.empty()) unknown = because("held: the CPU topology is unknown");
  if (nowhere) unknown = because("held: every CPU is reserved or exclusive to a pod");
  if (!now || nowhere || node.topology.cpus.empty()) return std::nullopt;
  return now->size();
}

void confine_besteffort(const NodeSnapshot& node, std::size_t count, AppLever apps, const Reason& why,
                        CpuSuppressState& state, decide::Intents& out) {
  const CpuSet cpus = choose(node, pools_of(node), count, state.chosen);
  state.chosen = cpus;
  for_levers(node, apps, [&](const CgroupSample& sample) {
    if (!inherits_within(sample, cpus)) out.want(sample.id, Knob::cpuset_cpus, cpus, why);
  });
}

void hold_besteffort_cpus(const NodeSnapshot& node, AppLever apps, const Reason& why, decide::Intents& out) {
  for_levers(node, apps, [&](const CgroupSample& sample) { out.hold(sample.id, Knob::cpuset_cpus, why); });
}

void suppress_by_cpuset(const NodeSnapshot& node, const NodeSlo& slo, const SuppressGoal& goal,
                        CpuSuppressState& state, decide::Intents& out) {
  Reason unknown = goal.unknown;
  const auto& target = goal.target;
  const auto count = besteffort_cpus(node, state, goal.apps, unknown);
  if (!target || !count) return hold_besteffort_cpus(node, goal.apps, target ? unknown : goal.unknown, out);
  const MilliCpu current = kWholeCpu * static_cast<std::int64_t>(*count);
  const SuppressStep step =
      next_allowance(state.damping, node.at, target->target, current, pace_of(node, slo, *target));
  const auto wanted = static_cast<std::size_t>(step.allowance.count() / kWholeCpu.count());
  confine_besteffort(node, wanted, goal.apps, suppress_reason(step, *target), state, out);
}

}  // namespace evenkeel::suppress
