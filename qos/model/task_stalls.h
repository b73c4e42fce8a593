// What the tasks of a cgroup were doing when they were not getting on. May not: measure (collectors/ does).
#pragma once

#include <cstdint>
#include <optional>

#include "qos/model/ids.h"
#include "qos/model/units.h"

namespace evenkeel {

/// Since the previous tick, all tasks together; absent: not measured.
struct TaskStalls {
  CgroupId cgroup{};
  std::optional<Duration> reclaim{};   ///< they freed memory themselves (direct reclaim)
  std::optional<Duration> block_io{};  ///< they slept until a disk answered
  std::optional<std::int64_t> running{}, uninterruptible{};  ///< tasks at this moment
};

}  // namespace evenkeel
