// The few members of kernel structures that our programs read. Their offsets are resolved when a program is
// loaded (CO-RE), so no header of a specific kernel is needed. For clang -target bpf only.
#pragma once

#include <linux/bpf.h>

typedef _Bool bool;

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct kernfs_node {
  __u64 id;  // the directory's inode
};
struct cgroup_subsys_state {
  struct cgroup* cgroup;
  struct cgroup_subsys_state* parent;
};
struct cgroup {
  struct cgroup_subsys_state self;
  struct kernfs_node* kn;
};
enum cgroup_subsys_id { cpu_cgrp_id = 1 };
struct css_set {
  struct cgroup_subsys_state* subsys[16];
  struct cgroup* dfl_cgrp;
};
struct cfs_rq {
  int throttle_count;
};
struct sched_entity {
  struct cfs_rq* cfs_rq;
};
struct thread_info {
  __u32 cpu;
};
struct task_struct {
  struct thread_info thread_info;
  unsigned int __state;
  int pid;
  int prio;
  struct sched_entity se;
  struct css_set* cgroups;
  unsigned int in_iowait : 1;
};
struct task_struct___before_5_16 {
  unsigned int cpu;  // older kernels: in thread_info
};
struct task_struct___before_5_14 {
  long state;  // older kernels; later renamed to __state
};

#pragma clang attribute pop
