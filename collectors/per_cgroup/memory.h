// Memory of a cgroup and of all beneath it. memory.stat is the dearest file of all (7 us where others take
// one), so what comes from it keeps its value until the next reading.
#pragma once

#include "collectors/per_cgroup/reading.h"

namespace evenkeel::per_cgroup {

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

}  // namespace evenkeel::per_cgroup
