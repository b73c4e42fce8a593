# The seccomp profile of the DaemonSet refuses nothing that the program does, and refuses what it does not need: tests/seccomp.
set -euo pipefail
[ "$(id -u)" = 0 ] || { echo "only root can write to cgroups"; exit 77; }
[ -x build/release/evenkeel ] || { echo "build/release/evenkeel was not built"; exit 77; }
mkdir /sys/fs/cgroup/cpu/evenkeel-check 2>/dev/null || mkdir /sys/fs/cgroup/evenkeel-check 2>/dev/null || { echo "the cgroup tree is read-only"; exit 77; }
rmdir /sys/fs/cgroup/cpu/evenkeel-check 2>/dev/null || rmdir /sys/fs/cgroup/evenkeel-check
for program in build/release/evenkeel build/static/evenkeel; do
  [ ! -x "$program" ] || python3 tests/seccomp/busy "$program"
done
