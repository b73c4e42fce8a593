// Policy "disk-suppress": limits best effort on a disk for which services wait.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "qos/decide/policy.h"
#include "qos/io/service_stalls.h"

namespace evenkeel::io {

// When services wait for disks or for a CPU, best effort waits for disks and a disk is busy, best effort is
// limited on that disk to a small part of what the disk carried. If no service then waits much less, the
// limit was of no use: it is lifted and not tried again on that disk for some time. If one does, the limit
// grows step by step as long as that service does not wait longer. Of a service that waits for a CPU only,
// more is asked: a limit costs best effort most of the disk, and those waits may have other reasons.
//
// Why so small a part: a request of a service waits for all that is on its way to the disk before it, and an
// fsync(2) of best effort brings megabytes at once. Half as many of them make half as many requests slow, but
// those as slow as before (docs/measured-levers.md).
//
// The waits are those that the kernel measures (PSI some, Documentation/accounting/psi.rst). Where it does
// not, nothing is limited. They include those for a CPU, since what the kernel copies, maps and writes for
// best effort keeps a CPU from a service as well. Does not know which service is on which disk: that the
// waits get shorter shows it.

/// A service that waits less since best effort is limited. Waits are in thousandths of the time: for disks
/// and for a CPU together, or for a CPU only, where the service waited too little for disks before: little is
/// mostly for its own requests, and a limit on best effort does not take that away.
struct RelievedService {
  CgroupId cgroup{};
  bool for_disks = false;     ///< it waited long enough for disks
  std::int64_t enough = 0;    ///< the most with which the limit is worth its cost
  std::int64_t relieved = 0;  ///< with the limit at its lowest
  [[nodiscard]] std::int64_t part(const Waits& waits) const { return for_disks ? waits.all() : waits.cpu; }
};

struct DiskSuppressState {
  /// In which waits and the use of disks are measured.
  struct Window {
    MonoTime began{};
    std::vector<ServiceStall> services{};
    std::optional<ServiceStall> besteffort{};
    std::vector<DiskUse> disks{};
    MonoTime disks_read{};
  };
  /// On the disk that is limited.
  struct Limit {
    DiskNumber disk = 0;
    Bytes carried{};                    ///< by the disk in a second, before the limit
    std::int64_t carried_requests = 0;  ///< the same
    std::int64_t share = 0;             ///< of that for best effort, in thousandths
    Percent waited{};                   ///< by the service that waited most, before the limit
    bool has_helped = false;            ///< known since the first window with the limit
    MonoTime next_step{};               ///< it does not grow before
    Duration pause = kShortestPause;    ///< before the next step, once one made services wait longer
    static constexpr Duration kShortestPause = std::chrono::minutes(1);
  };
  /// A disk on which a limit was of no use.
  struct Useless {
    DiskNumber disk = 0;
    MonoTime until{};           ///< not tried again before
    Duration rest = kShortest;  ///< for so long, the last time
    static constexpr Duration kShortest = std::chrono::minutes(10), kLongest = std::chrono::hours(2);
  };
  Window window{};
  bool measures = false;   ///< the window has begun
  MonoTime next_window{};  ///< none begins before
  std::optional<Limit> limit{};
  std::vector<RelievedService> services{};  ///< of the limit
  std::vector<ServiceStall> now{};          ///< scratch memory
  std::vector<Useless> useless{};           ///< within the last hours
};

using DiskSuppressPolicy = decide::Policy<DiskSuppressState, decide::ReadsPrevious<decide::LeversOnTrial>>;
extern const DiskSuppressPolicy disk_suppress_policy;

}  // namespace evenkeel::io
