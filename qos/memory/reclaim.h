// Reclaim in the background: who is to give up memory before the kernel makes him. Stands in for
// memory.wmark_ratio and memory.pagecache_limit of Anolis kernels. May not: reclaim
// (cgroup/reclaim/reclaimer.h does).
//
// A container above its high mark is brought below its low mark, so that its tasks do not meet the limit and
// reclaim for themselves. It ends at once when they are stalled, spares what memory.min and memory.low
// protect, and all of it together takes no more a second than the node's budget. Without a pressure file
// nobody could say when it hurts: then nothing is taken.
#pragma once

#include <vector>

#include "qos/decide/policy.h"
#include "qos/model/reclaim_order.h"

namespace evenkeel::memory {

/// At one time: the largest excess first.
inline constexpr std::size_t kMostReclaimOrders = 16;

/// The orders of this tick, in place of all earlier ones. Only on fresh measurements.
void decide_reclaim(const NodeSnapshot& node, const NodeSlo& slo, decide::PolicyState& state,
                    std::vector<ReclaimOrder>& out);

}  // namespace evenkeel::memory
