// Whether an alarm is best effort's doing, and what cutting it would mean now: for the brake.
#pragma once

#include <optional>

#include "qos/snapshot.h"

namespace evenkeel {

/// A service waits, not by its own doing, and best effort may well be why. Anything not known: false.
bool besteffort_is_why(const NodeSnapshot& node, const NodeSlo& slo, const Alarm& alarm);

/// What best effort would keep of the CPU. Absent: it has no more now, or nobody can say.
std::optional<MilliCpu> cpu_to_keep(const NodeSnapshot& node, const BrakeSettings& settings);

/// The same of memory, of which it has `used`.
std::optional<Bytes> memory_to_keep(const NodeSnapshot& node, const NodeSlo& slo, Bytes used);

}  // namespace evenkeel
