// A wall clock that stands still unless a test moves it.
#pragma once

#include "agent/runtime/clock.h"

namespace evenkeel::test {

class FixedWallClock : public runtime::WallClock {
 public:
  explicit FixedWallClock(double unix_seconds) : at(unix_seconds) {}
  [[nodiscard]] double unix_seconds() const override { return at; }
  double at;
};

}  // namespace evenkeel::test
