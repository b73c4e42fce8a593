// Memory limits and marks relative to what a container uses: where background reclaim begins and ends, and
// how far a limit may come down without reclaiming by itself.
#pragma once

#include <optional>

#include "qos/memory/memory_qos_terms.h"
#include "qos/model/snapshot.h"
#include "qos/model/units.h"

namespace evenkeel::memory {

// Computes where background reclaim begins and ends for a container, and how much page cache a pod may hold:
// the meaning of memory.wmark_ratio, memory.wmark_scale_factor and memory.pagecache_limit.size (Anolis
// kernels), for kernels without them. Does not look at what is used.

struct ReclaimMarks {
  Bytes limit{};  ///< where its tasks would have to reclaim for themselves
  Bytes high{};   ///< reclaim begins above it
  Bytes low{};    ///< and ends below it
};
/// The first bound that growth reaches: the limit (absent, or zero: none) or memory.high. kNoMemoryLimit:
/// none.
Bytes memory_ceiling(std::optional<Bytes> limit, Bytes memory_high);

/// `limit`: of the container, absent without one; `memory_high`: as the kernel holds it; `held`: protected
/// from reclaim (the kernel does not spare it when memory.reclaim is written for the cgroup itself). Absent:
/// no marks, because nothing limits the container, none are configured, or what is protected reaches the high
/// mark.
std::optional<ReclaimMarks> reclaim_marks(const MemoryTerms& terms, std::optional<Bytes> limit,
                                          Bytes memory_high, Bytes held);

/// The pod's own limit (pod-level resources), else the sum over its containers; plus the overhead. Absent:
/// a container has no limit.
std::optional<Bytes> memory_limit(const Pod& pod);

/// Values for memory.pagecache_limit.* of a pod; absent: left alone.
struct PageCacheFiles {
  std::optional<Bytes> size{};
  std::optional<bool> enable{}, sync{};
};
PageCacheFiles page_cache_files(const MemoryTerms& terms, std::optional<Bytes> pod_limit);

/// The page cache limit that the agent enforces itself. Absent: none.
std::optional<Bytes> page_cache_limit(const MemoryTerms& terms, std::optional<Bytes> pod_limit);

// Memory limits that come down without harm, and which services are short of memory by their own limit.

// Lowers a memory limit without harm: the write itself would reclaim, or kill for, the difference between
// what is in use and the new limit, and the writer would block for that. So it follows the use.

/// A limit far enough above `used` (2 %, in whole MiB) that a write reclaims nothing.
Bytes with_headroom(Bytes used);
/// `wanted`, or as much above `used` as needed for a write that reclaims nothing; never more than `now`
/// unless `wanted` is.
Bytes limit_above_use(Bytes wanted, Bytes used, Bytes now);

// Which services are short of memory because of their own limit, and how much best effort keeps when its
// memory is reclaimed.

/// The pod or a container of it has nearly reached its own limit: it stalls for that reason.
bool is_near_own_limit(const NodeSnapshot& node, const PodSample& pod);

/// What is protected for it and what it could free only by swapping. `besteffort.memory.anonymous` is known.
Bytes min_besteffort_memory(const CgroupSample& besteffort);

}  // namespace evenkeel::memory
