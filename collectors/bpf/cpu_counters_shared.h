// What the counting program in the kernel and its reader in collectors/ share: the tables' rows, and the
// arithmetic that can be tested without a kernel. C and C++ alike.
#pragma once

#include "collectors/bpf/watched_shared.h"

enum {
  kCountedEvents = 5,  // at most, on each CPU
};

/// What the program is told before it is loaded.
struct CountShape {
  unsigned int slots;    ///< in use are 1 … slots - 1
  unsigned int cpus;     ///< possible ones
  unsigned int unified;  ///< cgroups are those of v2; else of the v1 hierarchy with the cpu controller
  unsigned int events;   ///< on each CPU
};

/// All counters of a CPU at one moment.
struct CounterReading {
  unsigned long long enabled_ns;              ///< since they were opened
  unsigned long long running_ns;              ///< of it, while there were counters for them
  unsigned long long counts[kCountedEvents];  ///< in the order in which they were opened
};

/// Of one cgroup on one CPU, since the program was loaded. Written by that CPU alone.
struct CountCell {
  struct CounterReading sum;
  unsigned long long lost;  ///< times on the CPU of which nothing is known
};

struct CountRow {
  struct CounterReading mark;  ///< when `slot` got the CPU, or was last accounted for
  unsigned int slot;           ///< who has the CPU since
  unsigned int marked;         ///< there is a mark
  struct KnownCgroup known[kKnownCgroups];
};

/// Adds what was counted between two readings. A counter that went back has been opened anew or has wrapped
/// around: then nothing is known, and that is what is counted.
static inline void add_counted(struct CountCell* cell, const struct CounterReading* from,
                               const struct CounterReading* to) {
  unsigned int i = 0, back = to->enabled_ns < from->enabled_ns || to->running_ns < from->running_ns;
  for (i = 0; i < kCountedEvents; ++i) back |= to->counts[i] < from->counts[i];
  if (back) {
    cell->lost++;
    return;
  }
  cell->sum.enabled_ns += to->enabled_ns - from->enabled_ns;
  cell->sum.running_ns += to->running_ns - from->running_ns;
  for (i = 0; i < kCountedEvents; ++i) cell->sum.counts[i] += to->counts[i] - from->counts[i];
}
