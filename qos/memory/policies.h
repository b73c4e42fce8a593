// The policies of memory: what each of them does, and the state that it keeps between ticks.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "qos/decide/policy.h"
#include "qos/decide/shared.h"
#include "qos/model/ids.h"
#include "qos/model/nodeslo.h"
#include "qos/model/reclaim_order.h"
#include "qos/model/snapshot.h"
#include "qos/model/units.h"

namespace evenkeel::memory {

// Policy "memory-qos": memory.min and memory.low protect what services have requested, up to the top of the
// kubelet's tree, because the kernel protects a child no more than its parents; memory.high throttles a
// container that grows towards its limit before the kernel has to kill it
// (Documentation/admin-guide/cgroup-v2.rst).
//
// Unlike Koordinator, it writes nothing where nothing is configured (a percentage of zero), so that the
// kubelet's values stay; never puts memory.high below what is in use, because the write itself would reclaim
// the difference; and raises it again when it stalls the container for a fifth of the time.

/// The containers that were stalled by their own limit, and their relief.
struct MemoryQosState {
  struct Container {
    MonoTime seen{};
    MonoTime judged{};                          ///< when the relief was last evaluated
    std::optional<std::int64_t> high_events{};  ///< memory.events `high` at that time
    Percent relief{};                           ///< added to its throttling point
  };
  std::unordered_map<CgroupId, Container> containers{};
};

using MemoryQosPolicy = decide::Policy<MemoryQosState>;
extern const MemoryQosPolicy memory_qos_policy;

// Policy "memory-push-back": while services wait for memory because the node is short of it, memory.high of
// best effort comes down step by step, before any pod has to be evicted; cgroup v2 only.
//
// It follows the stall of services, not of the node: best effort under a lowered limit stalls too, and would
// be pushed further for it. A pod at a limit of its own stalls for that reason and does not count. Best
// effort keeps what is protected for it and what it cannot free without swapping. Does not reclaim: a reclaim
// order (below) reclaims what is above the point, so that no write blocks in the kernel.

struct MemoryPushBackState {
  std::optional<Bytes> target{};  ///< memory.high of best effort; absent: it is not limited
  MonoTime stepped{};             ///< when it was changed
  MonoTime last_shortage{};       ///< when the node was last short of memory
};

using MemoryPushBackPolicy = decide::Policy<MemoryPushBackState, decide::Publishes<decide::PushedBackMemory>,
                                            decide::Reads<decide::ServiceObjectives>>;
extern const MemoryPushBackPolicy memory_push_back_policy;

// Policy "system-settings": systemStrategy, the levers of the whole machine (vm.min_free_kbytes and
// vm.watermark_scale_factor of Documentation/admin-guide/sysctl/vm.rst, switches of vendor kernels). Unlike
// Koordinator, it restores the original values, and a size out of bounds becomes the nearest sensible one
// instead of nothing.

/// `factor` ten-thousandths of memory, in KiB, within 10 MiB to 10 GiB and never more than a tenth of memory.
std::int64_t min_free_kbytes(Bytes memory, std::int64_t factor);

using SystemSettingsPolicy = decide::Policy<decide::NoState>;
extern const SystemSettingsPolicy system_settings_policy;

// Policy "oom-score-adj": containers of best effort get the oom_score_adj that their pod asks for
// (koordinator.sh/oom-score-adj), so that the kernel kills them earlier when memory runs out. It is only
// raised: no pod may come behind others by its own annotation. Does not know processes, or what they have.

using OomScorePolicy = decide::Policy<decide::NoState>;
extern const OomScorePolicy oom_score_policy;

// Policy of background reclaim: decides which cgroups must give up memory before the kernel reclaims it from
// them. Replaces memory.wmark_ratio and memory.pagecache_limit of Anolis kernels. Does not reclaim
// (cgroup/reclaim/reclaimer.h does).
//
// A container above its high mark is brought below its low mark, so that its tasks do not reach the limit and
// reclaim for themselves. It stops at once when they are stalled, spares what memory.min and memory.low
// protect, and takes in all no more per second than the node's budget. Without a pressure file the harm could
// not be measured: then nothing is reclaimed.

/// For each cgroup: how much it used, whether it is being reclaimed, and until when it is left alone.
struct MemoryReclaimState {
  struct Entry {
    MonoTime seen{};
    std::optional<Bytes> used{};        ///< at the last tick
    std::optional<Bytes> page_cache{};  ///< the reading that was last acted on
    bool draining = false;              ///< between its marks, on the way down
    bool ordered = false;               ///< in the last tick
    MonoTime watched_until{};           ///< it may rise above its mark again at any moment
    Duration pause{};                   ///< the last one; doubles
    MonoTime paused_until{};
    MonoTime urgent_paused_until{};  ///< for orders because services are short of memory
  };
  std::unordered_map<CgroupId, Entry> cgroups{};
};

/// It decides after all policies.
using ReclaimFacts =
    decide::FactView<decide::Reads<decide::PushedBackMemory, decide::BrakeInForce, decide::MemoryLimits>>;

/// Reclaims from at most this many at a time: the largest excess first.
inline constexpr std::size_t kMostReclaimOrders = 16;

/// The orders of this tick, which replace all earlier ones. Only with fresh measurements.
void decide_reclaim(const NodeSnapshot& node, const NodeSlo& slo, MemoryReclaimState& state,
                    ReclaimFacts facts, std::vector<ReclaimOrder>& out);

}  // namespace evenkeel::memory
