# mounts.sh DIRECTORY: runs as the first process of the node's mount namespace and keeps it alive.
set -euo pipefail
mount --bind "$1/lib" /var/lib
mount --bind "$1/log" /var/log
mount --bind "$1/run" /run
# The kubelet expects these settings and would set them for the whole machine: here it finds files that
# already have them.
number=0
for setting in vm/overcommit_memory=1 vm/panic_on_oom=0 kernel/panic=10 kernel/panic_on_oops=1 \
  kernel/keys/root_maxkeys=1000000 kernel/keys/root_maxbytes=25000000; do
  number=$((number + 1))
  printf '%s\n' "${setting#*=}" >"$1/sysctl/$number"
  mount --bind "$1/sysctl/$number" "/proc/sys/${setting%%=*}"
done
mount --make-rshared /
touch "$1/stands"
exec sleep infinity
