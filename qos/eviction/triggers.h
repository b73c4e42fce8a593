// The eviction triggers: each says from the snapshot whether a pod must be evicted and which pods may be.
// Pure.
#pragma once

#include "qos/eviction/eviction.h"

namespace evenkeel::eviction {

// Eviction by requests: more is requested of batch or mid than the Node says there is. Only what the pods in
// question can give back counts as short, and only those that stay count as requesting. The reference also
// counts native requests of unclassified pods, which none of them can give back, and finished pods (W11).
// A Node that says nothing of batch or mid, or not lately, is unknown, not zero: nobody goes for that.

/// CPUAllocatableEvict, for batch-cpu and mid-cpu.
extern const EvictionTrigger batch_cpu_evict_trigger, mid_cpu_evict_trigger;
/// MemoryAllocatableEvict, for batch-memory and mid-memory.
extern const EvictionTrigger batch_memory_evict_trigger, mid_memory_evict_trigger;

// Eviction by CPU use: best effort that is starved, and a node that is busy. Averages over a window of which
// a third has to be measured, and the figures of this tick must agree; after a victim has gone the window
// begins anew. May not: ask who requested what of the Node (allocatable_evict.h does).

/// BECPUEvict: best effort uses what it may use, and that is little of what it requested: some go, so that
/// the others get on. From cpuEvictBESatisfactionLowerPercent up to ...UpperPercent.
extern const EvictionTrigger be_cpu_evict_trigger;
/// CPUEvict: the node's use is above cpuEvictThresholdPercent; pods up to evictEnabledPriorityThreshold that
/// allow it go until it is below cpuEvictLowerPercent (default: the threshold less 2).
extern const EvictionTrigger cpu_evict_trigger;

// Eviction by the node's memory use: two triggers on one figure. Any percentage is exact here; the reference
// truncates it to whole ones first, and so frees up to one percent of the node less than asked for (W13).
// May not: ask who requested what (allocatable_evict.h does).

/// BEMemoryEvict: best-effort pods go, one after the other, until the node's memory use is below
/// memoryEvictLowerPercent (default: the threshold less 2).
extern const EvictionTrigger be_memory_evict_trigger;
/// MemoryEvict: the same for pods of any class up to evictEnabledPriorityThreshold that allow it. The
/// reference credits each victim with a thousand times its memory, and so stops after one (W12).
extern const EvictionTrigger memory_evict_trigger;

// Eviction of who hurts services again and again: each time a limit helped, and each time it was needed anew.
// May not: judge who hurts whom (interference.h does).

/// InterferenceEvict, a trigger of our own: a best-effort pod goes after interference.evictAfter limits that
/// helped within a day.
extern const EvictionTrigger interference_evict_trigger;

}  // namespace evenkeel::eviction
