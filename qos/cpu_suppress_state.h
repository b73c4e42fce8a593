// What CPU suppression remembers between ticks: the targets of the last seconds, when the allowance last
// changed, and what the best-effort cgroups that had to be narrowed along were allowed before.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <unordered_map>

#include "qos/cpu_set.h"
#include "qos/ids.h"
#include "qos/units.h"

namespace evenkeel {

struct CpuSuppressState {
  /// Targets that lie close together in time share a slot, so that a fixed ring spans any window.
  struct Slot {
    MonoTime first{}, last{};
    MilliCpu lowest{}, highest{};
  };
  std::array<Slot, 64> recent{};  ///< ring, newest at (next - 1)
  std::size_t next = 0, count = 0;
  std::optional<MonoTime> changed{};  ///< when the allowance last changed
  bool climbing = false;              ///< the last change was a rise that the growth limit cut short

  std::optional<CpuSet> chosen{};  ///< policy cpuset: the CPUs that were asked for last

  struct Narrowed {
    QuotaTime original{};
    Duration period{};
    MonoTime seen{};
  };
  std::unordered_map<CgroupId, Narrowed> narrowed{};
};

}  // namespace evenkeel
