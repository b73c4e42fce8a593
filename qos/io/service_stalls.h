// What cgroups wait for disks and for a CPU, as the kernel measures it (PSI some), between two moments.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "qos/model/snapshot.h"

namespace evenkeel::io {

/// What a cgroup has waited until a moment.
struct Stalled {
  Duration total{};
  MonoTime at{};
};
struct ServiceStall {
  CgroupId cgroup{};
  Stalled disks{}, cpu{};
};
/// Parts of the time, in thousandths.
struct Waits {
  std::int64_t disks = 0, cpu = 0;
  [[nodiscard]] std::int64_t all() const { return disks + cpu; }
};

/// Absent: one of both is not known.
std::optional<ServiceStall> stall_of(const CgroupSample* cgroup);
/// Of each service whose waits are known.
void stalls_of_services(const NodeSnapshot& node, std::vector<ServiceStall>& out);
std::optional<ServiceStall> find(const std::vector<ServiceStall>& stalls, CgroupId cgroup);

/// Between two readings. Absent: one of them is not known or is of another cgroup, or they are less than
/// four seconds apart.
std::optional<Waits> waited(const std::optional<ServiceStall>& before,
                            const std::optional<ServiceStall>& now);

/// `some` of `time`, in thousandths.
std::int64_t part_of_time(Duration some, Duration time);
/// What a cgroup waited is not judged over a shorter time.
inline constexpr Duration kShortestMeasure = std::chrono::seconds(4);

}  // namespace evenkeel::io
