// Maps a task's cgroup to its slot in a program's tables, for every BPF program here that tells cgroups
// apart. For clang -target bpf only, after kernel_types.h and libbpf's headers.
#pragma once

#include "collectors/bpf/tables_shared.h"

__u32 generation = 0;  // incremented when `watched` changes

struct {
  __uint(type, BPF_MAP_TYPE_HASH);  // a cgroup's number: its slot
  __uint(max_entries, 1);
  __type(key, __u64);
  __type(value, __u32);
} watched SEC(".maps");

/// `unified`: the cgroup of v2; otherwise of the v1 hierarchy with the cpu controller.
static __always_inline struct cgroup* cgroup_of(struct task_struct* task, __u32 unified) {
  if (unified) return task->cgroups->dfl_cgrp;
  return task->cgroups->subsys[bpf_core_enum_value(enum cgroup_subsys_id, cpu_cgrp_id)]->cgroup;
}

/// Looks up the cgroup and then its ancestors: an unwatched cgroup counts for its nearest watched ancestor.
static __noinline __u32 find_slot(struct cgroup* cgroup) {
  __u32 levels;
  for (levels = 0; levels < 8; ++levels) {
    struct cgroup_subsys_state* above;
    __u64 id = BPF_CORE_READ(cgroup, kn, id);
    __u32* slot = bpf_map_lookup_elem(&watched, &id);
    if (slot) return *slot;
    above = BPF_CORE_READ(cgroup, self.parent);
    if (!above) return kNoSlot;
    cgroup = BPF_CORE_READ(above, cgroup);
  }
  return kNoSlot;
}

/// `answers`: this CPU's own cache of kKnownCgroups entries.
static __always_inline __u32 slot_of(struct KnownCgroup* answers, struct task_struct* task, __u32 unified) {
  struct cgroup* cgroup = cgroup_of(task, unified);
  __u64 id = cgroup->kn->id;
  struct KnownCgroup* known = &answers[id % kKnownCgroups];
  __u32 now = generation;
  if (known->cgroup != id || known->generation != now) {
    known->slot = find_slot(cgroup);
    known->generation = now;
    known->cgroup = id;
  }
  return known->slot;
}
