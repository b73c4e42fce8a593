// Eviction by requests: more is requested of batch or mid than the Node says there is. Only what the pods in
// question can give back counts as short, and only those that stay count as requesting. The reference also
// counts native requests of unclassified pods, which none of them can give back, and finished pods (W11).
// A Node that says nothing of batch or mid, or not lately, is unknown, not zero: nobody goes for that.
#pragma once

#include "qos/eviction/eviction.h"

namespace evenkeel::eviction {

/// CPUAllocatableEvict, for batch-cpu and mid-cpu.
extern const EvictionTrigger batch_cpu_evict_trigger, mid_cpu_evict_trigger;
/// MemoryAllocatableEvict, for batch-memory and mid-memory.
extern const EvictionTrigger batch_memory_evict_trigger, mid_memory_evict_trigger;

}  // namespace evenkeel::eviction
