// Policy "memory-qos": memory.min and memory.low protect what services have requested, up to the top of the
// kubelet's tree, since the kernel grants a child no more than its parents have; memory.high slows down a
// container that grows towards its limit before the kernel has to kill it
// (Documentation/admin-guide/cgroup-v2.rst).
//
// Other than Koordinator's, it writes nothing where nothing is asked for (a percentage of zero), so that what
// the kubelet has set stays; never puts memory.high below what is in use, because the write itself would
// reclaim the difference; and raises it again when it stalls the container for most of the time.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "qos/decide/policy.h"
#include "qos/model/ids.h"
#include "qos/model/units.h"

namespace evenkeel::memory {

/// The containers that their own limit has stalled, and what they were given for it.
struct MemoryQosState {
  struct Container {
    MonoTime seen{};
    MonoTime judged{};                          ///< when the relief was last thought about
    std::optional<std::int64_t> high_events{};  ///< memory.events `high` then
    Percent relief{};                           ///< added to its throttling point
  };
  std::unordered_map<CgroupId, Container> containers{};
};

using MemoryQosPolicy = decide::Policy<MemoryQosState>;
extern const MemoryQosPolicy memory_qos_policy;

}  // namespace evenkeel::memory
