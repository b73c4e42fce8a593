// The arithmetic of CPU burst, one container at a time: how much burst, which way the quota goes, how far.
// May not: know about pods, cgroups or the node's budget; qos/cpu/burst/burst.cpp does.
#pragma once

#include "qos/cpu/burst/share_pool.h"
#include "qos/model/nodeslo.h"

namespace evenkeel::burst {

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
bool take_tokens(std::optional<TokenBucket>& bucket, std::int64_t period_seconds, Percent burst_percent,
                 std::int64_t use_percent, MonoTime now);

}  // namespace evenkeel::burst
