// What the policy "interference" knows of each container that it watches, from tick to tick.
#pragma once

#include <optional>
#include <vector>

#include "qos/cpu_counts.h"
#include "qos/ids.h"

namespace evenkeel {

struct WatchedContainer {
  CgroupId cgroup{};
  std::optional<CpuCounts> counted{};  ///< the newest window
};

struct InterferenceState {
  std::vector<WatchedContainer> watched{};  ///< ascending by cgroup
};

}  // namespace evenkeel
