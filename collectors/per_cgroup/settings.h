// The settings that the kernel holds, read back into Applied: what policies and explain go by.
#pragma once

#include "collectors/per_cgroup/reading.h"

namespace evenkeel::per_cgroup {

/// v1 cpu.cfs_period_us. Read before the quota.
void parse_cfs_period(Text text, CgroupReading& reading);
/// v1 cpu.cfs_quota_us, v2 cpu.max with its period.
void parse_cpu_limit(Text text, CgroupReading& reading);
void parse_cpu_burst(Text text, CgroupReading& reading);
void parse_cpu_shares(Text text, CgroupReading& reading);
void parse_cpu_idle(Text text, CgroupReading& reading);
void parse_cpus(Text text, CgroupReading& reading);
/// v2 cpuset.cpus.effective: what is left of the wish, or inherited.
void parse_cpus_effective(Text text, CgroupReading& reading);

/// Of any plain knob.
void parse_plain(Knob knob, Text text, CgroupReading& reading);

}  // namespace evenkeel::per_cgroup
