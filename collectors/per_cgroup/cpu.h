// CPU time and CFS bandwidth of a cgroup: increases since the previous tick; and its time in the kernel.
#pragma once

#include "collectors/per_cgroup/reading.h"

namespace evenkeel::per_cgroup {

/// v1 cpuacct.usage: nanoseconds.
void parse_cpuacct_usage(Text text, CgroupReading& reading);
/// v1 cpuacct.stat: time in the kernel, in hundredths of a second.
void parse_cpuacct_stat(Text text, CgroupReading& reading);
/// v1 cpu.stat: bandwidth only.
void parse_cpu_stat_v1(Text text, CgroupReading& reading);
/// v2 cpu.stat: use, and bandwidth where the cpu controller is enabled (there are no nr_ lines without it).
void parse_cpu_stat_v2(Text text, CgroupReading& reading);

}  // namespace evenkeel::per_cgroup
