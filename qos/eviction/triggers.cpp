#include <array>

#include "qos/eviction/allocatable_evict.h"
#include "qos/eviction/cpu_evict.h"
#include "qos/eviction/eviction.h"
#include "qos/eviction/interference_evict.h"
#include "qos/eviction/memory_evict.h"

namespace evenkeel::eviction {
namespace {

// One line per trigger. Memory comes first: who has none is killed by the kernel, who has no CPU waits.
constexpr std::array<const EvictionTrigger*, EvictionState::kTriggers> kTriggers = {
    &be_memory_evict_trigger, &batch_memory_evict_trigger, &mid_memory_evict_trigger,
    &memory_evict_trigger,    &be_cpu_evict_trigger,       &batch_cpu_evict_trigger,
    &mid_cpu_evict_trigger,   &cpu_evict_trigger,          &interference_evict_trigger};

}  // namespace

std::span<const EvictionTrigger* const> eviction_triggers() { return kTriggers; }

}  // namespace evenkeel::eviction
