// Reads what the resctrl file system can do (at first, and again when the root's schemata or the number of
// groups changes) and what its groups use. Does not keep files open there, because that would block an
// unmount.
#pragma once

#include <cstdint>
#include <optional>

#include "cgroup/base/host.h"
#include "qos/model/resctrl.h"

namespace evenkeel::devices {

/// Everything below info/ that decides what may be written, and the domains of the root's schemata. Absent:
/// not mounted, or not understood.
std::optional<ResctrlSystem> read_resctrl(const Host& host);

}  // namespace evenkeel::devices
