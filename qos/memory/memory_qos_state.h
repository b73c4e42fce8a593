// What memory QoS remembers between ticks: the containers that its own limit has stalled, and what they were
// given for it.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "qos/model/ids.h"
#include "qos/model/units.h"

namespace evenkeel::memory {

struct MemoryQosState {
  struct Container {
    MonoTime seen{};
    MonoTime judged{};                          ///< when the relief was last thought about
    std::optional<std::int64_t> high_events{};  ///< memory.events `high` then
    Percent relief{};                           ///< added to its throttling point
  };
  std::unordered_map<CgroupId, Container> containers{};
};

}  // namespace evenkeel::memory
