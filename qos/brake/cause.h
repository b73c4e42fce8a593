// Decides for the brake whether best effort caused an alarm, and what cutting it would mean now.
#pragma once

#include <optional>

#include "qos/model/snapshot.h"

namespace evenkeel::brake {

/// A service waits, not because of its own quotas, and best effort may well be the cause. False if anything
/// is not known.
bool besteffort_is_cause(const NodeSnapshot& node, const NodeSlo& slo, const Alarm& alarm);

/// The CPU limit of best effort in force. Absent: it is unknown or must not be changed.
std::optional<MilliCpu> besteffort_cpu_limit(const NodeSnapshot& node);

/// The least CPU that best effort keeps, so that its pods' probes are answered: its share for each pod that
/// runs, and one for all the others together.
MilliCpu least_cpu(const NodeSnapshot& node, const BrakeSettings& settings);

/// The CPU limit that best effort would keep. Absent: it has no more now, or that is unknown.
std::optional<MilliCpu> braked_cpu_limit(const NodeSnapshot& node, const BrakeSettings& settings);

/// The same for memory, of which it has `used`.
std::optional<Bytes> braked_memory_limit(const NodeSnapshot& node, const NodeSlo& slo, Bytes used);

}  // namespace evenkeel::brake
