// Reclaim in the background: who is to give up memory before the kernel makes him. Stands in for
// memory.wmark_ratio and memory.pagecache_limit of Anolis kernels. May not: reclaim
// (cgroup/reclaim/reclaimer.h does).
//
// A container above its high mark is brought below its low mark, so that its tasks do not meet the limit and
// reclaim for themselves. It ends at once when they are stalled, spares what memory.min and memory.low
// protect, and all of it together takes no more a second than the node's budget. Without a pressure file
// nobody could say when it hurts: then nothing is taken.
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

/// Of each cgroup how much it used, whether memory is being taken, and until when it is left alone.
struct MemoryReclaimState {
  struct Entry {
    MonoTime seen{};
    std::optional<Bytes> used{};        ///< at the last tick
    std::optional<Bytes> page_cache{};  ///< the reading that was last acted upon
    bool draining = false;              ///< between its marks, on the way down
    bool ordered = false;               ///< in the last tick
    MonoTime watched_until{};           ///< it may go above its mark again any moment
    Duration pause{};                   ///< the last one; doubles
    MonoTime paused_until{};
  };
  std::unordered_map<CgroupId, Entry> cgroups{};
};

/// It decides after all policies.
using ReclaimFacts =
    decide::FactView<decide::Reads<decide::PushedBackMemory, decide::BrakeInForce, decide::MemoryLimits>>;

/// At one time: the largest excess first.
inline constexpr std::size_t kMostReclaimOrders = 16;

/// The orders of this tick, in place of all earlier ones. Only on fresh measurements.
void decide_reclaim(const NodeSnapshot& node, const NodeSlo& slo, MemoryReclaimState& state,
                    ReclaimFacts facts, std::vector<ReclaimOrder>& out);

}  // namespace evenkeel::memory
