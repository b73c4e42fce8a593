// The part of features.h that asks the running kernel by trying: pressure triggers, counters, fanotify.
// May not: be asked about a host that is only a directory; its answers would be this machine's.
#pragma once

#include <string>

#include "cgroup/features/features.h"

namespace evenkeel::features {

void probe_kernel(const Host& host, std::vector<Capability>& out);

/// Asks for a counter of cycles: of this process, or of everybody on a CPU. 0: there is one; else errno.
int try_own_cycles();
int try_cpu_cycles(int cpu);
/// Why perf_event_open(2) was refused with this errno, in words.
std::string counter_unavailable_reason(int error);

}  // namespace evenkeel::features
