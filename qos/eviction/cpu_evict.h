// Eviction by CPU use: best effort that is starved, and a node that is busy. Averages over a window of which
// a third has to be measured, and the figures of this tick must agree; after a victim has gone the window
// begins anew. May not: ask who requested what of the Node (allocatable_evict.h does).
#pragma once

#include "qos/eviction/eviction.h"

namespace evenkeel::eviction {

/// BECPUEvict: best effort uses what it may use, and that is little of what it requested: some go, so that
/// the others get on. From cpuEvictBESatisfactionLowerPercent up to ...UpperPercent.
extern const EvictionTrigger be_cpu_evict_trigger;
/// CPUEvict: the node's use is above cpuEvictThresholdPercent; pods up to evictEnabledPriorityThreshold that
/// allow it go until it is below cpuEvictLowerPercent (default: the threshold less 2).
extern const EvictionTrigger cpu_evict_trigger;

}  // namespace evenkeel::eviction
