// Parsers of cgroup files: each turns the text of one file into its members of one sample, or makes them
// absent.
#pragma once

#include <optional>
#include <string_view>

#include "cgroup/tree/layout.h"
#include "collectors/base/reading.h"
#include "qos/model/snapshot.h"

namespace evenkeel::per_cgroup {

// A parser sets all of its members every time: to what the text says, or to absent.

/// The content of a file; absent if it does not exist or could not be read.
using Text = std::optional<std::string_view>;

/// The state of a cgroup that parsers keep from tick to tick.
struct CgroupMemory {
  collectors::Counter cpu_time{};
  collectors::Counter periods{}, throttled_periods{}, throttled_time{}, bursts{}, burst_time{};
  std::optional<Duration> quota_period{};  ///< v1: in a separate file, read before the quota
};

struct CgroupReading {
  const tree::Layout& layout;
  MonoTime now;
  std::optional<Duration> since_previous;
  CgroupMemory& memory;
  CgroupSample& sample;
};

using ParseFile = void (*)(Text text, CgroupReading& reading);

// CPU time and CFS bandwidth of a cgroup, as increases since the previous tick, and its CPU time in the
// kernel.

/// v1 cpuacct.usage: nanoseconds.
void parse_cpuacct_usage(Text text, CgroupReading& reading);
/// v1 cpuacct.stat: CPU time in the kernel, in hundredths of a second.
void parse_cpuacct_stat(Text text, CgroupReading& reading);
/// v1 cpu.stat: bandwidth only.
void parse_cpu_stat_v1(Text text, CgroupReading& reading);
/// v2 cpu.stat: use, and bandwidth where the cpu controller is enabled (there are no nr_ lines without it).
void parse_cpu_stat_v2(Text text, CgroupReading& reading);

// Memory of a cgroup including its descendants. memory.stat is the most expensive file (7 us, others 1 us),
// so its values stay until the next reading.

/// v1 memory.usage_in_bytes, v2 memory.current. Read before memory.stat.
void parse_memory_current(Text text, CgroupReading& reading);
/// v1: the total_ lines, which include the descendants.
void parse_memory_stat_v1(Text text, CgroupReading& reading);
void parse_memory_stat_v2(Text text, CgroupReading& reading);
/// v2 memory.events.
void parse_memory_events(Text text, CgroupReading& reading);
/// v1 memory.oom_control: resets the events to those that v1 counts. Read before memory.failcnt.
void parse_oom_control(Text text, CgroupReading& reading);
/// v1 memory.failcnt: how often the limit was hit, as `max` does on v2.
void parse_failcnt(Text text, CgroupReading& reading);

// The settings that the kernel holds, read back into Applied for the policies and for explain.

/// v1 cpu.cfs_period_us. Read before the quota.
void parse_cfs_period(Text text, CgroupReading& reading);
/// v1 cpu.cfs_quota_us, v2 cpu.max with its period.
void parse_cpu_limit(Text text, CgroupReading& reading);
void parse_cpu_burst(Text text, CgroupReading& reading);
void parse_cpu_shares(Text text, CgroupReading& reading);
void parse_cpu_idle(Text text, CgroupReading& reading);
void parse_cpus(Text text, CgroupReading& reading);
/// v2 cpuset.cpus.effective: the CPUs actually granted, possibly inherited.
void parse_cpus_effective(Text text, CgroupReading& reading);

/// Any plain knob.
void parse_plain(Knob knob, Text text, CgroupReading& reading);

}  // namespace evenkeel::per_cgroup
