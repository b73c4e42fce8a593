// The settings that the kernel holds, read back into Applied: what policies and explain go by.
#pragma once

#include "collectors/cgroup_reading.h"

namespace evenkeel {

/// v1 cpu.cfs_period_us. Read before the quota.
void parse_cfs_period(Text text, CgroupReading& reading);
/// v1 cpu.cfs_quota_us, v2 cpu.max with its period.
void parse_cpu_limit(Text text, CgroupReading& reading);
void parse_cpu_burst(Text text, CgroupReading& reading);
void parse_cpu_shares(Text text, CgroupReading& reading);
void parse_cpu_idle(Text text, CgroupReading& reading);
void parse_cpu_bvt(Text text, CgroupReading& reading);
void parse_cpus(Text text, CgroupReading& reading);
/// v2 cpuset.cpus.effective: what is left of the wish, or inherited.
void parse_cpus_effective(Text text, CgroupReading& reading);

/// memory.min, memory.low and memory.high: v2, and v1 of vendor kernels.
std::optional<Bytes> memory_setting(Knob knob, Text text, const CgroupReading& reading);
template <Knob kKnob, std::optional<Bytes> Applied::*Member>
void parse_memory_setting(Text text, CgroupReading& reading) {
  reading.sample.applied.*Member = memory_setting(kKnob, text, reading);
}
/// memory.oom.group: likewise.
void parse_memory_oom_group(Text text, CgroupReading& reading);

}  // namespace evenkeel
