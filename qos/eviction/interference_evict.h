// Eviction of who hurts services again and again: each time a limit helped, and each time it was needed anew.
// May not: judge who hurts whom (interference.h does).
#pragma once

#include "qos/eviction/eviction.h"

namespace evenkeel::eviction {

/// InterferenceEvict, a trigger of our own: a best-effort pod goes after interference.evictAfter limits that
/// helped within a day.
extern const EvictionTrigger interference_evict_trigger;

}  // namespace evenkeel::eviction
