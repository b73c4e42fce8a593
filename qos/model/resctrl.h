// What resctrl of this machine accepts: the lines of a schemata file with the legal values of each, and what
// was measured. Plain values (Documentation/arch/x86/resctrl.rst). Does not touch files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "qos/model/units.h"

namespace evenkeel {

/// What the number of a domain means.
enum class ResctrlUnit : std::uint8_t {
  ways,     ///< a bit mask of cache ways
  percent,  ///< of the memory bandwidth (Intel, MPAM)
  eighths,  ///< of a GB/s, absolute (AMD)
  other,    ///< a line that is left alone: mba_MBps, slow memory, or an unknown one
};

/// One line of schemata: a resource that is shared out, domain by domain (a cache and the CPUs at it).
struct ResctrlResource {
  std::string name{};  ///< "L3", "L3CODE", "L3DATA", "L2", "MB"
  ResctrlUnit unit = ResctrlUnit::other;
  std::uint64_t full = 0;               ///< all ways; the bandwidth that is no limit
  std::int64_t least = 1;               ///< the fewest ways; the smallest bandwidth
  std::int64_t step = 1;                ///< of bandwidth
  bool sparse = false;                  ///< ways with holes between them are legal
  std::uint64_t shared = 0;             ///< ways that other hardware uses too
  std::vector<std::int32_t> domains{};  ///< numbered by the kernel, possibly with gaps
  bool operator==(const ResctrlResource&) const = default;
};

struct ResctrlSystem {
  std::vector<ResctrlResource> resources{};  ///< in the order of schemata
  int max_groups = 0;                        ///< classes of service, the root's among them
  int other_groups = 0;                      ///< control groups of other processes
  bool operator==(const ResctrlSystem&) const = default;
};

/// What the tasks of one group use at one cache; absent: the kernel cannot say.
struct ResctrlUse {
  std::string group{};  ///< the directory's name; empty: the root's, which has all other tasks
  std::int32_t domain = 0;
  std::optional<Bytes> occupancy{};                       ///< of the last-level cache
  std::optional<Bytes> total_traffic{}, local_traffic{};  ///< since the group was made
};

}  // namespace evenkeel
