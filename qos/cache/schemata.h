// Converts percentages to what the hardware accepts: masks of cache ways, units of memory bandwidth, and the
// lines of a schemata file. Arithmetic only.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "qos/model/pod.h"
#include "qos/model/resctrl.h"

namespace evenkeel::cache {

/// The ways between two percentages, each rounded up. Never fewer than the hardware's minimum: then the lower
/// end goes down first. Absent: nothing between them, or a mask with holes on hardware that does not allow
/// them.
std::optional<std::uint64_t> ways_between(const ResctrlResource& cache, Percent start, Percent end);
/// The last-level cache whose ways are shared out; null: there is none.
const ResctrlResource* shared_cache(const ResctrlSystem& system);
/// The end of a range of ways for `fewer` ways than up to `end`. Nothing is checked.
Percent end_for_fewer_ways(const ResctrlResource& cache, Percent end, std::int64_t fewer);
/// A percentage of the memory bandwidth in hardware units, rounded up to its steps. Absent: not within 1 to
/// 100.
std::optional<std::uint64_t> bandwidth_of(const ResctrlResource& memory, Percent percent);

/// Every schemata line that we set, with every domain in it; a domain that no part names gets everything.
/// Replaces `out`, which is empty where the machine supports no allocation.
void schemata_of(const ResctrlSystem& system, std::span<const ResctrlPart> parts, std::string& out);

}  // namespace evenkeel::cache
