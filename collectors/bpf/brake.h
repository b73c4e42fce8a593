// The part of the run-queue program that raises an alarm when a service has waited too long for CPUs on which
// best-effort tasks ran. For clang -target bpf only, after kernel_types.h and libbpf's headers.
#pragma once

#include "collectors/bpf/brake_shared.h"

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);  // one entry
  __uint(map_flags, BPF_F_MMAPABLE);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, struct BrakeThresholds);
} brake_terms SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);  // [slot]
  __uint(map_flags, BPF_F_MMAPABLE);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, struct BrakeSide);
} brake_sides SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);  // [cpu * slots + slot]
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, struct BrakeCell);
} brake_cells SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_RINGBUF);
  __uint(max_entries, 4096);
} brake_calls SEC(".maps");

/// Raises an alarm, at most one per window and service. Wakes the reader of the ring buffer by an interrupt,
/// because a run queue is locked here. If the buffer is full, the reader is already awake. Two CPUs may raise
/// an alarm at the same moment; that does no harm.
static __noinline int raise_alarm(struct BrakeSide* service, __u32 slot, __u64 waited_ns, __u64 window_ns) {
  struct BrakeCall call = {.at_ns = bpf_ktime_get_ns(), .waited_ns = waited_ns, .slot = slot};
  if (!service || call.at_ns - service->last_call_ns < window_ns) return 0;
  service->last_call_ns = call.at_ns;
  bpf_ringbuf_output(&brake_calls, &call, sizeof call, 0);
  return 0;
}

/// The victim waited between the two times while the runner had that CPU.
static __always_inline void signal_brake(__u32 victim, __u32 runner, __u32 slots, __u64 from_ns,
                                         __u64 until_ns) {
  struct BrakeSide *cut = bpf_map_lookup_elem(&brake_sides, &runner), *service;
  __u32 zero = 0, index;
  __u64 waited_ns;
  struct BrakeThresholds* terms;
  struct BrakeCell* cell;
  if (!cut || cut->side != kBesteffortSide) return;
  service = bpf_map_lookup_elem(&brake_sides, &victim);
  if (!service || !service->side || service->side == kBesteffortSide) return;
  victim = service->side;
  index = bpf_get_smp_processor_id() * slots + victim;
  cell = bpf_map_lookup_elem(&brake_cells, &index);
  terms = bpf_map_lookup_elem(&brake_terms, &zero);
  service = bpf_map_lookup_elem(&brake_sides, &victim);
  if (!cell || !terms || !terms->threshold_ns) return;
  waited_ns = add_waited(cell, terms->window_ns, from_ns, until_ns);
  if (waited_ns >= terms->threshold_ns) raise_alarm(service, victim, waited_ns, terms->window_ns);
}
