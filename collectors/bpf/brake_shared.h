// When a service has waited long enough for CPUs that best effort has to be heard at once: what the run-queue
// program in the kernel and its reader in collectors/ share of that, and the arithmetic that can be tested
// without a kernel. C and C++ alike.
#pragma once

enum {
  kBesteffortSide = 0xffff,  // of a slot: its tasks are what a brake cuts
};

/// What enough is. User space may change it while the program runs.
struct BrakeThresholds {
  unsigned long long window_ns;
  unsigned long long threshold_ns;  ///< within a window; 0: nobody is to be heard
};

/// Of one slot.
struct BrakeSide {
  unsigned int side;  ///< kBesteffortSide; the slot of the service to which its tasks belong; 0: neither
  unsigned int unused;
  unsigned long long last_call_ns;  ///< of a service: when it was heard last
};

/// How long a service waited on one CPU while best effort had it. Written by that CPU alone.
struct BrakeCell {
  unsigned long long began_ns;           ///< the present window
  unsigned long long waited_ns;          ///< in it
  unsigned long long before_ns;          ///< in the one before
  unsigned long long closed_ns;          ///< nothing before that is looked at any more
  unsigned long long from_ns, until_ns;  ///< all in between has been looked at
};

/// A record of the ring buffer: somebody calls for the brake.
struct BrakeCall {
  unsigned long long at_ns;      ///< CLOCK_MONOTONIC
  unsigned long long waited_ns;  ///< within a window
  unsigned int slot, unused;     ///< of the service
};

/// How much of a wait is new: tasks that wait at the same time count once, as in pressure (PSI some). Waits
/// come in the order in which they end, the parts of each with the latest first. Never more than somebody
/// waited; less where a wait began before one that ended earlier, and not right after it.
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

/// Adds a part of a wait. Returns how long was waited within a window's time up to now, as the kernel's own
/// pressure triggers estimate it: what the window before had is taken as spread evenly (kernel/sched/psi.c).
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
  // In units of 1024 ns: a window of 10 s times itself fits into 64 bits.
  return cell->waited_ns + (cell->before_ns >> 10U) * (window_ns - passed_ns) / ((window_ns >> 10U) + 1);
}
