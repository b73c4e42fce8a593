# For scripts that run build/release/evenkeel on real cgroups: ends them as skipped (77) where that is not possible. Sourced.
[ "$(id -u)" = 0 ] || { echo "only root can write to cgroups"; exit 77; }
[ -x build/release/evenkeel ] || { echo "build/release/evenkeel was not built"; exit 77; }
mkdir /sys/fs/cgroup/cpu/evenkeel-check 2>/dev/null || mkdir /sys/fs/cgroup/evenkeel-check 2>/dev/null || { echo "the cgroup tree is read-only"; exit 77; }
rmdir /sys/fs/cgroup/cpu/evenkeel-check 2>/dev/null || rmdir /sys/fs/cgroup/evenkeel-check
