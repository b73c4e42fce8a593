// From percentages to what the hardware takes: masks of cache ways, units of memory bandwidth, and the lines
// of a schemata file. Arithmetic only.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "qos/model/pod.h"
#include "qos/model/resctrl.h"

namespace evenkeel::cache {

/// The ways between two percentages, each rounded up. Never fewer than the hardware's least: then the lower
/// end goes down first. Absent: nothing between them, or ways with holes that may not have any.
std::optional<std::uint64_t> ways_between(const ResctrlResource& cache, Percent start, Percent end);
/// The last-level cache whose ways are shared out; null: there is none.
const ResctrlResource* shared_cache(const ResctrlSystem& system);
/// Where a range of ways has to end for `fewer` ways than up to `end`. Nothing is checked.
Percent end_for_fewer_ways(const ResctrlResource& cache, Percent end, std::int64_t fewer);
/// A percentage of the memory bandwidth as the hardware counts it, rounded up to its steps. Absent: not
/// within 1 to 100.
std::optional<std::uint64_t> bandwidth_of(const ResctrlResource& memory, Percent percent);

/// Every line that we set, every domain in it; what no part names is given whole. Replaces `out`, which is
/// empty where the machine has nothing to share out.
void schemata_of(const ResctrlSystem& system, std::span<const ResctrlPart> parts, std::string& out);

}  // namespace evenkeel::cache
