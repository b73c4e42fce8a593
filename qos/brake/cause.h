// Whether an alarm is best effort's doing, and what cutting it would mean now: for the brake.
#pragma once

#include <optional>

#include "qos/model/snapshot.h"

namespace evenkeel::brake {

/// A service waits, not by its own doing, and best effort may well be why. Anything not known: false.
bool besteffort_is_cause(const NodeSnapshot& node, const NodeSlo& slo, const Alarm& alarm);

/// What best effort may use of the CPU as things are. Absent: nobody can say, or nobody may cut it.
std::optional<MilliCpu> besteffort_cpu_limit(const NodeSnapshot& node);

/// What best effort keeps of the CPU at least, so that its pods' probes are answered: its share for each pod
/// that works, and one for all the others together.
MilliCpu least_cpu(const NodeSnapshot& node, const BrakeSettings& settings);

/// What best effort would keep of the CPU. Absent: it has no more now, or nobody can say.
std::optional<MilliCpu> braked_cpu_limit(const NodeSnapshot& node, const BrakeSettings& settings);

/// The same of memory, of which it has `used`.
std::optional<Bytes> braked_memory_limit(const NodeSnapshot& node, const NodeSlo& slo, Bytes used);

}  // namespace evenkeel::brake
