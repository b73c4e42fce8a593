// The types by which our BPF programs and their readers in collectors/ tell cgroups apart. C and C++ alike.
#pragma once

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
