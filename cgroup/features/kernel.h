// The capability rows found by trying system calls: PSI triggers, counters, fanotify. Does not support a host
// that is only a directory: the answers would be this machine's.
#pragma once

#include <string>

#include "cgroup/features/features.h"

namespace evenkeel::features {

void probe_kernel(const Host& host, std::vector<Capability>& out);

/// Tries to open a counter of cycles: of this process, or of all processes on a CPU. 0: it works; else errno.
int try_own_cycles();
int try_cpu_cycles(int cpu);
/// The message for an errno with which perf_event_open(2) was refused.
std::string counter_unavailable_reason(int error);

}  // namespace evenkeel::features
