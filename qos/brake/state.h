// What the brake remembers: whether it is on, until when, at what value, and how much of the last minute.
#pragma once

#include <cstdint>

#include "qos/brake/duty_cycle.h"
#include "qos/model/ids.h"
#include "qos/model/reason.h"
#include "qos/model/units.h"

namespace evenkeel::brake {

/// The brake of one resource.
struct BrakeLever {
  bool on = false;
  CgroupId place{};    ///< what is braked
  MonoTime until{};    ///< the end of the lease
  MonoTime counted{};  ///< up to here the duty knows of it
  MilliCpu cpu{};      ///< what best effort may use meanwhile
  MilliCpu cpu_had{};  ///< and what before
  Bytes memory{};      ///< the same of memory
  Reason why{};
  Duty duty{};
};

struct BrakeState {
  BrakeLever cpu{}, memory{};
};

}  // namespace evenkeel::brake
