# The wall clock jumps by hours, both ways, and the agent is stopped (SIGSTOP) for seconds, in a long run for minutes, after
# which the machine is suspended (tests/README.md, "The guest"): ticks go on at their pace, without a burst of late ones,
# nothing that is held is lost, and all is as before at the end.
set -eu
[ "${EVENKEEL_IN_VM:-}" = v2 ] || { echo "one guest is enough: time does not depend on the hierarchy"; exit 77; }
. tests/vm/endpoint.sh
dir=$(mktemp -d /dev/shm/clock-jumps.XXXXXX)
kubepods=/sys/fs/cgroup/kubepods
pod=$kubepods/burstable/podeeeeeeee-0000-0000-0000-000000000002
agent= ahead=0
clean_up() {
  [ -z "$agent" ] || { kill -CONT "$agent"; kill "$agent" && wait "$agent"; } || true
  [ "$ahead" = 0 ] || date -s "@$(($(date +%s) - ahead))" >/dev/null
  rmdir $pod/c1 $pod ${pod%/*} $kubepods || true
  rm -rf "$dir"
}
trap clean_up EXIT
fail() { echo "$*"; cat "$dir/log"; exit 1; }

mkdir -p $pod/c1
for above in $kubepods ${pod%/*} $pod; do echo "+cpu +memory" >$above/cgroup.subtree_control; done
echo "40000 100000" >$pod/cpu.max
echo "40000 100000" >$pod/c1/cpu.max
printf 'cpuBurstStrategy: {policy: cpuBurstOnly}\n' >"$dir/nodeslo.yaml"
build/release/evenkeel run --nodeslo "$dir/nodeslo.yaml" --pods cgroup --state-dir "$dir/state" --interval 250ms \
  --listen "unix:$dir/socket" >"$dir/log" 2>&1 &
agent=$!

jump() { date -s "@$(($(date +%s) + $1))" >/dev/null && ahead=$((ahead + $1)); }
burst() { cat $pod/c1/cpu.max.burst; }
# keeps_pace WHAT: about four ticks a second for five seconds, and for as long as an emulated machine takes to ask. A busy
# machine may miss some; if missed ones were caught up, there would be 80 more.
keeps_pace() {
  local before after
  before=$(ticks) && sleep 5 && after=$(ticks)
  echo "$1: $((after - before)) ticks in 5 s, burst $(burst)"
  [ $((after - before)) -ge 10 ] && [ $((after - before)) -le 50 ] || fail "$1: not about 20 ticks"
  [ "$(burst)" = "$held" ] || fail "$1: the burst was $held, is $(burst)"
}
# away WHAT COMMAND...: while the command runs, the agent does not.
away() {
  local before after what=$1
  shift
  before=$(ticks)
  "$@"
  keeps_pace "$what"
  after=$(ticks)
  [ $((after - before)) -le 75 ] || fail "$what: $((after - before)) ticks, those that were missed must not be caught up"
}
stop_for() { kill -STOP $agent && sleep "$1" && kill -CONT $agent; }
# All processes are frozen for five seconds, as the kernel does before it suspends the machine, and find another wall clock.
suspend() {
  if echo freezer >/sys/power/pm_test && echo freeze >/sys/power/state; then
    echo none >/sys/power/pm_test
  else
    echo "this kernel does not freeze the processes here: only the clock jumps"
  fi
  jump 36000
}

for _ in $(seq 60); do [ "$(burst)" = 0 ] || break; sleep 0.5; done
held=$(burst)
[ "$held" != 0 ] || fail "the agent gave no burst"
keeps_pace "before"
jump 36000 && keeps_pace "ten hours later"
jump -72000 && keeps_pace "twenty hours earlier"
jump 36000
if [ -z "${EVENKEEL_VM_LONG:-}" ]; then
  away "after being stopped for 20 s" stop_for 20
else
  away "after being stopped for 180 s" stop_for 180
  away "after a suspend of ten hours" suspend
fi
! grep -E 'level=(warning|error)' "$dir/log" || fail "nothing of this is worth a warning"
kill $agent && wait $agent || fail "the agent did not end well"
agent=
[ "$(burst)" = 0 ] || fail "the burst is $(burst) after the end"
