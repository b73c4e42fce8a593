// The kernel says between two ticks that somebody waits too much. May not: listen (collectors/ does).
#pragma once

#include <cstdint>

#include "qos/ids.h"
#include "qos/units.h"

namespace evenkeel {

enum class Contended : std::uint8_t { cpu, memory, io };

struct Alarm {
  Contended what = Contended::cpu;
  CgroupId victim{};  ///< none: the node as a whole
  MonoTime at{};
};

}  // namespace evenkeel
