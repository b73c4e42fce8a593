// What CPU suppression remembers between ticks.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "qos/units.h"

namespace evenkeel {

struct CpuSuppressState {
  struct Seen {
    MonoTime at{};
    MilliCpu target{};
  };
  std::array<Seen, 64> recent{};  ///< ring of the last targets, newest at (next - 1)
  std::size_t next = 0, count = 0;
  std::optional<MonoTime> changed{};    ///< when the allowance last changed
  std::optional<MilliCpu> allowance{};  ///< what was asked for last
};

}  // namespace evenkeel
