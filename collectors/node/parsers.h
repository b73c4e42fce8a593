// Parsers of the node's own files: /proc/stat, /proc/meminfo, pressure files and the CPU topology. Absent
// means that the text is not in the kernel's format.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cgroup/base/host.h"
#include "qos/model/snapshot.h"
#include "qos/model/topology.h"

namespace evenkeel::node {

// The CPU time used by the whole node, and its steal time, from /proc/stat.

/// The aggregate line, in clock ticks.
struct CpuTicks {
  /// user + nice + system + irq + softirq. Idle, iowait, steal and guest time (already inside user) are not
  /// use.
  std::int64_t used = 0;
  /// The hypervisor ran something else while this machine wanted the CPU (steal); absent on old kernels.
  std::optional<std::int64_t> stolen{};
};
/// Absent if the text is not in the kernel's format.
std::optional<CpuTicks> cpu_ticks(std::string_view proc_stat);

/// The line "processes": processes and threads that were started since boot. Absent: there is no such line.
std::optional<std::int64_t> tasks_started(std::string_view proc_stat);

/// One of the lines "cpuN".
struct CpuUse {
  CpuId cpu = 0;
  std::int64_t ticks = 0;  ///< as CpuTicks::used
};
/// The CPUs that are online, in the file's order. A line that is not in the kernel's format is left out.
std::vector<CpuUse> use_of_each_cpu(std::string_view proc_stat);

/// The clock ticks of /proc/stat (USER_HZ) as time.
CpuTime time_of_ticks(std::int64_t ticks);

// The node's memory: total, available, and reserved by huge page pools.

/// /proc/meminfo. Absent without a plausible MemTotal and MemAvailable (the latter since 3.14). `hugepages`
/// covers the default size only, as the file does.
std::optional<NodeMemory> parse_meminfo(std::string_view text);

/// The page size in a directory name of sys/kernel/mm/hugepages: "hugepages-2048kB" is 2 MiB.
std::optional<Bytes> hugepage_size(std::string_view directory);

// NUMA nodes.

/// The directory of the NUMA nodes: "node0", "node1", …
inline const std::string kNumaNodes = "sys/devices/system/node";

/// The value of one line of a NUMA node's meminfo: 16 GiB for "MemTotal:" and "Node 0 MemTotal: 16777216 kB".
/// Absent: there is no such line, or it is not in the kernel's format.
std::optional<Bytes> numa_meminfo(std::string_view text, std::string_view name);

// The kernel's scheduler.

/// By the kernel's release ("6.12.9-amd64"): EEVDF replaced CFS in Linux 6.6.
FairScheduler fair_scheduler_of(std::string_view release);

// Pressure stall information: the same three files for the machine and for each cgroup.

/// "some avg10=0.00 avg60=0.00 avg300=0.00 total=0" and the same with "full", which old kernels omit for the
/// CPU. Absent for anything else.
std::optional<Pressure> parse_pressure(std::string_view text);

// Which CPUs are online, and their topology: cores, sockets, NUMA nodes, last-level caches. The list of
// online CPUs is checked each tick; the rest is read again only when that list changes.

/// The number in a name of sysfs: 12 for "cpu12" and the prefix "cpu". Absent: another name ("cpufreq").
std::optional<std::int64_t> number_in_name(std::string_view name, std::string_view prefix);

/// The "processor : N" lines of /proc/cpuinfo. Absent if there are none or one cannot be parsed.
std::optional<CpuSet> cpus_of_cpuinfo(std::string_view text);
/// The "cpuN" lines of /proc/stat.
std::optional<CpuSet> cpus_of_stat(std::string_view text);

/// The model of the first CPU in /proc/cpuinfo: "model name", or its equivalent on other architectures
/// (arm64: "IMPLEMENTER PART", hexadecimal numbers). Empty if there is none.
std::string cpu_model_of(std::string_view cpuinfo);
/// Who made it: "GenuineIntel". Empty if there is no such line, as on arm64.
std::string cpu_vendor_of(std::string_view cpuinfo);

/// Whether Intel's driver lets CPUs exceed their nominal frequency, by its file intel_pstate/no_turbo.
/// Absent: not a number that the kernel writes there.
std::optional<bool> turbo_enabled(std::string_view no_turbo);

/// The topology of the CPUs in `online`, from sys/devices/system. Defaults for missing files: a CPU is a core
/// of its own, on socket 0, in NUMA node 0, and shares the cache of its socket.
CpuTopology read_topology(const Host& host, const CpuSet& online);

}  // namespace evenkeel::node
