// The memory settings of a pod, and the values of memory files that follow from them. Does not look at what
// is used.
#pragma once

#include <optional>

#include "qos/decide/intent.h"
#include "qos/model/nodeslo.h"
#include "qos/model/pod.h"
#include "qos/model/snapshot.h"
#include "qos/model/units.h"

namespace evenkeel::memory {

// The memory settings of a pod, and its values for memory.min, memory.low and memory.high: Koordinator's
// formulas on what was requested. Does not look at what is used.

/// Settings of a pod: its class's, unless its own annotation says otherwise. Percentages; zero sets nothing.
struct MemoryTerms {
  Percent min{}, low{}, throttling{};
  bool oom_group = false;
  Percent wmark_ratio{};                  ///< of the limit: background reclaim begins there
  std::int64_t wmark_scale_permill = 50;  ///< and continues for this many thousandths of it
  std::optional<bool> page_cache_enable{};
  std::optional<Percent> page_cache_percent{};  ///< of the pod's limit
  std::optional<Bytes> page_cache_size{};       ///< wins over the percentage
  // Of vendor kernels only.
  bool page_cache_sync = false;  ///< the task that adds to the cache reclaims, not a background task
  std::int64_t wmark_min_adj =
      0;                      ///< percent by which its watermark differs from the node's minimum watermark
  bool priority_oom = false;  ///< out of memory, the lowest priority is killed first
  std::int64_t priority = 0;
};
/// Absent: its class is off and the pod sets nothing itself, or the pod says "none", or it has ended. The
/// requests of a pod that is known only from its directory are unknown.
std::optional<MemoryTerms> memory_terms(const Pod& pod, const QosStrategy& qos);

/// The settings of a class, whether it is enabled or not.
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

/// A share of the way from the request to the limit (of a container without one: to the node's allocatable
/// memory), in whole pages, never below memory.min. Absent: nothing is configured.
std::optional<Bytes> throttling_point(const MemoryTerms& terms, const MemoryClaim& claim,
                                      Bytes node_allocatable);

// Values for the memory files of vendor kernels (Anolis): background reclaim, OOM kill order, page cache
// limits. Does not set anything for a cgroup without such a file (qos/memory/reclaim.cpp replaces some).
//
// A value that equals a new cgroup's default creates no intent: the owner's value stays.

/// For a pod or a container.
void add_vendor_file_intents(const CgroupSample& cgroup, const MemoryTerms& terms, decide::Intents& out);
/// For a pod.
void add_page_cache_intents(const CgroupSample& cgroup, const MemoryTerms& terms,
                            std::optional<Bytes> pod_limit, decide::Intents& out);
/// For the directories above the pods, where the OOM kill order counts as well.
void add_vendor_directory_intents(const NodeSnapshot& node, const QosStrategy& qos, decide::Intents& out);

}  // namespace evenkeel::memory
