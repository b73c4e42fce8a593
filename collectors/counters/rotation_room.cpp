#include "collectors/counters/rotation_room.h"

#include <algorithm>

namespace evenkeel {

std::size_t RotationRoom::at_once(const InterferenceSettings& settings) const {
  return static_cast<std::size_t>(settings.most_counter_descriptors) / std::max<std::size_t>(each(), 1);
}

std::size_t RotationRoom::in_a_period(const InterferenceSettings& settings) const {
  return at_once(settings) * static_cast<std::size_t>(settings.counter_period / settings.counter_window);
}

}  // namespace evenkeel
