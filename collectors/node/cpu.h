// The CPU time that the node as a whole has used, and what its host kept from it, from /proc/stat.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace evenkeel::node {

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

}  // namespace evenkeel::node
