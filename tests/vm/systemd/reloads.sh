# systemd resets the agent's values, on a clock that the test moves: with a daemon-reload each day, and with the
# weight of the slice renewed each minute, as the kubelet does with the systemd driver. Each value is written
# again in the next tick, and nothing is given up. A value set repeatedly by set-property stays, and no owner's
# value is lost at the stop.
set -euo pipefail
[ "${EVENKEEL_IN_VM:-}" = systemd ] || { echo "this is for the guest: tests/vm/vmrun --systemd"; exit 77; }
[ -n "${EVENKEEL_VM_LONG:-}" ] || { echo "takes minutes in an emulated machine: tests/run vm-newer"; exit 77; }
[ -x build/release/evenkeel ] || { echo "build/release/evenkeel was not built"; exit 77; }
. tests/vm/batch_slice.sh
idle=$besteffort/$pod/cpu.idle
is_idle() { [ "$(cat $idle)" = 1 ]; }
state() { say "$1: cpu.max of best effort is $(cat $besteffort/cpu.max), cpu.idle of its pod $(cat $idle)"; }

mkdir -p /run/reloads
printf '%s\n' 'resourceUsedThresholdWithBE: {enable: true, cpuSuppressPolicy: cfsQuota, cpuSuppressThresholdPercent: 50}' \
  'resourceQOSStrategy: {beClass: {cpuQOS: {enable: true}}}' >/run/reloads/nodeslo.yaml
cat >/run/reloads/pods.yaml <<YAML
items:
- metadata: {uid: 11111111-2222-3333-4444-555555555555, namespace: batch, name: job, labels: {koordinator.sh/qosClass: BE}}
  spec: {containers: [{name: a}]}
  status: {phase: Running, qosClass: BestEffort, containerStatuses: [{name: a, containerID: 'containerd://b', state: {running: {}}}]}$front_in_list
YAML
start_batch
coproc AGENT { exec build/release/evenkeel run --stepped --nodeslo /run/reloads/nodeslo.yaml --pods file:/run/reloads/pods.yaml \
  --state-dir /run/reloads/state 2>>/run/evenkeel.log; }
tell() {
  echo "$*" >&"${AGENT[1]}"
  IFS= read -r -t 120 answer <&"${AGENT[0]}" || fail "no answer to: $*"
}
# pass TIME: advances by that time and two ticks, since measurements need a second one.
pass() { for time in "$1" 1s 1s; do tell "advance $time"; done; }
reload() {
  systemctl daemon-reload
  is_free && ! is_idle || fail "the reload has written nothing: $(cat $besteffort/cpu.max $idle)"
  pass 1s
}

for _ in $(seq 20); do tell "advance 1s"; done
is_bounded && is_idle || fail "nothing is held: $(cat $besteffort/cpu.max $idle)"

say "a daemon-reload each day"
for day in 1 2 3 4 5 6; do
  reload
  is_bounded && is_idle || fail "day $day: not written again at once: $(cat $besteffort/cpu.max $idle)"
  pass 24h
  is_bounded && is_idle || fail "day $day: not held"
done

# What the kubelet does with the systemd driver, for EVENKEEL_RESET_MINUTES (30).
minutes=${EVENKEEL_RESET_MINUTES:-30}
say "the weight renewed each minute for $minutes minutes, with a daemon-reload every fifth"
bounded=0 lifts=0
for minute in $(seq "$minutes"); do
  systemctl set-property --runtime kubepods-besteffort.slice CPUWeight=$((minute % 2 + 1))
  [ $((minute % 5)) -ne 0 ] || systemctl daemon-reload
  lifted=no
  ! is_free || { lifted=yes && lifts=$((lifts + 1)); }
  seconds=0
  for _ in $(seq 60); do
    tell "advance 1s"
    ! is_bounded || seconds=$((seconds + 1))
  done
  say "minute $minute: quota lifted by systemd: $lifted, limited in $seconds of 60 ticks"
  bounded=$((bounded + seconds))
done
[ $lifts -eq "$minutes" ] || fail "systemd has lifted the quota in $lifts of $minutes minutes only: nothing is shown"
[ $bounded -ge $((minutes * 60 - minutes)) ] || fail "best effort was limited in $bounded of $((minutes * 60)) ticks only"
is_idle || fail "the pod is no longer idle class"
! grep -q 'event=yielded' /run/evenkeel.log || fail "a value was given up: $(grep event=yielded /run/evenkeel.log | tail -1)"
state "after $minutes minutes"

say "set-property"
pass 2h
for percent in 150 151 152 153; do
  systemctl set-property --runtime kubepods-besteffort.slice CPUQuota=$percent%
  pass 1s
  [ "$(quota)" = ${percent}000 ] || fail "not left alone: $(cat $besteffort/cpu.max)"
  pass 60s
done
[ "$(quota)" = 153000 ] || fail "what is insisted on was not given up: $(cat $besteffort/cpu.max)"
pass 240h
[ "$(quota)" = 153000 ] || fail "it did not stay its owner's: $(cat $besteffort/cpu.max)"
tell quit
[ "$(quota)" = 153000 ] || fail "lost at the stop: $(cat $besteffort/cpu.max)"
! is_idle || fail "the pod is idle class after the stop"
systemctl set-property --runtime kubepods-besteffort.slice CPUQuota=
rm -r /run/reloads
say "every value is its owner's"
