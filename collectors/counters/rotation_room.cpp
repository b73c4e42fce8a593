#include "collectors/counters/rotation_room.h"

#include <algorithm>

namespace evenkeel::counters {

std::size_t RotationBudget::concurrent(const InterferenceSettings& settings) const {
  return static_cast<std::size_t>(settings.most_counter_descriptors) /
         std::max<std::size_t>(descriptors_per_cgroup(), 1);
}

std::size_t RotationBudget::per_period(const InterferenceSettings& settings) const {
  return concurrent(settings) * static_cast<std::size_t>(settings.counter_period / settings.counter_window);
}

}  // namespace evenkeel::counters
