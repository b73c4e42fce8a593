// What memory push-back remembers between ticks.
#pragma once

#include <optional>

#include "qos/model/units.h"

namespace evenkeel::memory {

struct MemoryPushBackState {
  std::optional<Bytes> target{};  ///< what best effort may have; absent: it is not held back
  MonoTime stepped{};             ///< when it was changed
  MonoTime short_seen{};          ///< when the node was last short of memory
};

}  // namespace evenkeel::memory
