// How long what the kernel refused is left alone: twice as long each time, up to ten minutes. Every hand
// keeps to it. May not: know what was refused.
#pragma once

#include <algorithm>
#include <chrono>

#include "qos/units.h"

namespace evenkeel {

inline constexpr Duration kLongestPause = std::chrono::minutes(10);

/// The pause after `pause`; zero: there was none yet.
inline Duration longer_pause(Duration pause, Duration first = std::chrono::seconds(1)) {
  return pause == Duration::zero() ? first : std::min(2 * pause, kLongestPause);
}

}  // namespace evenkeel
