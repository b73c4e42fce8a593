// The table rows shared by the counting program in the kernel and its reader in collectors/, and the
// arithmetic that can be tested without a kernel. C and C++ alike.
#pragma once

#include "collectors/bpf/watched_shared.h"

enum {
  kCountedEvents = 5,  // the most on each CPU
};

/// The program's constants, set before it is loaded.
struct CountShape {
  unsigned int slots;    ///< slots 1 … slots - 1 are used
  unsigned int cpus;     ///< possible CPUs
  unsigned int unified;  ///< cgroups are those of v2; otherwise of the v1 hierarchy with the cpu controller
  unsigned int events;   ///< on each CPU
};

/// All counters of a CPU at one time.
struct CounterReading {
  unsigned long long enabled_ns;  ///< since they were opened
  unsigned long long running_ns;  ///< part of enabled_ns during which the counters were on the hardware
  unsigned long long counts[kCountedEvents];  ///< in the order in which they were opened
};

/// Counts of one cgroup on one CPU since the program was loaded. Written by that CPU alone.
struct CountCell {
  struct CounterReading sum;
  unsigned long long lost;  ///< stretches on the CPU whose counts are unknown
};

struct CountRow {
  struct CounterReading mark;  ///< taken when `slot` got the CPU, or was last accounted for
  unsigned int slot;           ///< the cgroup that has the CPU since then
  unsigned int marked;         ///< whether `mark` is valid
  struct KnownCgroup known[kKnownCgroups];
};

/// Adds what was counted between two readings. A counter that decreased was reopened or wrapped around: the
/// stretch is then counted as lost.
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
