# The disk with the state directory is slow (null_blk, each request takes 0.1 s, writers with fsync keep it busy), then
# stands still (fsfreeze): in ticks, at the stop, at the start. Slow: ticks keep their pace. Frozen: ticks without a change
# go on, no value is written that cannot be put on record, and the stop restores every value before it waits for the disk.
set -eu
[ "${EVENKEEL_IN_VM:-}" = v1 ] || { echo "one guest is enough: a disk does not depend on the hierarchy"; exit 77; }
. tests/vm/endpoint.sh
maker=/sys/kernel/config/nullb
[ -e $maker ] || mount -t configfs config /sys/kernel/config || true
[ -e $maker ] || { echo "no null_blk here, whose disks are as slow as one likes"; exit 77; }
dir=$(mktemp -d /dev/shm/stalled-disk.XXXXXX)
disk=$maker/nullb-stalled kubepods=/sys/fs/cgroup/cpu/kubepods
pod=$kubepods/burstable/podeeeeeeee-0000-0000-0000-000000000003
agent= writer= frozen=
clean_up() {
  [ -z "$frozen" ] || fsfreeze --unfreeze "$dir/disk" || true
  for process in $agent $writer; do { kill "$process" && wait "$process"; } || true; done
  umount "$dir/disk" || true
  echo 0 >$disk/power || true
  rmdir $disk $pod/c1 $pod ${pod%/*} $kubepods || true
  rm -rf "$dir"
}
trap clean_up EXIT
fail() { echo "$*"; cat "$dir/log"; exit 1; }

mkdir -p $pod/c1 "$dir/disk" $disk
echo 40000 >$pod/cpu.cfs_quota_us
echo 40000 >$pod/c1/cpu.cfs_quota_us
for setting in size=64 memory_backed=1 blocksize=4096 queue_mode=2 irqmode=2 hw_queue_depth=1 completion_nsec=100000000 power=1; do
  echo "${setting#*=}" >"$disk/${setting%%=*}"
done
name=nullb-stalled
[ -e /sys/block/$name ] || name=nullb$(cat $disk/index)
mkfs.ext4 -q -E lazy_itable_init=0,lazy_journal_init=0 /dev/$name
mount -t ext4 /dev/$name "$dir/disk"
burst() { cat $pod/c1/cpu.cfs_burst_us; }
# slowest_health SECONDS: asks once a second; prints how long the slowest answer took, in ms.
slowest_health() {
  perl -MIO::Socket::UNIX -MTime::HiRes=time,sleep -e '
    my ($path, $seconds, $worst) = (@ARGV, 0);
    for (1 .. $seconds) {
      my $from = time;
      my $s = IO::Socket::UNIX->new(Peer => $path) or exit 1;
      print $s "GET /healthz HTTP/1.0\r\nHost: localhost\r\n\r\n";
      my $line = <$s>;
      my $took = 1000 * (time - $from);
      $worst = $took if $took > $worst;
      sleep 1;
    }
    printf "%d\n", $worst' "$dir/socket" "$1"
}
# configure PERCENT PROOF: another value in journal and audit, and verdicts that are kept when PROOF becomes false.
configure() {
  printf 'cpuBurstStrategy: {policy: cpuBurstOnly, cpuBurstPercent: %s}\nextensions: {evenkeel: {proof: {enable: %s}}}\n' "$1" "$2" >"$dir/new"
  mv "$dir/new" "$dir/nodeslo.yaml"
}
start() {
  build/release/evenkeel run --nodeslo "$dir/nodeslo.yaml" --pods cgroup --state-dir "$dir/disk/state" --interval 250ms \
    --listen "unix:$dir/socket" >"$dir/log" 2>&1 &
  agent=$!
}
until_burst() { for _ in $(seq 60); do [ "$(burst)" = "$1" ] && return; sleep 0.5; done; fail "the burst is $(burst), not $1"; }
# ticks_in SECONDS COMMAND...: how many ticks there are while the command runs again and again.
ticks_in() {
  local end=$(($(date +%s) + $1)) before
  before=$(ticks)
  while [ "$(date +%s)" -lt $end ]; do "${@:2}"; done
  echo $(($(ticks) - before))
}
change() { configure 50 true && sleep 2.5 && configure 60 false && sleep 2.5; }

configure 50 true
start
until_burst 20000
quiet=$(ticks_in 20 sleep 2)
for number in 1 2 3 4; do
  perl -MIO::Handle -e 'for (my $i = 0;; ++$i) { open my $f, ">", "$ARGV[0]." . ($i % 8) or exit 1; print $f "x" x 65536; $f->flush; $f->sync; }' \
    "$dir/disk/writer$number" &
  writer="$writer $!"
done
busy=$(ticks_in 30 change)
echo "a slow disk: $quiet ticks in 20 s without other writers, $busy in 30 s with four and with changes; health within $(slowest_health 5) ms"
[ "$busy" -ge "$quiet" ] || fail "ticks wait for the slow disk"
for process in $writer; do { kill $process && wait $process; } || true; done
writer=
configure 50 false
until_burst 20000

fsfreeze --freeze "$dir/disk" && frozen=yes
still=$(ticks_in 20 sleep 2)
echo "frozen, nothing to write: $still ticks in 20 s, health within $(slowest_health 5) ms"
[ $((2 * still)) -ge "$quiet" ] || fail "ticks without a change wait for the frozen disk"
configure 70 false
sleep 10
[ "$(burst)" = 20000 ] || fail "a value was written that is not on record"
fsfreeze --unfreeze "$dir/disk" && frozen=
until_burst 28000

echo "frozen at the stop"
fsfreeze --freeze "$dir/disk" && frozen=yes
kill $agent
until_burst 0
fsfreeze --unfreeze "$dir/disk" && frozen=
wait $agent || fail "the agent did not end well"

echo "frozen at the start"
fsfreeze --freeze "$dir/disk" && frozen=yes
start
sleep 5
[ "$(burst)" = 0 ] || fail "a value was written that is not on record"
fsfreeze --unfreeze "$dir/disk" && frozen=
until_burst 28000
kill $agent && wait $agent || fail "the agent did not end well"
agent=
[ "$(burst)" = 0 ] || fail "the burst is $(burst) after the end"
