// What CPU suppression remembers between ticks: the targets of the last seconds, when the allowance last
// changed, how it is divided, and what the best-effort cgroups that had to be narrowed along were allowed
// before.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <unordered_map>
#include <vector>

#include "qos/model/cpu_set.h"
#include "qos/model/ids.h"
#include "qos/model/snapshot.h"
#include "qos/model/units.h"

namespace evenkeel::suppress {

/// One of the places in which best effort lives: the BestEffort directory, or a host application outside.
struct SuppressShare {
  CgroupId place{};
  bool directory = false;
  CpuLimit own{};       ///< what the application's owner set; its part is never more
  CpuLimit in_force{};  ///< what the kernel held when last seen
  std::optional<QuotaTime> asked{};
  MilliCpu granted{};  ///< its part of the allowance
  MonoTime born{}, seen{};
  bool measured = false;            ///< its use was known at least once
  MilliCpu peak{}, earlier_peak{};  ///< of its use, since `watched` and in the time before
  MonoTime watched{};

  // Of this decision:
  std::optional<MilliCpu> use{};
  MilliCpu least{}, most{};
  MilliCpu taken{};  ///< what it uses while the kernel does not hold it to its part
  MilliCpu demand{};
  MilliCpu next{};  ///< its part, if the allowance is divided now
  bool hungry = false;
};

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

  std::vector<SuppressShare> shares{};  ///< empty while best effort lives nowhere but in its directory
  std::optional<MilliCpu> shared{};     ///< what they have together
  MonoTime divided{};                   ///< when the parts last changed
  bool regroup = false;                 ///< who has a part, or may have, is not as when they were made

  std::optional<CpuSet> chosen{};  ///< policy cpuset: the CPUs that were asked for last

  /// The brake narrows too: what either has asked for is nobody's original.
  struct Narrowed {
    QuotaTime original{}, asked{};
    Duration period{};
    MonoTime seen{};
  };
  std::unordered_map<CgroupId, Narrowed> narrowed{};
  MonoTime narrowing{};  ///< when somebody last narrowed
};

}  // namespace evenkeel::suppress
