// What reclaim remembers between ticks: of each cgroup how much it used, whether memory is being taken, and
// when it is let alone.
#pragma once

#include <optional>
#include <unordered_map>

#include "qos/model/ids.h"
#include "qos/model/units.h"

namespace evenkeel::memory {

struct MemoryReclaimState {
  struct Entry {
    MonoTime seen{};
    std::optional<Bytes> used{};        ///< at the last tick
    std::optional<Bytes> page_cache{};  ///< the reading that was last acted upon
    bool draining = false;              ///< between its marks, on the way down
    bool ordered = false;               ///< in the last tick
    MonoTime watched_until{};           ///< it may go above its mark again any moment
    Duration pause{};                   ///< the last one; doubles
    MonoTime paused_until{};
  };
  std::unordered_map<CgroupId, Entry> cgroups{};
};

}  // namespace evenkeel::memory
