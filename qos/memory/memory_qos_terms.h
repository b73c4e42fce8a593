// What holds for a pod's memory, and what it is to have in memory.min, memory.low and memory.high:
// Koordinator's formulas on what was requested. May not: look at what is used.
#pragma once

#include <optional>

#include "qos/model/nodeslo.h"
#include "qos/model/pod.h"
#include "qos/model/units.h"

namespace evenkeel::memory {

/// What holds for a pod: its class, unless its own annotation says otherwise. Percentages; zero asks for
/// nothing.
struct MemoryTerms {
  Percent min{}, low{}, throttling{};
  bool oom_group = false;
  Percent wmark_ratio{};                  ///< of the limit: reclaim in the background begins there
  std::int64_t wmark_scale_permill = 50;  ///< and goes on for so many thousandths of it
  std::optional<bool> page_cache_enable{};
  std::optional<Percent> page_cache_percent{};  ///< of the pod's limit
  std::optional<Bytes> page_cache_size{};       ///< wins over the percentage
  // Of vendor kernels only.
  bool page_cache_sync = false;    ///< whoever adds to the cache reclaims, not somebody in the background
  std::int64_t wmark_min_adj = 0;  ///< percent by which the node's minimum watermark is another one for it
  bool priority_oom = false;       ///< out of memory, the lowest priority is killed first
  std::int64_t priority = 0;
};
/// Absent: its class is off and the pod asks for nothing itself, or the pod says "none", or it has ended. Of
/// a pod that is known from its directory only nobody has told us what it requests.
std::optional<MemoryTerms> memory_terms(const Pod& pod, const QosStrategy& qos);

/// What holds for a class, whatever it says of being on.
MemoryTerms class_terms(const MemoryQos& memory);

/// Batch memory for pods labelled BE, whose native requests are empty. An absent request is zero, an absent
/// limit is none.
struct MemoryClaim {
  Bytes request{};
  std::optional<Bytes> limit{};
};
MemoryClaim memory_claim(const Pod& pod);
MemoryClaim memory_claim(const Pod& pod, const Container& container);

struct MemoryProtection {
  Bytes min{}, low{};
};
/// A share of the request; low is at least min where there is a low.
MemoryProtection protection(const MemoryTerms& terms, Bytes request);

/// A share of the way from the request to the limit (of a container without one: to what the node can give),
/// in whole pages, never below memory.min. Absent: nothing is asked for.
std::optional<Bytes> throttling_point(const MemoryTerms& terms, const MemoryClaim& claim,
                                      Bytes node_allocatable);

}  // namespace evenkeel::memory
