// Policy of background reclaim: decides which cgroups must give up memory before the kernel reclaims it from
// them. Replaces memory.wmark_ratio and memory.pagecache_limit of Anolis kernels. Does not reclaim
// (cgroup/reclaim/reclaimer.h does).
//
// A container above its high mark is brought below its low mark, so that its tasks do not reach the limit and
// reclaim for themselves. It stops at once when they are stalled, spares what memory.min and memory.low
// protect, and takes in all no more per second than the node's budget. Without a pressure file the harm could
// not be measured: then nothing is reclaimed.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "qos/decide/shared.h"
#include "qos/model/ids.h"
#include "qos/model/nodeslo.h"
#include "qos/model/reclaim_order.h"
#include "qos/model/snapshot.h"
#include "qos/model/units.h"

namespace evenkeel::memory {

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
