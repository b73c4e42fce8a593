// Measures for how much of the last minute something was on, in steps of a second. Arithmetic on given times
// only.
#pragma once

#include <array>
#include <cstdint>

#include "qos/model/units.h"

namespace evenkeel::brake {

class DutyCycle {
 public:
  static constexpr Duration kSpan = std::chrono::minutes(1);

  /// It was on from `from` to `to`; calls in the order of time, without overlap.
  void add(MonoTime from, MonoTime to);
  /// How long it was on in the minute before `now`; up to a second more, never less.
  [[nodiscard]] Duration spent(MonoTime now) const;

 private:
  struct Second {
    std::int64_t number = -1;
    Duration on{};
  };
  // The minute, and the second in which it began.
  std::array<Second, 61> seconds_{};
};

}  // namespace evenkeel::brake
