// Parsers of the node's own files: /proc/stat, /proc/meminfo, pressure files and the CPU topology. Absent
// means that the text is not what the kernel prints.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cgroup/base/host.h"
#include "qos/model/snapshot.h"
#include "qos/model/topology.h"

namespace evenkeel::node {

// The CPU time that the node as a whole has used, and what its host kept from it, from /proc/stat.

/// Of the aggregate line, in clock ticks.
struct CpuTicks {
  /// user + nice + system + irq + softirq. Waiting (idle, iowait), what is stolen and guest time (already
  /// inside user) are not use.
  std::int64_t used = 0;
  /// The hypervisor ran somebody else while this machine wanted the CPU (steal); absent: old kernels do not
  /// say.
  std::optional<std::int64_t> stolen{};
};
/// Absent if the text is not what the kernel writes.
std::optional<CpuTicks> cpu_ticks(std::string_view proc_stat);

// The node's memory: what there is, what could be had, and what huge page pools keep for themselves.

/// /proc/meminfo. Absent without a MemTotal and a MemAvailable that make sense (the latter since 3.14).
/// `hugepages` is that of the default size only: the file knows no other.
std::optional<NodeMemory> parse_meminfo(std::string_view text);

/// The page size in a directory name of sys/kernel/mm/hugepages: "hugepages-2048kB" is 2 MiB.
std::optional<Bytes> hugepage_size(std::string_view directory);

// Pressure stall information: the same three files for the machine and for each cgroup.

/// "some avg10=0.00 avg60=0.00 avg300=0.00 total=0" and the same with "full", which old kernels leave out for
/// the CPU. Absent for anything else.
std::optional<Pressure> parse_pressure(std::string_view text);

// Which CPUs are online and how they hang together: cores, sockets, NUMA nodes, last-level caches.
// The list of online CPUs is looked at each tick; the rest is read again only when that list changes.

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
