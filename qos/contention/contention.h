// Policy "contention": whether services wait on this node for a reason that is not their own, so that the
// scheduler should send work elsewhere.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "qos/decide/policy.h"
#include "qos/model/ids.h"
#include "qos/model/task_measurements.h"
#include "qos/model/units.h"

namespace evenkeel::contention {

// Follows the pressure of services (PSI some, the kernel's average over a minute) and leaves out what their
// own limits explain: throttling by a CPU quota, a memory limit that is nearly reached, a limit on a disk.
// Sets no lever, and does not publish what it found (agent/kube/node does).

/// In the order of Contended: the stall of a service in percent of the time, without what its own limits
/// explain. Absent: unknown.
using StallPercents = std::array<std::optional<double>, kContendedCount>;

struct ContentionState {
  struct Service {
    MonoTime seen{};
    /// Throttled time, in percent of the time, averaged as the kernel averages pressure over a minute. Times
    /// of several CPUs add up, so it explains rather more than less. Absent: not known yet.
    std::optional<double> throttled_percent{};
    StallPercents stalls{};  ///< of this tick
  };
  std::unordered_map<CgroupId, Service> services{};
  StallPercents stalls{};                ///< of the service that waits most
  std::optional<Contended> contended{};  ///< what is to be published; the cause stays as long as it lasts
  bool changed = false;                  ///< in this tick
  std::optional<MonoTime> otherwise_since{};  ///< since when the measurements say the opposite
};

using ContentionPolicy = decide::Policy<ContentionState>;
extern const ContentionPolicy contention_policy;

/// Of the service pod with this uid; null: not known.
const StallPercents* stalls_of(const NodeSnapshot& node, std::string_view uid, const ContentionState& state);

/// Contention ends below this part of the threshold at which it began.
inline constexpr double kEndsBelow = 0.75;

}  // namespace evenkeel::contention
