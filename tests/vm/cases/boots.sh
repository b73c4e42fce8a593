# Checks what the other cases rely on: the kernel's controllers, PSI, an idle machine.
set -eu
test -e /proc/pressure/cpu
if [ "$EVENKEEL_IN_VM" = v1 ]; then
  grep -q ' /sys/fs/cgroup/cpu,cpuacct cgroup ' /proc/mounts
  test -e /sys/fs/cgroup/cpu/cpu.cfs_quota_us && test -e /sys/fs/cgroup/cpuacct/cpuacct.usage
  test -e /sys/fs/cgroup/cpuset/cpuset.cpus && test -e /sys/fs/cgroup/memory/memory.stat
  ! grep -q cgroup2 /proc/mounts
else
  grep -q ' /sys/fs/cgroup cgroup2 ' /proc/mounts
  for controller in cpuset cpu io memory; do grep -qw $controller /sys/fs/cgroup/cgroup.subtree_control; done
  mkdir /sys/fs/cgroup/boots
  for file in cpu.max cpu.max.burst cpu.idle cpuset.cpus memory.reclaim cpu.pressure; do test -e /sys/fs/cgroup/boots/$file; done
  rmdir /sys/fs/cgroup/boots
fi
