# A page cache limit on a node with swap: if the kernel's memory.reclaim accepts swappiness=0, file pages are
# reclaimed and nothing is swapped; on an older kernel the agent reports that it cannot, and reclaims nothing.
set -eu
[ "${EVENKEEL_IN_VM:-}" = v2 ] || { echo "memory.reclaim is on cgroup v2 only"; exit 77; }
module=$(find build/vm*/kernel/lib/modules/"$(uname -r)" -name 'loop.ko*' | head -1)
[ -n "$module" ] || { echo "no loop device for $(uname -r)"; exit 77; }
dir=$(mktemp -d /dev/shm/page-cache.XXXXXX)
pod=/sys/fs/cgroup/kubepods/burstable/podeeeeeeee-0000-0000-0000-000000000001
loop= holder= agent=
clean_up() {
  [ -z "$agent" ] || { kill "$agent" && wait "$agent"; } || true
  [ ! -d $pod ] || echo 1 >$pod/cgroup.kill || true
  [ -z "$holder" ] || wait "$holder" || true
  [ -z "$loop" ] || { swapoff "$loop" || true; losetup -d "$loop" || true; }
  for dir_of_ours in $pod/c1 $pod "${pod%/*}" "${pod%/*/*}"; do
    for _ in $(seq 50); do [ -d "$dir_of_ours" ] && ! rmdir "$dir_of_ours" || break; sleep 0.1; done
  done
  rm -rf "$dir"
}
trap clean_up EXIT

grep -q "^loop " /proc/modules || insmod "$module"
truncate -s 128M "$dir/swap"
loop=$(losetup -f --show "$dir/swap")
mkswap -q "$loop" && swapon "$loop"

mkdir -p $pod/c1
for above in /sys/fs/cgroup/kubepods "${pod%/*}" $pod; do echo "+memory +cpu" >"$above/cgroup.subtree_control"; done
in_container() { bash -c 'echo $BASHPID >"$0" && exec "$@"' $pod/c1/cgroup.procs "$@"; }
bytes_of() { awk -v key="$1" '$1 == key { print $2 }' $pod/memory.stat; }
in_container perl -e '$held = "a" x (24 << 20); sleep' &
holder=$!
until [ "$(bytes_of anon)" -gt $((24 << 20)) ]; do sleep 0.2; done
in_container cat "$(find build/vm* -name vmlinux -size +30M | head -1)" >/dev/null
cache=$(bytes_of file)
[ "$cache" -gt $((32 << 20)) ] || { echo "only $cache bytes of page cache to begin with"; exit 1; }

printf 'resourceQOSStrategy: {lsClass: {memoryQOS: {enable: true, wmarkRatio: 0, pageCacheEnable: true, pageCacheLimitSize: 16Mi}}}\n' \
  >"$dir/nodeslo.yaml"
printf '%s\n' 'items: [{metadata: {uid: eeeeeeee-0000-0000-0000-000000000001, namespace: shop, name: cart}, spec: {containers:' \
  ' [{name: a}]}, status: {phase: Running, qosClass: Burstable, containerStatuses: [{name: a, containerID: "containerd://c1",' \
  ' state: {running: {}}}]}}]' >"$dir/pods.yaml"
build/release/evenkeel capabilities | grep memory-reclaim-file-pages | tee "$dir/capability"
build/release/evenkeel run --nodeslo "$dir/nodeslo.yaml" --pods "file:$dir/pods.yaml" --state-dir "$dir/state" --listen none \
  >"$dir/log" 2>&1 &
agent=$!

if grep -q 'memory-reclaim-file-pages *works' "$dir/capability"; then
  for _ in $(seq 120); do
    [ "$(bytes_of file)" -gt $((20 << 20)) ] || break
    sleep 0.5
  done
else
  sleep 8
fi
left=$(bytes_of file) held=$(bytes_of anon) swapped=$(cat $pod/memory.swap.current)
cat "$dir/log"
echo "page cache $cache, with the limit $left; held by the process $held, swapped $swapped"
[ "$swapped" = 0 ] && [ "$held" -gt $((24 << 20)) ] || { echo "the process's own memory was taken: $swapped bytes swapped"; exit 1; }
if grep -q 'memory-reclaim-file-pages *works' "$dir/capability"; then
  [ "$left" -le $((20 << 20)) ] || { echo "the page cache stayed at $left bytes"; exit 1; }
  echo $((32 << 20)) >$pod/memory.reclaim || true
  echo "for comparison, 32 MiB without swappiness=0: swapped $(cat $pod/memory.swap.current)"
else
  [ "$left" -gt $((32 << 20)) ] || { echo "memory was taken although file pages alone cannot be had"; exit 1; }
fi
