// Computes where background reclaim begins and ends for a container, and how much page cache a pod may hold:
// the meaning of memory.wmark_ratio, memory.wmark_scale_factor and memory.pagecache_limit.size (Anolis
// kernels), for kernels without them. Does not look at what is used.
#pragma once

#include <optional>

#include "qos/memory/memory_qos_terms.h"
#include "qos/model/units.h"

namespace evenkeel::memory {

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

/// The sum over its containers; absent when one of them has no limit.
std::optional<Bytes> memory_limit(const Pod& pod);

/// Values for memory.pagecache_limit.* of a pod; absent: left alone.
struct PageCacheFiles {
  std::optional<Bytes> size{};
  std::optional<bool> enable{}, sync{};
};
PageCacheFiles page_cache_files(const MemoryTerms& terms, std::optional<Bytes> pod_limit);

/// The page cache limit that the agent enforces itself. Absent: none.
std::optional<Bytes> page_cache_limit(const MemoryTerms& terms, std::optional<Bytes> pod_limit);

}  // namespace evenkeel::memory
