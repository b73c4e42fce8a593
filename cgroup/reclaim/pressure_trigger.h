// A pressure trigger (Documentation/accounting/psi.rst): an open pressure file that is urgent to poll
// (POLLPRI) once somebody has waited so long within a window. It lives as long as its descriptor; nothing is
// left of it. May not: wait.
#pragma once

#include <string>

#include "cgroup/base/fd.h"
#include "cgroup/base/host.h"
#include "cgroup/base/result.h"
#include "qos/model/units.h"

namespace evenkeel::reclaim {

/// `file` is relative to the host's root ("proc/pressure/cpu"). EINVAL: the kernel wants another window, see
/// shortest_window(); ENODEV: not a kernel's file; EOPNOTSUPP: pressure is switched off.
Result<Fd> open_pressure_trigger(const Host& host, const std::string& file, Duration stall, Duration window);

/// The shortest window from `wanted` up that the kernel gives us, found by trying on the node's CPU: 50 ms
/// from Linux 6.4, 500 ms before, both with CAP_SYS_RESOURCE; else 2 s from 6.5, before that none.
Result<Duration> shortest_window(const Host& host, Duration wanted);

}  // namespace evenkeel::reclaim
