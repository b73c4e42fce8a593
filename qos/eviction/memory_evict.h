// Eviction by the node's memory use: two triggers on one figure. Any percentage is exact here; the reference
// truncates it to whole ones first, and so frees up to one percent of the node less than asked for (W13).
// May not: ask who requested what (allocatable_evict.h does).
#pragma once

#include "qos/eviction/eviction.h"

namespace evenkeel::eviction {

/// BEMemoryEvict: best-effort pods go, one after the other, until the node's memory use is below
/// memoryEvictLowerPercent (default: the threshold less 2).
extern const EvictionTrigger be_memory_evict_trigger;
/// MemoryEvict: the same for pods of any class up to evictEnabledPriorityThreshold that allow it. The
/// reference credits each victim with a thousand times its memory, and so stops after one (W12).
extern const EvictionTrigger memory_evict_trigger;

}  // namespace evenkeel::eviction
