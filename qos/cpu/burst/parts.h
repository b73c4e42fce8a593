// The parts of CPU burst: how busy the shared CPUs are, how much quota may grow on the node, what each
// container gets, and the intents for its pod.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "qos/cpu/burst/burst.h"
#include "qos/decide/intent.h"
#include "qos/model/nodeslo.h"
#include "qos/model/snapshot.h"

namespace evenkeel::burst {

/// Where the container's quota is: crun 1.8 sets it in the subgroup alone, later ones in both.
CgroupIndex limited_cgroup(const NodeSnapshot& node, CgroupIndex container);

// How busy the node's shared CPUs are, which services without exclusive CPUs compete for.

enum class ShareState : std::uint8_t { unknown, idle, cooling, overload };

struct SharePool {
  ShareState state = ShareState::unknown;
  MilliCpu total{};  ///< the node's CPUs without what pods that own CPUs requested
  MilliCpu use{};    ///< average of the last five seconds, without these and BE pods
};

/// Overload at or above `threshold` of the pool, cooling at or above nine tenths of it.
ShareState share_state(MilliCpu use, MilliCpu total, Percent threshold);

/// Adds this tick's use to the average. Unknown use stays unknown.
SharePool share_pool(const NodeSnapshot& node, Percent threshold, CpuBurstState& state);

// How much CPU quota all containers together may gain in one tick, so that a node full of throttled services
// does not take all its idle CPU in one second and lose it in the next.

/// Lowers the targets of growing candidates until the growth fits into `budget`: each gets what it needs up
/// to the same level. Thousandths that cannot be divided are assigned in rotation by `turn`. The largest step
/// of any single container always fits.
void divide_growth_budget(std::span<CpuBurstState::Candidate> candidates, MilliCpu budget, std::size_t& turn);

// The arithmetic of CPU burst, one container at a time: how much burst, which way the quota moves, how far.
// Does not know about pods, cgroups or the node's budget (qos/cpu/burst/burst.cpp does).

/// The quota that matches the container's limit: at least the kernel's 1 ms.
QuotaTime base_quota(MilliCpu limit, Duration period);
/// `percent` of what the limit allows per period, before it is clamped to what the kernel accepts.
QuotaTime static_burst(MilliCpu limit, Percent percent, Duration period);
/// The most that quota burst may set.
QuotaTime burst_ceiling(QuotaTime base, Percent percent);

/// What the container alone needs: up when throttled, down when its tokens are spent.
BurstOperation container_operation(bool tokens_left, std::optional<std::int64_t> throttled_periods);
/// What the node allows: no container grows unless the shared CPUs are idle, all shrink when they are
/// overloaded.
BurstOperation node_operation(BurstOperation wanted, ShareState node);

/// A step is a fifth per second, scaled by the elapsed time. The result is always within [base, ceiling]; an
/// unlimited quota becomes the base.
QuotaTime quota_target(std::optional<QuotaTime> current, BurstOperation operation, Duration elapsed,
                       QuotaTime base, QuotaTime ceiling);

/// Whether the owner has written this quota, where no pod list tells: it is below the base, or above all that
/// burst has set. One between may be burst's own, cut by the kernel's rules, and counts as that.
bool is_owners(std::optional<QuotaTime> found, QuotaTime base, QuotaTime most_of_ours);

/// Advances the bucket to `now` and returns whether tokens are left. A negative period means no bucket:
/// always true. `use_percent` is the use in percent of the limit. A new bucket holds a quarter of its
/// capacity (Koordinator: a random part up to a half); fractions of seconds count.
bool update_bucket(std::optional<TokenBucket>& bucket, std::int64_t period_seconds, Percent burst_percent,
                   std::int64_t use_percent, MonoTime now);

// Resizes in place: an owner changes limits while burst is in force.

enum class Resize : std::uint8_t {
  none,
  pending,   ///< the list tells of one that the kubelet has yet to carry out
  possible,  ///< no list tells: the time at which an owner's write that was refused may go through
};
/// Whether the list tells of a container's limit that the kubelet has yet to carry out.
bool awaits_resize(const Pod& pod);
Resize resize_of(const NodeSnapshot& node, const PodSample& pod, const CpuBurstState& state);

/// Makes room for what the kubelet is about to write: the kernel accepts no quota below the burst, and on v1
/// none of a pod below that of one of its containers. `whole` is what the pod asks for as a whole.
QuotaTime ceiling_during_resize(Resize resize, bool v2_cpu, const CpuBurstState::Candidate& candidate,
                                std::optional<QuotaTime> whole, QuotaTime ceiling);

/// Whether the kubelet has written a limit to the container that the pod list does not tell yet. A smaller
/// one must not be raised again: on v1 the kubelet lowers the pod's quota next, and a container above it
/// makes that fail for good.
bool owner_is_ahead(const CpuBurstState::Candidate& candidate, CpuBurstState::Container& memory,
                    MonoTime now);

/// The pod's own limit (pod-level resources). While a larger one is deferred, the kubelet tells what the
/// pod's cgroup holds, from the limit divided by `divisor` up to `most` of it by burst, and some time ago:
/// the limit from before counts then.
std::optional<MilliCpu> pod_level_limit(const NodeSnapshot& node, const PodSample& pod, Percent most,
                                        std::optional<double> divisor, const CpuBurstState& state);

// From each container's target to intents, including the pods' directories: a pod must allow what its
// containers may use together.

/// Whether a pod's own quota follows its containers': only if all of them have a limit, or the pod has one,
/// as in the kubelet.
bool manages_pod_quota(const Pod& pod);

/// What the kubelet sets on the pod's directory, in microseconds, `level` being the limit of the pod as a
/// whole. Absent: nothing, or it is not known.
std::optional<std::int64_t> owners_pod_quota(const Pod& pod, std::optional<MilliCpu> level, Duration period);

/// The quota of `level`, the limit of the pod as a whole, else the quotas of its containers' limits together.
QuotaTime quota_of_limits(const Pod& pod, std::optional<MilliCpu> level, std::optional<double> divisor,
                          Duration period);

/// Intents for all candidates of the state, which are grouped by pod.
void add_burst_intents(const NodeSnapshot& node, const SharePool& pool, CpuBurstState& state,
                       decide::Intents& out);

}  // namespace evenkeel::burst
