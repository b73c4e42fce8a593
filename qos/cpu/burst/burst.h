// The policies that change quotas of services: cpu-normalization, which corrects them for the speed of the
// CPUs, and cpu-burst.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "qos/decide/policy.h"
#include "qos/model/ids.h"
#include "qos/model/snapshot.h"
#include "qos/model/units.h"

namespace evenkeel::burst {

// Policy "cpu-normalization": on a node whose CPUs count for more than a standard one (annotation
// node.koordinator.sh/cpu-normalization-ratio above 1) services get their limit in standard CPUs, which is
// less time: quota / ratio, rounded up, for containers and pods. CPU burst starts from the same figure, and
// takes precedence for the quotas it sets. Does not set a quota that the kubelet did not set.

/// What the quotas of this pod are divided by; absent: nothing. On cgroup v1 nothing is while a container of
/// the pod has no cgroup, or the kubelet has yet to resize one: the runtime writes a whole quota, and the
/// kernel accepts none above the pod's.
std::optional<double> quota_divisor(const NodeSnapshot& node, const NodeSlo& slo, const PodSample& pod);
/// Rounded up, at least the kernel's 1 ms.
QuotaTime divided(QuotaTime quota, std::optional<double> divisor);
/// The pod's own quota, `level` being the limit of the pod as a whole: what its containers may use together,
/// never less than the sum of theirs. Absent: one of them has no limit, or its init containers may need more.
std::optional<QuotaTime> normalized_pod_quota(const Pod& pod, std::optional<MilliCpu> level, Duration period,
                                              double divisor);

/// Does not set the quotas that burst has set in this tick.
using CpuNormalizationPolicy = decide::Policy<decide::NoState, decide::Reads<decide::BurstQuotas>>;
extern const CpuNormalizationPolicy cpu_normalization_policy;

// Policy "cpu-burst": lets services use CPU that the node has to spare. Static burst lets a container use
// what it left unused in earlier periods (cpu.max.burst); quota burst raises the quota of a throttled
// container, and its pod's with it, while the node's shared CPUs are idle.

/// How much a container may burst: earned while it uses little, spent while it uses more than its limit.
struct TokenBucket {
  std::int64_t tokens = 0;    ///< percent of the limit, times microseconds
  std::int64_t capacity = 0;  ///< likewise; tokens stay within [-capacity, capacity]
  MonoTime updated{};
};

enum class BurstOperation : std::uint8_t { remain, up, down };
enum class BurstCause : std::uint8_t { nothing, throttled, not_idle, full, tokens_spent, unused };

/// The node's use in the last seconds; for each container its token bucket and base quota; for each pod its
/// quota before it was raised.
struct CpuBurstState {
  struct Use {
    MonoTime at{};
    Duration span{};
    MilliCpu use{};
  };
  std::array<Use, 64> share_use{};  ///< ring, newest at (next - 1)
  std::size_t next = 0, count = 0;

  struct Container {
    MonoTime seen{};
    std::optional<QuotaTime> base{};  ///< from the pod list, or the owner's last quota in the file
    QuotaTime most_of_ours{};   ///< the larger of what was found and what was wanted at the last tick, unless
                                ///< its owner was ahead of the list
    QuotaTime wanted{};         ///< at the last tick; zero: burst did not set the quota
    bool was_in_force = false;  ///< the kernel held the raised quota when it last held anything but the base
    std::optional<TokenBucket> bucket{};
    std::optional<MonoTime> quiet_since{};
    std::optional<MonoTime> ahead_since{};  ///< the file holds more than burst has set
    std::optional<double> divisor{};        ///< of its quota at the last tick (cpu-normalization)
  };
  std::unordered_map<CgroupId, Container> containers{};

  struct PodQuota {
    MonoTime seen{}, since{};         ///< of the pod: in the last tick; in the first one
    std::optional<MilliCpu> level{};  ///< its own limit (pod-level resources)
    QuotaTime original{};
    QuotaTime most_of_ours{};  ///< as of a container
    QuotaTime limits{};        ///< of its containers together, as of the last tick
    bool raised = false;
    bool resized = false;  ///< in this tick
    std::optional<double> divisor{};
  };
  std::unordered_map<CgroupId, PodQuota> pods{};

  /// Scratch of one tick; a member so that its memory is kept.
  struct Candidate {
    CgroupIndex cgroup = kNoCgroup;
    std::int32_t pod = 0;
    BurstOperation operation = BurstOperation::remain;
    BurstCause cause = BurstCause::nothing;
    bool unreadable = false;      ///< its quota could not be read; no other field here is known
    bool quota_burst = false;     ///< burst sets its quota; otherwise target is the current quota
    bool owner_is_ahead = false;  ///< its owner has changed the limit, which the list has yet to tell
    QuotaTime base{}, ceiling{}, target{}, burst{};
    std::optional<QuotaTime> current{};   ///< from which the next step starts; absent: unlimited
    std::optional<QuotaTime> listed{};    ///< of the limit in the pod list
    std::optional<QuotaTime> pending{};   ///< of the limit that the kubelet has not carried out yet
    std::optional<MilliCpu> pod_level{};  ///< limit of its pod as a whole
    std::optional<double> divisor{};
    Duration period{};
  };
  std::vector<Candidate> candidates{};
  std::size_t turn = 0;  ///< order in which containers get what cannot be divided
};

using CpuBurstPolicy = decide::Policy<CpuBurstState, decide::Publishes<decide::BurstQuotas>>;
extern const CpuBurstPolicy cpu_burst_policy;

/// The node's strategy with the fields that the pod's annotation replaces. An unknown policy word is "none".
CpuBurstStrategy burst_strategy(const CpuBurstStrategy& node, const CpuBurstOverride& pod);

/// Whether a service does not compete for the shared CPUs: by its class, or because the scheduler gave it
/// CPUs.
bool owns_cpus(const Pod& pod);

/// Whether burst ignores a pod: it has CPUs of its own, is best effort, has ended, or is not managed.
bool skipped_by_burst(const Pod& pod);

}  // namespace evenkeel::burst
