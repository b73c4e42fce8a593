// Eviction by the node's memory use. One line per trigger; eviction.cpp has the common part.
#pragma once

#include "qos/eviction.h"

namespace evenkeel {

/// BEMemoryEvict: best-effort pods go, one after the other, until the node's memory use is below
/// memoryEvictLowerPercent (default: the threshold less 2).
extern const EvictionTrigger be_memory_evict_trigger;

}  // namespace evenkeel
