// The part of features.h that asks the running kernel by trying: pressure triggers, counters, fanotify.
// May not: be asked about a host that is only a directory; its answers would be this machine's.
#pragma once

#include "cgroup/features.h"

namespace evenkeel {

void probe_kernel(const Host& host, std::vector<Capability>& out);

}  // namespace evenkeel
