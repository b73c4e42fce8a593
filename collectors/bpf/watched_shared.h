// How our programs in the kernel tell cgroups apart, as their readers in collectors/ know it, too. C and C++
// alike.
#pragma once

enum {
  kKnownCgroups = 64,  // answers that a CPU remembers; a power of two
  kMostSlots = 4096,   // a slot fits into 15 bits
  kNoSlot = 0,         // tasks outside of every cgroup that is watched
};

/// An answer to "which slot has this cgroup"; of use as long as the generation has not moved on.
struct KnownCgroup {
  unsigned long long cgroup;
  unsigned int generation, slot;
};
