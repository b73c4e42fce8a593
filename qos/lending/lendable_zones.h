// Computes how much of each NUMA node can be lent to batch pods: the same sum per zone, with the system's
// part spread over all zones and each pod's over the zones assigned to it. Pure.
#pragma once

#include <string>
#include <vector>

#include "qos/lending/lendable.h"

namespace evenkeel::lending {

/// Capacity of a NUMA node (of memory without huge pages); zone i of the list is NUMA node i.
struct Zone {
  std::optional<MilliCpu> cpu{};
  std::optional<Bytes> memory{};
};

struct ZoneLendable {
  std::optional<MilliCpu> batch_cpu{};
  std::optional<Bytes> batch_memory{};
};

struct ZoneLendables {
  std::vector<ZoneLendable> zones{};  ///< one for each requested zone; empty: see below
  std::string unknown_reason{};
};

/// All zones or none: when one of them does not report both amounts, what the others can lend is unknown,
/// too.
ZoneLendables lendable_zones(const LendInput& input, const std::vector<Zone>& zones);

}  // namespace evenkeel::lending
