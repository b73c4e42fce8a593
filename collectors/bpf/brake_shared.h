// The rule by which a service's wait for CPUs used by best effort becomes an immediate alarm: the types and
// arithmetic shared by the run-queue program in the kernel and its reader in collectors/, testable without a
// kernel. C and C++ alike.
#pragma once

enum {
  kBesteffortSide = 0xffff,  // side of a slot whose tasks the brake throttles
};

/// When an alarm is raised. User space may change it while the program runs.
struct BrakeThresholds {
  unsigned long long window_ns;
  unsigned long long threshold_ns;  ///< within a window; 0: no alarms
};

/// The brake's state of one slot.
struct BrakeSide {
  unsigned int
      side;  ///< kBesteffortSide; the slot of the service to which its tasks belong; or 0 for neither
  unsigned int unused;
  unsigned long long last_call_ns;  ///< for a service: time of its last alarm
};

/// How long a service waited on one CPU while best effort ran there. Written by that CPU alone.
struct BrakeCell {
  unsigned long long began_ns;           ///< start of the current window
  unsigned long long waited_ns;          ///< in the current window
  unsigned long long before_ns;          ///< in the previous window
  unsigned long long closed_ns;          ///< everything before this time is ignored
  unsigned long long from_ns, until_ns;  ///< everything in between is already counted
};

/// A record of the ring buffer: one alarm.
struct BrakeCall {
  unsigned long long at_ns;      ///< CLOCK_MONOTONIC
  unsigned long long waited_ns;  ///< within one window
  unsigned int slot, unused;     ///< `slot` is the service's
};

/// How much of a wait is new: tasks that wait at the same time count once, as in pressure (PSI some). Waits
/// arrive in the order in which they end, each with its latest part first. Never overestimates;
/// underestimates when a wait began before one that ended earlier, and not right after it.
static inline unsigned long long count_once(struct BrakeCell* cell, unsigned long long from_ns,
                                            unsigned long long until_ns) {
  unsigned long long fresh_ns = 0, end_ns = 0;
  if (from_ns < cell->closed_ns) from_ns = cell->closed_ns;
  if (from_ns >= until_ns) return 0;
  if (from_ns > cell->until_ns) {
    cell->closed_ns = cell->until_ns;
    cell->from_ns = from_ns;
    cell->until_ns = until_ns;
    return until_ns - from_ns;
  }
  if (from_ns < cell->from_ns) {
    end_ns = until_ns < cell->from_ns ? until_ns : cell->from_ns;
    fresh_ns = end_ns - from_ns;
    cell->from_ns = from_ns;
  }
  if (until_ns > cell->until_ns) {
    fresh_ns += until_ns - cell->until_ns;
    cell->until_ns = until_ns;
  }
  return fresh_ns;
}

/// Adds a part of a wait. Returns the wait within the last window's length, estimated as the kernel's
/// pressure triggers do: the previous window's wait is assumed to be spread evenly (kernel/sched/psi.c).
static inline unsigned long long add_waited(struct BrakeCell* cell, unsigned long long window_ns,
                                            unsigned long long from_ns, unsigned long long until_ns) {
  unsigned long long passed_ns = until_ns > cell->began_ns ? until_ns - cell->began_ns : 0;
  const unsigned long long fresh_ns = count_once(cell, from_ns, until_ns);
  if (passed_ns >= window_ns) {
    const unsigned int next = passed_ns < 2 * window_ns;
    cell->before_ns = next ? cell->waited_ns : 0;
    if (cell->before_ns > window_ns) cell->before_ns = window_ns;
    cell->began_ns = next ? cell->began_ns + window_ns : until_ns;
    cell->waited_ns = 0;
    passed_ns = until_ns - cell->began_ns;
  }
  cell->waited_ns += fresh_ns;
  // In units of 1024 ns, so that the square of a 10 s window fits into 64 bits.
  return cell->waited_ns + (cell->before_ns >> 10U) * (window_ns - passed_ns) / ((window_ns >> 10U) + 1);
}
