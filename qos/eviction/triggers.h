// The eviction triggers: each says from the snapshot whether a pod must be evicted and which pods may be.
// Pure.
#pragma once

#include "qos/eviction/eviction.h"

namespace evenkeel::eviction {

// Eviction by requests: more batch or mid is requested than the Node advertises. Only what the pods in
// question can free counts as short, and only those that stay count as requesting. Koordinator also counts
// native requests of unclassified pods, which none of them can free, and finished pods. A Node without batch
// or mid values, or with old ones, is unknown, not zero: no pod is evicted.

/// CPUAllocatableEvict, for batch-cpu and mid-cpu.
extern const EvictionTrigger batch_cpu_evict_trigger, mid_cpu_evict_trigger;
/// MemoryAllocatableEvict, for batch-memory and mid-memory.
extern const EvictionTrigger batch_memory_evict_trigger, mid_memory_evict_trigger;

// Eviction by CPU use: best effort that is starved, and a node that is busy. Averages over a window of which
// a third has to be measured, and the figures of this tick must agree; after an eviction the window starts
// anew. Does not look at requests (allocatable_evict.h does).

/// BECPUEvict: best effort uses all of its allowance, and that is little of what it requested: some pods are
/// evicted, so that the others get on. From cpuEvictBESatisfactionLowerPercent up to ...UpperPercent.
extern const EvictionTrigger be_cpu_evict_trigger;
/// CPUEvict: the node's use is above cpuEvictThresholdPercent; pods up to evictEnabledPriorityThreshold that
/// allow it are evicted until it is below cpuEvictLowerPercent (default: the threshold less 2).
extern const EvictionTrigger cpu_evict_trigger;

// Eviction by the node's memory use: two triggers on one figure. Any percentage is exact here; Koordinator
// truncates it to whole ones first, and so frees up to one percent of the node less than configured. Does not
// look at requests (allocatable_evict.h does).

/// BEMemoryEvict: best-effort pods are evicted, one after the other, until the node's memory use is below
/// memoryEvictLowerPercent (default: the threshold less 2).
extern const EvictionTrigger be_memory_evict_trigger;
/// MemoryEvict: the same for pods of any class up to evictEnabledPriorityThreshold that allow it. Koordinator
/// credits each victim with a thousand times its memory, and so stops after one.
extern const EvictionTrigger memory_evict_trigger;

// Eviction of pods that hurt services repeatedly: each time a limit helped, and each time it was needed anew.
// Does not judge which pod hurts which (interference.h does).

/// InterferenceEvict, a trigger of our own: a best-effort pod is evicted after interference.evictAfter limits
/// that helped within a day.
extern const EvictionTrigger interference_evict_trigger;

}  // namespace evenkeel::eviction
