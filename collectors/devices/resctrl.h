// The resctrl file system: what it can do, read at first sight and again when the root's schemata or the
// number of groups changes, and what its groups use. May not: keep a file open there, or nobody could unmount
// it.
#pragma once

#include <cstdint>
#include <optional>

#include "cgroup/base/host.h"
#include "qos/model/resctrl.h"

namespace evenkeel::devices {

/// Everything below info/ that decides what may be written, and the domains of the root's schemata. Absent:
/// not mounted, or it makes no sense.
std::optional<ResctrlSystem> read_resctrl(const Host& host);

}  // namespace evenkeel::devices
