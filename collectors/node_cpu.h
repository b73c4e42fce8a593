// The CPU time that the node as a whole has used, from /proc/stat.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace evenkeel {

/// user + nice + system + irq + softirq of the aggregate line, in clock ticks. Waiting (idle, iowait), the
/// hypervisor's share (steal) and guest time (already inside user) are not use. Absent if the text is not
/// what the kernel writes.
std::optional<std::int64_t> used_ticks(std::string_view proc_stat);

}  // namespace evenkeel
