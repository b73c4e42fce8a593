// Who waits for the descriptors of those who raise alarms between two ticks. May not: wait (whoever has an
// event loop does).
#pragma once

#include <cstdint>
#include <functional>

#include "qos/model/alarm.h"

namespace evenkeel::collectors {

struct AlarmDescriptors {
  /// Calls `ready` with the events whenever `fd` has one of `events` (EPOLLIN, EPOLLPRI) or is dead
  /// (EPOLLERR). False: it cannot.
  std::function<bool(int fd, std::uint32_t events, std::function<void(std::uint32_t events)> ready)> add{};
  std::function<void(int fd)> remove{};  ///< before it is closed
  /// Somebody waits; `at` is not set yet. Within it the triggers may be told to follow().
  std::function<void(const Alarm&)> hear{};
};

}  // namespace evenkeel::collectors
