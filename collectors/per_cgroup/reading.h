// Parsers of cgroup files: each turns the text of one file into its members of one sample, to what the text
// says or to absent.
#pragma once

#include <optional>
#include <string_view>

#include "cgroup/tree/layout.h"
#include "collectors/base/counter.h"
#include "qos/model/snapshot.h"

namespace evenkeel::per_cgroup {

// What the parsers of cgroup files share: each turns the text of one file into its members of one sample.
// A parser sets all of its members every time: to what the text says, or to absent.

/// The content of a file; absent when it is not there or could not be read.
using Text = std::optional<std::string_view>;

/// What has to be remembered of a cgroup from tick to tick.
struct CgroupMemory {
  collectors::Counter cpu_time{};
  collectors::Counter periods{}, throttled_periods{}, throttled_time{}, bursts{}, burst_time{};
  std::optional<Duration> quota_period{};  ///< v1: a file of its own, read before the quota
};

struct CgroupReading {
  const tree::Layout& layout;
  MonoTime now;
  std::optional<Duration> since_previous;
  CgroupMemory& memory;
  CgroupSample& sample;
};

using ParseFile = void (*)(Text text, CgroupReading& reading);

// CPU time and CFS bandwidth of a cgroup: increases since the previous tick; and its time in the kernel.

/// v1 cpuacct.usage: nanoseconds.
void parse_cpuacct_usage(Text text, CgroupReading& reading);
/// v1 cpuacct.stat: time in the kernel, in hundredths of a second.
void parse_cpuacct_stat(Text text, CgroupReading& reading);
/// v1 cpu.stat: bandwidth only.
void parse_cpu_stat_v1(Text text, CgroupReading& reading);
/// v2 cpu.stat: use, and bandwidth where the cpu controller is enabled (there are no nr_ lines without it).
void parse_cpu_stat_v2(Text text, CgroupReading& reading);

// Memory of a cgroup and of all beneath it. memory.stat is the dearest file of all (7 us where others take
// one), so what comes from it keeps its value until the next reading.

/// v1 memory.usage_in_bytes, v2 memory.current. Read before memory.stat.
void parse_memory_current(Text text, CgroupReading& reading);
/// v1: the total_ lines, which include the cgroups beneath.
void parse_memory_stat_v1(Text text, CgroupReading& reading);
void parse_memory_stat_v2(Text text, CgroupReading& reading);
/// v2 memory.events.
void parse_memory_events(Text text, CgroupReading& reading);
/// v1 memory.oom_control: begins the events that v1 counts. Read before memory.failcnt.
void parse_oom_control(Text text, CgroupReading& reading);
/// v1 memory.failcnt: how often the limit was hit, as `max` does on v2.
void parse_failcnt(Text text, CgroupReading& reading);

// The settings that the kernel holds, read back into Applied: what policies and explain go by.

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
