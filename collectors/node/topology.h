// Which CPUs are online and how they hang together: cores, sockets, NUMA nodes, last-level caches.
// The list of online CPUs is looked at each tick; the rest is read again only when that list changes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cgroup/base/host.h"
#include "qos/model/topology.h"

namespace evenkeel::node {

/// The "processor : N" lines of /proc/cpuinfo. Absent when there are none or one makes no sense.
std::optional<CpuSet> cpus_of_cpuinfo(std::string_view text);
/// The "cpuN" lines of /proc/stat.
std::optional<CpuSet> cpus_of_stat(std::string_view text);

/// What the machine says of its first CPU in /proc/cpuinfo: "model name", or what other architectures have in
/// its place (arm64: "IMPLEMENTER PART", hexadecimal numbers). Empty: nothing.
std::string cpu_model_of(std::string_view cpuinfo);

/// How the CPUs in `online` hang together, from sys/devices/system. What the machine does not say has one
/// meaning: a CPU is a core of its own, on socket 0, in NUMA node 0, and shares the cache of its socket.
CpuTopology read_topology(const Host& host, const CpuSet& online);

}  // namespace evenkeel::node
