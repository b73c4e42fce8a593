// Opens a PSI trigger (Documentation/accounting/psi.rst): an open pressure file that polls as urgent
// (POLLPRI) once tasks have stalled for the given time within a window. Does not wait. The trigger ends with
// its descriptor and leaves nothing behind.
#pragma once

#include <string>

#include "cgroup/base/host.h"
#include "cgroup/base/result.h"
#include "qos/model/units.h"

namespace evenkeel::reclaim {

/// `file` is relative to the host's root ("proc/pressure/cpu"). EINVAL: the kernel requires another window,
/// see shortest_window(); ENODEV: not a kernel's file; EOPNOTSUPP: PSI is switched off.
Result<Fd> open_pressure_trigger(const Host& host, const std::string& file, Duration stall, Duration window);

/// The shortest window of at least `wanted` that the kernel accepts, found by trying on the node's CPU: 50 ms
/// from Linux 6.4, 500 ms before, both with CAP_SYS_RESOURCE; else 2 s from 6.5, before that none.
Result<Duration> shortest_window(const Host& host, Duration wanted);

}  // namespace evenkeel::reclaim
