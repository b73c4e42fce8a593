// What CPU burst remembers between ticks: one token bucket per container.
#pragma once

#include <unordered_map>

#include "qos/ids.h"
#include "qos/units.h"

namespace evenkeel {

struct CpuBurstState {
  struct Bucket {
    std::int64_t tokens = 0;    ///< percent · seconds
    std::int64_t capacity = 0;  ///< percent · seconds
    MonoTime updated{};
    MonoTime used{};
  };
  std::unordered_map<CgroupId, Bucket> buckets{};
};

}  // namespace evenkeel
