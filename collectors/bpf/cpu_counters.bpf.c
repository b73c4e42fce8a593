// Attributes a CPU's hardware events to cgroups: the counters are read at each switch between cgroups on a
// CPU, and what they counted since the last switch is added to the cgroup that leaves. Switches between tasks
// of one cgroup, and an idle CPU, cost no reading.
//
// All rows of a CPU are written on that CPU, either at a task switch or by our own call; neither can
// interrupt the other.
#include "kernel_types.h"
// libbpf's headers need the kernel's integer types.
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "tables_shared.h"
#include "watched.h"

// The tracing helpers are for GPL programs only: this file may also be used under GPL-2.0.
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

/// Returns whether all counters could be read. The times are the first counter's: all are scheduled together.
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

/// Adds what was counted until now to the previous cgroup; from now on `next` has the CPU.
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

/// Called by the reader on a CPU, because a task may stay on a CPU for long without a switch.
SEC("raw_tp")
int settle(void* unused) {
  __u32 here = bpf_get_smp_processor_id();
  struct CountRow* row = row_of(here);
  if (row) hand_over(row, here, runner(row, bpf_get_current_task_btf()));
  return 0;
}
