// How many containers a limit of descriptors lets be counted in turn. Arithmetic only.
#pragma once

#include <cstddef>

#include "qos/model/nodeslo.h"

namespace evenkeel::counters {

struct RotationBudget {
  std::size_t events = 0, cpus = 0;
  /// Descriptors of one container while it is counted.
  [[nodiscard]] std::size_t descriptors_per_cgroup() const { return events * (cpus == 0 ? 1 : cpus); }
  /// Containers that may be counted at the same time.
  [[nodiscard]] std::size_t concurrent(const InterferenceSettings& settings) const;
  /// Containers that get a turn in each period.
  [[nodiscard]] std::size_t per_period(const InterferenceSettings& settings) const;
};

}  // namespace evenkeel::counters
