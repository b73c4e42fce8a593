// Whose are the events that a CPU counts: at each change of cgroups on a CPU its counters are read, and what
// they counted since the last change belongs to the cgroup that leaves. Tasks of one cgroup that follow one
// another cost no reading, nor does a CPU that idles.
//
// All of a CPU's rows are written on that CPU, either by a change of tasks or by our own call, neither of which
// the other can interrupt.
#include "kernel_types.h"
// They want the kernel's words for integers.
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "cpu_counters_shared.h"
#include "watched.h"

// The helpers for tracing are for programs under the GPL: this file may be used under GPL-2.0, too.
char terms[] SEC("license") = "GPL";

const volatile struct CountShape shape = {};

struct {
  __uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);  // [event * cpus + cpu]
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, __u32);
} events SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);  // [cpu * slots + slot]
  __uint(map_flags, BPF_F_MMAPABLE);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, struct CountCell);
} cells SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);  // [cpu]
  __uint(map_flags, BPF_F_MMAPABLE);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, struct CountRow);
} cpus SEC(".maps");

/// Returns whether all could be read. Time is that of the first: they are counted together.
static __always_inline __u32 read_counters(__u32 here, struct CounterReading* into) {
  __u32 i;
#pragma unroll
  for (i = 0; i < kCountedEvents; ++i) {
    struct bpf_perf_event_value value = {};
    if (i >= shape.events) break;
    if (bpf_perf_event_read_value(&events, i * shape.cpus + here, &value, sizeof value)) return 0;
    into->counts[i] = value.counter;
    if (i == 0) {
      into->enabled_ns = value.enabled;
      into->running_ns = value.running;
    }
  }
  return 1;
}

/// What was counted until now is his who had the CPU; from now on `next` has it.
static __always_inline void hand_over(struct CountRow* row, __u32 here, __u32 next) {
  struct CounterReading now = {};
  __u32 known = read_counters(here, &now);
  if (row->slot != kNoSlot) {
    __u32 index = here * shape.slots + row->slot;
    struct CountCell* cell = bpf_map_lookup_elem(&cells, &index);
    if (cell && known && row->marked)
      add_counted(cell, &row->mark, &now);
    else if (cell)
      cell->lost++;
  }
  row->mark = now;
  row->marked = known;
  row->slot = next;
}

static __always_inline struct CountRow* row_of(__u32 cpu) { return bpf_map_lookup_elem(&cpus, &cpu); }

static __always_inline __u32 runner(struct CountRow* row, struct task_struct* task) {
  return task->pid ? slot_of(row->known, task, shape.unified) : kNoSlot;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, bool preempted, struct task_struct* prev, struct task_struct* next) {
  __u32 here = bpf_get_smp_processor_id(), slot;
  struct CountRow* row = row_of(here);
  if (!row) return 0;
  slot = runner(row, next);
  if (slot != row->slot) hand_over(row, here, slot);
  return 0;
}

/// Called by the reader on a CPU: whoever runs there may not leave it for long.
SEC("raw_tp")
int settle(void* unused) {
  __u32 here = bpf_get_smp_processor_id();
  struct CountRow* row = row_of(here);
  if (row) hand_over(row, here, runner(row, bpf_get_current_task_btf()));
  return 0;
}
