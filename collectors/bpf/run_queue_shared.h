// What the run-queue program in the kernel and its reader in collectors/ share: the tables' rows, and the
// arithmetic that can be tested without a kernel. C and C++ alike.
#pragma once

#include "collectors/bpf/watched_shared.h"

enum {
  kWaitHistogram = 24,  // buckets: waits of up to 2^i microseconds; the last has all longer ones
  kRunSegments = 32,    // of a CPU's past; a power of two
  kTaskRows = 32768,    // tasks that wait, sleep for a disk or reclaim at the same time; a power of two
  kIdleSlot = 0x7fff,   // the CPU had nothing to run
  kSiblingBit = 31,     // of a blame's key
  kRunnerBits = 16,     // the low ones of a blame's key
};

/// What the programs are told before they are loaded.
struct RunQueueShape {
  unsigned int slots;     ///< in use are 1 … slots - 1
  unsigned int cpus;      ///< possible ones
  unsigned int unified;   ///< cgroups are those of v2; else of the v1 hierarchy with the cpu controller
  unsigned int siblings;  ///< cores have two threads: see the table `sibling_of`
  unsigned int measure;   ///< waits, reclaim and blame are added up for a reader
  unsigned int brake;     ///< somebody wants to hear at once of waits for best effort: see brake.h
};

/// Of one cgroup on one CPU, since the programs were loaded. Written by that CPU alone.
struct WaitCell {
  unsigned long long waited_ns, waits;
  unsigned long long reclaim_ns, block_io_ns;
  unsigned long long throttled_from_ns, throttled_until_ns;  ///< the last time; until 0: it lasts
  unsigned int histogram[kWaitHistogram];                    ///< wraps around
  unsigned long long unnamed_ns[2];  ///< blame for whose pair there was no room: waits, and shared cores
};

/// A cgroup began to run at `from_ns`, and ran until the next segment began.
struct RunSegment {
  unsigned long long from_ns;
  unsigned int slot, unused;
};

/// The last things that a CPU did; the newest goes on.
struct RunSegments {
  struct RunSegment ring[kRunSegments];
  unsigned int newest, unused;
};

/// A task that waits. Rows are found by the low bits of the task's number; who comes later has the row.
struct TaskRow {
  unsigned int task, throttled;     ///< throttled: its group may not run, so it does not wait for a CPU
  unsigned long long runnable_ns;   ///< it could run since; 0: it runs or sleeps
  unsigned long long moved_ns;      ///< and on this CPU's queue since
  unsigned long long contended_ns;  ///< of the time before that: what is accounted for already
  unsigned long long block_io_ns;   ///< it sleeps for a disk since; 0: it does not
  unsigned long long reclaim_ns;    ///< it frees memory since; 0: it does not
};

struct CpuRow {
  struct RunSegments segments;
  unsigned long long switched_ns;
  unsigned long long lost;     ///< waits that found no room
  unsigned long long unnamed;  ///< times that a cell's unnamed_ns grew
  struct KnownCgroup known[kKnownCgroups];
};

/// The bucket of a wait: i for more than 2^(i-1) and up to 2^i microseconds.
static inline unsigned int wait_bucket(unsigned long long wait_ns) {
  unsigned long long above = (wait_ns + 999) / 1000;
  unsigned int bucket = 0;
  if (above == 0) return 0;
  for (above -= 1; above != 0 && bucket < kWaitHistogram - 1; above >>= 1U) ++bucket;
  return bucket;
}

/// Key of a blame, still without the runner's slot, which are the low bits.
static inline unsigned int victim_key(unsigned int victim, unsigned int sibling) {
  return sibling << kSiblingBit | victim << kRunnerBits;
}

/// Another cgroup has the CPU from now on.
static inline void start_segment(struct RunSegments* past, unsigned int slot, unsigned long long now_ns) {
  unsigned int newest = past->newest % kRunSegments;
  if (past->ring[newest].slot == slot && past->ring[newest].from_ns != 0) return;
  newest = (newest + 1) % kRunSegments;
  past->ring[newest].from_ns = now_ns;
  past->ring[newest].slot = slot;
  past->newest = newest;
}

/// Walks back over what a CPU did between two moments. Each step gives one segment's part of that time, in
/// `ran_ns`, and returns whether there may be more; what is left in `until_ns` when the past ends before
/// `from_ns` is known of nobody.
static inline int step_back(const struct RunSegments* past, unsigned int age, unsigned long long from_ns,
                            unsigned long long* until_ns, unsigned int* slot, unsigned long long* ran_ns) {
  const struct RunSegment* segment = &past->ring[(past->newest - age) % kRunSegments];
  const unsigned long long began = segment->from_ns;
  const unsigned long long since = began > from_ns ? began : from_ns;
  *slot = segment->slot;
  *ran_ns = 0;
  if (began == 0) return 0;
  if (*until_ns > since) {
    *ran_ns = *until_ns - since;
    *until_ns = since;
  }
  return began > from_ns;
}
