// Policy "memory-qos": memory.min and memory.low protect what services have requested, up to the top of the
// kubelet's tree, because the kernel protects a child no more than its parents; memory.high throttles a
// container that grows towards its limit before the kernel has to kill it
// (Documentation/admin-guide/cgroup-v2.rst).
//
// Unlike Koordinator, it writes nothing where nothing is configured (a percentage of zero), so that the
// kubelet's values stay; never puts memory.high below what is in use, because the write itself would reclaim
// the difference; and raises it again when it stalls the container for most of the time.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "qos/decide/policy.h"
#include "qos/model/ids.h"
#include "qos/model/units.h"

namespace evenkeel::memory {

/// The containers that were stalled by their own limit, and their relief.
struct MemoryQosState {
  struct Container {
    MonoTime seen{};
    MonoTime judged{};                          ///< when the relief was last evaluated
    std::optional<std::int64_t> high_events{};  ///< memory.events `high` at that time
    Percent relief{};                           ///< added to its throttling point
  };
  std::unordered_map<CgroupId, Container> containers{};
};

using MemoryQosPolicy = decide::Policy<MemoryQosState>;
extern const MemoryQosPolicy memory_qos_policy;

}  // namespace evenkeel::memory
