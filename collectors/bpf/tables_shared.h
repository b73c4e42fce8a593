// The rows of the tables that the BPF programs share with their readers in collectors/: which cgroups are
// told apart, counts of events, waits and blame; and the arithmetic that can be tested without a kernel. C
// and C++ alike.
#pragma once

// Telling cgroups apart.

enum {
  kKnownCgroups = 64,  // answers that a CPU caches; a power of two
  kMostSlots = 4096,   // a slot fits into 15 bits
  kNoSlot = 0,         // tasks outside every watched cgroup
};

/// A cached answer to "which slot has this cgroup"; valid while the generation is unchanged.
struct KnownCgroup {
  unsigned long long cgroup;
  unsigned int generation, slot;
};

// Counts of hardware events.

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

// Waits, stalls and blame: the run-queue program.

enum {
  kWaitHistogram = 24,  // buckets: waits of up to 2^i microseconds; the last holds all longer ones
  kRunSegments = 32,    // of a CPU's past; a power of two
  kTaskRows = 32768,    // tasks that wait, sleep for a disk or reclaim at the same time; a power of two
  kIdleSlot = 0x7fff,   // the CPU had nothing to run
  kSiblingBit = 31,     // bit of a blame's key
  kRunnerBits = 16,     // low bits of a blame's key
};

/// The programs' constants, set before they are loaded.
struct RunQueueShape {
  unsigned int slots;     ///< slots 1 … slots - 1 are used
  unsigned int cpus;      ///< possible CPUs
  unsigned int unified;   ///< cgroups are those of v2; otherwise of the v1 hierarchy with the cpu controller
  unsigned int siblings;  ///< cores have two threads: see the table `sibling_of`
  unsigned int measure;   ///< sum up waits, reclaim and blame for the reader
  unsigned int brake;     ///< raise alarms for waits caused by best effort: see brake.h
};

/// Sums of one cgroup on one CPU since the programs were loaded. Written by that CPU alone.
struct WaitCell {
  unsigned long long waited_ns, waits;
  unsigned long long reclaim_ns, block_io_ns;
  unsigned long long throttled_from_ns, throttled_until_ns;  ///< the last time; until 0: still throttled
  unsigned int histogram[kWaitHistogram];                    ///< wraps around
  unsigned long long unnamed_ns[2];  ///< blame whose pair found no room in the table: waits, and shared cores
};

/// A cgroup began to run at `from_ns`, and ran until the next segment began.
struct RunSegment {
  unsigned long long from_ns;
  unsigned int slot, unused;
};

/// The last segments of a CPU; the newest is still running.
struct RunSegments {
  struct RunSegment ring[kRunSegments];
  unsigned int newest, unused;
};

/// A waiting task. The row is indexed by the low bits of the task's number; a later task overwrites it.
struct TaskRow {
  unsigned int task, throttled;     ///< throttled: its cgroup must not run, so it does not wait for a CPU
  unsigned long long runnable_ns;   ///< runnable since; 0: it runs or sleeps
  unsigned long long moved_ns;      ///< on this CPU's queue since
  unsigned long long contended_ns;  ///< the part of the time before moved_ns that is already accounted for
  unsigned long long block_io_ns;   ///< sleeping for a disk since; 0: it does not
  unsigned long long reclaim_ns;    ///< in direct reclaim since; 0: it is not
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

/// The upper bits of a blame's key; the low bits are the runner's slot.
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

/// Walks back over what a CPU ran between two times. Each step puts one segment's part into `ran_ns` and
/// returns whether there may be more; when the past ends before `from_ns`, the runner during the rest (up to
/// `until_ns`) is unknown.
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
