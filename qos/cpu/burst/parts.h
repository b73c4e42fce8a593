// The parts of CPU burst: how full the shared CPUs are, how much quota may grow on the node, what each
// container gets, and the intents for its pod.
#pragma once

#include <span>

#include "qos/cpu/burst/burst.h"
#include "qos/decide/intent.h"
#include "qos/model/nodeslo.h"
#include "qos/model/snapshot.h"

namespace evenkeel::burst {

// How full the node's shared CPUs are: what services without CPUs of their own compete for.

enum class ShareState : std::uint8_t { unknown, idle, cooling, overload };

struct SharePool {
  ShareState state = ShareState::unknown;
  MilliCpu total{};  ///< the node's CPUs without what LSE and LSR pods requested
  MilliCpu use{};    ///< average of the last five seconds, without LSE, LSR and BE pods
};

/// Overload from `threshold` of the pool on, cooling from nine tenths of it.
ShareState share_state(MilliCpu use, MilliCpu total, Percent threshold);

/// Takes this tick's use into the average. Unknown use stays unknown.
SharePool share_pool(const NodeSnapshot& node, Percent threshold, CpuBurstState& state);

// How much CPU quota all containers together may gain in one tick, so that a node full of throttled services
// does not take all its idle CPU in one second and lose it in the next.

/// Lowers the targets of growing candidates until the growth fits into `budget`: everybody gets what he asks
/// for up to the same level. Thousandths that cannot be divided go round by `turn`. A single container is no
/// stampede: the largest step that anybody asks for always fits.
void divide_growth_budget(std::span<CpuBurstState::Candidate> candidates, MilliCpu budget, std::size_t& turn);

// The arithmetic of CPU burst, one container at a time: how much burst, which way the quota goes, how far.
// May not: know about pods, cgroups or the node's budget; qos/cpu/burst/burst.cpp does.

/// The quota that the container's limit asks for: at least the kernel's 1 ms.
QuotaTime base_quota(MilliCpu limit, Duration period);
/// `percent` of what the limit allows per period, before it is clamped to what the kernel accepts.
QuotaTime static_burst(MilliCpu limit, Percent percent, Duration period);
/// The most that quota burst may set.
QuotaTime burst_ceiling(QuotaTime base, Percent percent);

/// What the container alone would like: up when throttled, down when its tokens are spent.
BurstOperation container_operation(bool tokens_left, std::optional<std::int64_t> throttled_periods);
/// What the node lets it: nobody grows unless the shared CPUs are idle, everybody shrinks when they are full.
BurstOperation node_operation(BurstOperation wanted, ShareState node);

/// Steps are a fifth per second; whole seconds are whole steps, a fraction of a second its fraction of the
/// step. Always within [base, ceiling]; an unlimited quota becomes the base.
QuotaTime quota_target(std::optional<QuotaTime> current, BurstOperation operation, Duration elapsed,
                       QuotaTime base, QuotaTime ceiling);

/// Moves the bucket on to `now` and says whether tokens are left. A negative period means no bucket: always
/// yes. `use_percent` is what the container uses of its limit. A new bucket holds a quarter of its capacity
/// (the reference draws lots up to a half); fractions of seconds count (W23).
bool update_bucket(std::optional<TokenBucket>& bucket, std::int64_t period_seconds, Percent burst_percent,
                   std::int64_t use_percent, MonoTime now);

// From what each container should have to wishes, the pods' directories included: a pod must allow what its
// containers may use together.

/// Whether a pod's own quota follows its containers': only where every one of them has a limit, as the
/// kubelet does.
bool manages_pod_quota(const Pod& pod);

/// Wishes for all candidates of the state, which stand pod by pod.
void add_burst_intents(const NodeSnapshot& node, const SharePool& pool, CpuBurstState& state,
                       decide::Intents& out);

}  // namespace evenkeel::burst
