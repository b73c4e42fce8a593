// Measures how long runnable tasks waited for a CPU and which cgroup had it meanwhile, how long they were in
// direct reclaim, and how long they slept for a disk. Nothing here allocates, takes its own lock or loops
// over more than a fixed number of entries; if a task's row is taken, its wait is dropped and counted as
// lost.
//
// A CPU's past is written and read with its run queue locked, except for the other thread of a core: there a
// torn segment can cost a little accuracy, never more.
#include "kernel_types.h"
// libbpf's headers need the kernel's integer types.
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "brake.h"
#include "run_queue_tables.h"
#include "tables_shared.h"
#include "watched.h"

// The time and tracing helpers are for GPL programs only: this file may also be used under GPL-2.0.
char terms[] SEC("license") = "GPL";

/// The task's row, taking it over from another task if needed.
static __always_inline struct TaskRow* take_row(struct CpuRow* cpu, __u32 task) {
  struct TaskRow* row = row_of(task);
  if (!row || row->task == task) return row;
  if (cpu && (row->runnable_ns || row->block_io_ns || row->reclaim_ns)) cpu->lost++;
  row->runnable_ns = 0;
  row->block_io_ns = 0;
  row->reclaim_ns = 0;
  row->task = task;
  return row;
}

static __always_inline void begin_wait(struct TaskRow* row, __u32 throttled, __u64 now_ns) {
  row->runnable_ns = now_ns;
  row->moved_ns = now_ns;
  row->contended_ns = 0;
  row->throttled = throttled;
}

static __always_inline bool is_runnable(struct task_struct* task) {
  if (bpf_core_field_exists(task->__state)) return task->__state == 0;
  return BPF_CORE_READ((struct task_struct___before_5_14*)task, state) == 0;
}

static __always_inline __u32 cpu_of(struct task_struct* task) {
  if (bpf_core_field_exists(task->thread_info.cpu)) return task->thread_info.cpu;
  return BPF_CORE_READ((struct task_struct___before_5_16*)task, cpu);
}

/// Its cgroup has used up its quota, so the task is runnable but must not run.
static __always_inline __u32 is_throttled(struct task_struct* task) {
  if (!bpf_core_field_exists(task->se.cfs_rq) || !bpf_core_field_exists(((struct cfs_rq*)0)->throttle_count))
    return 0;
  return task->prio >= 100 && task->se.cfs_rq->throttle_count > 0;
}

static __always_inline void add_blame(__u32 key, __u64 time_ns) {
  __u64* sum = bpf_map_lookup_elem(&blame, &key);
  struct CpuRow* cpu;
  struct WaitCell* cell;
  if (sum) {
    *sum += time_ns;
    return;
  }
  if (!bpf_map_update_elem(&blame, &key, &time_ns, BPF_ANY)) return;
  cell = cell_of(key >> kRunnerBits & 0x7fff);
  cpu = cpu_row(bpf_get_smp_processor_id());
  if (!cell || !cpu) return;
  cell->unnamed_ns[key >> kSiblingBit] += time_ns;
  cpu->unnamed++;
}

/// Handles one segment of the CPU's past, see step_back(). Returns the end of the time still to be
/// attributed; 0: finished. Not static, so that the verifier checks it once instead of for each path and loop
/// iteration.
__noinline __u64 add_one_blame(__u32 cpu, __u32 victim, __u32 age, __u64 from_ns, __u64 until_ns) {
  struct CpuRow* row = cpu_row(cpu);
  __u32 runner;
  __u64 ran_ns;
  int more;
  if (!row) return 0;
  more = step_back(&row->segments, age, from_ns, &until_ns, &runner, &ran_ns);
  if (ran_ns && runner != kIdleSlot) {
    if (shape.measure) add_blame(victim | runner, ran_ns);
    if (shape.brake && !(victim >> kSiblingBit))
      signal_brake(victim >> kRunnerBits, runner, shape.slots, until_ns, until_ns + ran_ns);
  }
  return more ? until_ns : 0;
}

/// Blames the cgroups that ran on the CPU between the two times for the victim's wait (or for sharing its
/// core).
static __noinline int add_blames(__u32 cpu, __u32 victim, __u64 from_ns, __u64 until_ns) {
  __u32 age;
  for (age = 0; age < kRunSegments && until_ns; ++age)
    until_ns = add_one_blame(cpu, victim, age, from_ns, until_ns);
  return 0;
}

/// Blames the time on a CPU's queue during which the cgroup was not throttled. Returns how long that was.
static __always_inline __u64 blame_contention(__u32 cpu, __u32 slot, __u64 from_ns, __u64 now_ns) {
  struct WaitCell* cell = cell_on(cpu, slot);
  __u64 stop, go, contended_ns = 0;
  if (!cell || now_ns <= from_ns) return 0;
  stop = cell->throttled_from_ns;
  go = cell->throttled_until_ns;
  if (stop && !go) go = now_ns;  // still throttled
  if (!stop || go <= from_ns) {  // never throttled, or only before
    add_blames(cpu, victim_key(slot, 0), from_ns, now_ns);
    return now_ns - from_ns;
  }
  if (stop > from_ns) {
    add_blames(cpu, victim_key(slot, 0), from_ns, stop);
    contended_ns = stop - from_ns;
  }
  if (now_ns > go) {
    add_blames(cpu, victim_key(slot, 0), go, now_ns);
    contended_ns += now_ns - go;
  }
  return contended_ns;
}

static __always_inline void end_wait(struct TaskRow* row, struct WaitCell* cell, __u32 slot, __u64 now_ns) {
  __u64 wait_ns;
  __u32 bucket;
  if (row->block_io_ns && row->runnable_ns > row->block_io_ns)
    cell->block_io_ns += row->runnable_ns - row->block_io_ns;
  if (row->throttled) return;
  wait_ns = row->contended_ns + blame_contention(bpf_get_smp_processor_id(), slot, row->moved_ns, now_ns);
  if (!shape.measure) return;
  cell->waited_ns += wait_ns;
  cell->waits++;
  bucket = wait_bucket(wait_ns);
  if (bucket < kWaitHistogram) cell->histogram[bucket]++;
}

static __always_inline void leave(struct CpuRow* cpu, struct task_struct* task, bool preempted,
                                  __u64 now_ns) {
  __u32 number = task->pid;
  struct TaskRow* row;
  if (preempted || is_runnable(task)) {
    row = take_row(cpu, number);
    if (!row) return;
    begin_wait(row, is_throttled(task), now_ns);
    row->block_io_ns = 0;
    return;
  }
  if (BPF_CORE_READ_BITFIELD(task, in_iowait)) {
    row = take_row(cpu, number);
    if (!row) return;
    row->runnable_ns = 0;
    row->block_io_ns = now_ns;
    return;
  }
  row = row_of(number);
  if (row && row->task == number) {
    row->runnable_ns = 0;
    row->block_io_ns = 0;
  }
}

static __always_inline void arrive(struct task_struct* task, __u32 slot, __u64 now_ns) {
  __u32 number = task->pid;
  struct TaskRow* row = row_of(number);
  struct WaitCell* cell;
  if (!row || row->task != number || !row->runnable_ns) return;
  if (slot != kNoSlot) {
    cell = cell_of(slot);
    if (cell) {
      if (cell->throttled_from_ns && !cell->throttled_until_ns) cell->throttled_until_ns = now_ns;
      end_wait(row, cell, slot, now_ns);
    }
  }
  row->runnable_ns = 0;
  row->block_io_ns = 0;
}

static __always_inline void begin_throttling(__u32 slot, __u64 now_ns) {
  struct WaitCell* cell = cell_of(slot);
  if (!cell || (cell->throttled_from_ns && !cell->throttled_until_ns)) return;
  cell->throttled_from_ns = now_ns;
  cell->throttled_until_ns = 0;
}

/// The victim ran; blames the cgroup on the other thread of the core for sharing it meanwhile.
static __always_inline void blame_sibling(struct CpuRow* cpu, __u32 here, __u32 slot, __u64 now_ns) {
  __u32* there = bpf_map_lookup_elem(&sibling_of, &here);
  if (there && *there != here && cpu->switched_ns)
    add_blames(*there, victim_key(slot, 1), cpu->switched_ns, now_ns);
}

SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, bool preempted, struct task_struct* prev, struct task_struct* next) {
  __u64 now_ns = bpf_ktime_get_ns();
  __u32 here = bpf_get_smp_processor_id();
  struct CpuRow* cpu = cpu_row(here);
  __u32 slot = kIdleSlot;
  if (!cpu) return 0;
  if (prev->pid) {
    __u32 left = cpu->segments.ring[cpu->segments.newest % kRunSegments].slot;
    leave(cpu, prev, preempted, now_ns);
    if (left != kNoSlot && left < shape.slots) {
      if (is_throttled(prev)) begin_throttling(left, now_ns);
      if (shape.siblings && shape.measure) blame_sibling(cpu, here, left, now_ns);
    }
  }
  if (next->pid) {
    slot = slot_of(cpu->known, next, shape.unified);
    arrive(next, slot, now_ns);
  }
  start_segment(&cpu->segments, slot, now_ns);
  cpu->switched_ns = now_ns;
  return 0;
}

static __always_inline int woken(struct task_struct* task) {
  struct TaskRow* row = take_row(cpu_row(bpf_get_smp_processor_id()), task->pid);
  if (!row) return 0;
  begin_wait(row, is_throttled(task), bpf_ktime_get_ns());
  return 0;
}

SEC("tp_btf/sched_wakeup")
int BPF_PROG(on_wakeup, struct task_struct* task) { return woken(task); }

SEC("tp_btf/sched_wakeup_new")
int BPF_PROG(on_wakeup_new, struct task_struct* task) { return woken(task); }

/// The task moves to another CPU's queue; the old CPU's past is read now, while its queue is locked.
SEC("tp_btf/sched_migrate_task")
int BPF_PROG(on_move, struct task_struct* task) {
  __u64 now_ns = bpf_ktime_get_ns();
  __u32 number = task->pid, slot;
  struct TaskRow* row = row_of(number);
  struct CpuRow* here = cpu_row(bpf_get_smp_processor_id());
  if (!here || !row || row->task != number || !row->runnable_ns || row->throttled) return 0;
  slot = slot_of(here->known, task, shape.unified);
  if (slot != kNoSlot) row->contended_ns += blame_contention(cpu_of(task), slot, row->moved_ns, now_ns);
  row->moved_ns = now_ns;
  return 0;
}

static __always_inline int reclaim_begins(void) {
  struct task_struct* task = bpf_get_current_task_btf();
  struct TaskRow* row = take_row(cpu_row(bpf_get_smp_processor_id()), task->pid);
  if (row) row->reclaim_ns = bpf_ktime_get_ns();
  return 0;
}

static __always_inline int reclaim_ends(void) {
  struct task_struct* task = bpf_get_current_task_btf();
  __u32 number = task->pid, slot;
  struct TaskRow* row = row_of(number);
  struct CpuRow* cpu = cpu_row(bpf_get_smp_processor_id());
  struct WaitCell* cell;
  if (!cpu || !row || row->task != number || !row->reclaim_ns) return 0;
  slot = slot_of(cpu->known, task, shape.unified);
  cell = slot == kNoSlot ? 0 : cell_of(slot);
  if (cell) cell->reclaim_ns += bpf_ktime_get_ns() - row->reclaim_ns;
  row->reclaim_ns = 0;
  return 0;
}

SEC("tp_btf/mm_vmscan_direct_reclaim_begin")
int BPF_PROG(begin_reclaim) { return reclaim_begins(); }

SEC("tp_btf/mm_vmscan_direct_reclaim_end")
int BPF_PROG(end_reclaim) { return reclaim_ends(); }

SEC("tp_btf/mm_vmscan_memcg_reclaim_begin")
int BPF_PROG(begin_memcg_reclaim) { return reclaim_begins(); }

SEC("tp_btf/mm_vmscan_memcg_reclaim_end")
int BPF_PROG(end_memcg_reclaim) { return reclaim_ends(); }
