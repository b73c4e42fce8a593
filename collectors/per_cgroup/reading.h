// What the parsers of cgroup files share: each turns the text of one file into its members of one sample.
// A parser sets all of its members every time: to what the text says, or to absent.
#pragma once

#include <optional>
#include <string_view>

#include "cgroup/tree/layout.h"
#include "collectors/base/counter.h"
#include "qos/model/snapshot.h"

namespace evenkeel::per_cgroup {

/// The content of a file; absent when it is not there or could not be read.
using Text = std::optional<std::string_view>;

/// What has to be remembered of a cgroup from tick to tick.
struct CgroupMemory {
  collectors::Counter cpu_time{};
  collectors::Counter periods{}, throttled_periods{}, throttled_time{}, bursts{}, burst_time{};
  std::optional<Duration> quota_period{};  ///< v1: a file of its own, read before the quota
};

struct CgroupReading {
  const tree::Layout& layout;
  MonoTime now;
  std::optional<Duration> since_previous;
  CgroupMemory& memory;
  CgroupSample& sample;
};

using ParseFile = void (*)(Text text, CgroupReading& reading);

}  // namespace evenkeel::per_cgroup
