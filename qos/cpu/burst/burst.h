// Policy "cpu-burst": lets services use CPU that the node has to spare. Static burst lets a container use
// what it left unused in earlier periods (cpu.max.burst); quota burst raises the quota of a throttled
// container, and its pod's with it, while the node's shared CPUs are idle.
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
    std::optional<QuotaTime> base{};  ///< from the spec, or the first quota seen if there is no spec
    std::optional<TokenBucket> bucket{};
    std::optional<MonoTime> quiet_since{};
    std::optional<double> divisor{};  ///< of its quota at the last tick (qos/cpu/burst/normalization.h)
  };
  std::unordered_map<CgroupId, Container> containers{};

  struct PodQuota {
    MonoTime seen{};
    QuotaTime original{};
    bool raised = false;
    std::optional<double> divisor{};
  };
  std::unordered_map<CgroupId, PodQuota> pods{};

  /// Scratch of one tick; a member so that its memory is kept.
  struct Candidate {
    CgroupIndex cgroup = kNoCgroup;
    std::int32_t pod = 0;
    BurstOperation operation = BurstOperation::remain;
    BurstCause cause = BurstCause::nothing;
    bool unreadable = false;   ///< its quota could not be read; no other field here is known
    bool quota_burst = false;  ///< burst sets its quota; otherwise target is the current quota
    QuotaTime base{}, ceiling{}, target{}, burst{};
    std::optional<QuotaTime> current{};  ///< absent: unlimited
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

/// Whether burst ignores a pod: it has exclusive CPUs, is best effort, has ended, or is not managed.
bool skipped_by_burst(const Pod& pod);

}  // namespace evenkeel::burst
