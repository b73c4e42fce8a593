// What each NUMA node has used, for reports that name them. Not for ticks: it opens files and allocates.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "cgroup/base/host.h"
#include "qos/model/topology.h"
#include "qos/model/units.h"

namespace evenkeel::node {

struct NumaReading {
  int node = 0;                       ///< its number
  CpuSet cpus{};                      ///< those of its CPUs that are online
  std::optional<CpuTime> cpu_time{};  ///< they were in use, since the machine started
  /// In use now: MemTotal without MemFree, Active(file), Inactive(file) and SReclaimable, as Koordinator has
  /// it. Not the node's MemTotal - MemAvailable, which the kernel does not give per NUMA node.
  std::optional<Bytes> memory{};
  bool operator==(const NumaReading&) const = default;
};

/// Of each NUMA node with CPUs or memory, ascending by number (sys/devices/system/node, proc/stat). Empty
/// where the kernel has no NUMA. What cannot be read is absent.
std::vector<NumaReading> numa_readings(const Host& host);

/// How much of a cgroup's memory is in one NUMA node, from its memory.numa_stat: active_anon, inactive_anon
/// and unevictable, which is what Koordinator calls the use of a pod. Includes the cgroups below. Absent: the
/// text is not in the format of either cgroup version, or does not name the NUMA node.
std::optional<Bytes> anonymous_in(std::string_view numa_stat, int node);

}  // namespace evenkeel::node
