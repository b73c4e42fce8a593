#include "agent/runtime/clock.h"

#include <chrono>

namespace evenkeel::runtime {

MonoTime SystemClock::now() const { return MonoTime(std::chrono::steady_clock::now().time_since_epoch()); }

double SystemWallClock::unix_seconds() const {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace evenkeel::runtime
