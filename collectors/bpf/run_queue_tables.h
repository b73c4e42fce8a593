// The tables of run_queue.bpf.c, and how a row of them is found. For clang -target bpf only, after
// kernel_types.h and libbpf's headers.
#pragma once

#include "collectors/bpf/tables_shared.h"

const volatile struct RunQueueShape shape = {};

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);  // [cpu * slots + slot]
  __uint(map_flags, BPF_F_MMAPABLE);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, struct WaitCell);
} cells SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);  // [cpu]
  __uint(map_flags, BPF_F_MMAPABLE);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, struct CpuRow);
} cpus SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, kTaskRows);
  __type(key, __u32);
  __type(value, struct TaskRow);
} tasks SEC(".maps");

struct {
  __uint(type,
         BPF_MAP_TYPE_PERCPU_HASH);  // victim_key() | runner: nanoseconds; the reader removes the entries
  __uint(max_entries, 4096);
  __type(key, __u32);
  __type(value, __u64);
} blame SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);  // [cpu]: the other thread of its core; the CPU itself if there is none
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, __u32);
} sibling_of SEC(".maps");

static __always_inline struct CpuRow* cpu_row(__u32 cpu) { return bpf_map_lookup_elem(&cpus, &cpu); }

static __always_inline struct WaitCell* cell_on(__u32 cpu, __u32 slot) {
  __u32 index = cpu * shape.slots + slot;
  return bpf_map_lookup_elem(&cells, &index);
}

static __always_inline struct WaitCell* cell_of(__u32 slot) {
  return cell_on(bpf_get_smp_processor_id(), slot);
}

static __always_inline struct TaskRow* row_of(__u32 task) {
  __u32 index = task % kTaskRows;
  return bpf_map_lookup_elem(&tasks, &index);
}
