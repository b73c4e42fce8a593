# A tenth of tests/faults: calls that fail one after the other leave no value behind.
set -euo pipefail
[ "$(id -u)" = 0 ] || { echo "only root can write to cgroups"; exit 77; }
[ -x build/release/evenkeel ] || { echo "build/release/evenkeel was not built"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir /sys/fs/cgroup/cpu/evenkeel-check 2>/dev/null || mkdir /sys/fs/cgroup/evenkeel-check 2>/dev/null || { echo "the cgroup tree is read-only"; exit 77; }
rmdir /sys/fs/cgroup/cpu/evenkeel-check 2>/dev/null || rmdir /sys/fs/cgroup/evenkeel-check
gcc -O1 -Wall -Wextra -Werror -shared -fPIC -o "$work/fail.so" tests/faults/fail.c -ldl
python3 tests/faults/sweep --binary build/release/evenkeel --library "$work/fail.so" --part 3/10
