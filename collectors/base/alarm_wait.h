// The interface through which a collector hands its alarm descriptors to the event loop between two ticks.
// Does not wait itself.
#pragma once

#include <cstdint>
#include <functional>

#include "qos/model/alarm.h"

namespace evenkeel::collectors {

struct AlarmDescriptors {
  /// Calls `ready` with the events whenever `fd` has one of `events` (EPOLLIN, EPOLLPRI) or an error
  /// (EPOLLERR). Returns false if the descriptor cannot be watched.
  std::function<bool(int fd, std::uint32_t events, std::function<void(std::uint32_t events)> ready)> add{};
  std::function<void(int fd)> remove{};  ///< call before closing the descriptor
  /// Receives each alarm; `at` is not set yet. The callback may call follow() on the triggers.
  std::function<void(const Alarm&)> hear{};
};

}  // namespace evenkeel::collectors
