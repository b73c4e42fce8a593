// Recent use, averaged over the aggregation window: the input of the lendable sums. Absent is unknown, never
// zero. Does not hold history (agent/history does).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "qos/model/pod.h"
#include "qos/model/units.h"

namespace evenkeel {

struct Usage {
  std::optional<MilliCpu> cpu{};
  /// By metricMemoryCollectPolicy; by default anonymous + unevictable, of the node MemTotal - MemAvailable
  /// (which counts reserved huge pages as used).
  std::optional<Bytes> memory{};
  bool operator==(const Usage&) const = default;
};

struct PodUsage {
  std::string uid{};
  /// default_priority_class() as last seen: a dangling pod has no spec any more.
  PriorityClass priority_class = PriorityClass::none;
  Usage usage{};
};

struct HostApplicationUsage {
  std::string name{};
  PriorityClass priority_class = PriorityClass::none;
  Usage usage{};
};

struct RecentUsage {
  Usage node{};
  Usage system{};  ///< node - pods - host applications, floor 0; absent when one of them is unknown
  /// Pods with at least one measurement in the window, whether or not they are still listed.
  std::vector<PodUsage> pods{};
  std::vector<HostApplicationUsage> host_applications{};
  std::optional<MonoTime> newest{};  ///< of the node's newest measurement; the degrade time counts from it
};

}  // namespace evenkeel
