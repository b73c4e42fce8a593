# systemd/evenkeel.service under a real systemd, hardening and all: ready, at work, stopped without a trace, and after
# kill -9 restored by ExecStopPost and started again.
set -euo pipefail
[ -x build/release/evenkeel ] || { echo "build/release/evenkeel was not built"; exit 77; }
besteffort=/sys/fs/cgroup/kubepods.slice/kubepods-besteffort.slice
pod=kubepods-besteffort-pod11111111_2222_3333_4444_555555555555.slice

say() { printf '%s\n' "$*"; }
fail() {
  say "$*"
  systemctl --no-pager status evenkeel.service || true
  tail -n 40 /run/evenkeel.log || true
  say "$*"
  exit 1
}
quota() { cut -d' ' -f1 $besteffort/cpu.max; }
# within SECONDS WHAT COMMAND...: the command succeeds before the time is over.
within() {
  local until=$((SECONDS + $1)) what=$2
  shift 2
  until "$@"; do
    [ $SECONDS -lt $until ] || fail "not in time: $what"
    sleep 0.2
  done
}
is_bounded() { [ "$(quota)" != max ]; }
is_free() { [ "$(quota)" = max ]; }
is_active() { [ "$(systemctl show -P ActiveState evenkeel.service)" = active ]; }
has_restarted() { [ "$(systemctl show -P NRestarts evenkeel.service)" = 1 ] && is_active; }

install -D -m 755 build/release/evenkeel /usr/local/bin/evenkeel
install -D -m 644 systemd/evenkeel.service /etc/systemd/system/evenkeel.service
install -D -m 644 /dev/stdin /etc/evenkeel/nodeslo.yaml <<'YAML'
resourceUsedThresholdWithBE: {enable: true, cpuSuppressPolicy: cfsQuota, cpuSuppressThresholdPercent: 50}
YAML
install -D -m 644 /dev/stdin /etc/systemd/system/evenkeel.service.d/log.conf <<'UNIT'
[Service]
StandardOutput=append:/run/evenkeel.log
StandardError=inherit
UNIT
for slice in kubepods kubepods-besteffort ${pod%.slice}; do
  printf '[Slice]\nCPUWeight=1\n' >/etc/systemd/system/$slice.slice
done
printf '[Service]\nSlice=%s\nExecStart=/bin/sleep infinity\n' $pod >/etc/systemd/system/batch.service
systemctl daemon-reload
systemctl start batch.service
is_free || fail "the quota was bounded before the agent ran: $(cat $besteffort/cpu.max)"

say "start: returns when the agent says READY=1"
systemctl start evenkeel.service || fail "the unit did not start"
within 60 "best effort is bounded" is_bounded
say "bounded: cpu.max of best effort is $(cat $besteffort/cpu.max)"

say "stop"
systemctl stop evenkeel.service
is_free || fail "after the stop: cpu.max is $(cat $besteffort/cpu.max)"
[ "$(systemctl show -P Result evenkeel.service)" = success ] || fail "the stop was not in order"

say "start again, kill -9"
systemctl start evenkeel.service
within 60 "best effort is bounded again" is_bounded
systemctl kill --signal=KILL --kill-whom=main evenkeel.service
within 60 "the agent has come back" has_restarted
within 60 "best effort is bounded by the second life" is_bounded
systemctl stop evenkeel.service
is_free || fail "after kill -9 and a stop: cpu.max is $(cat $besteffort/cpu.max)"
say "restored after stop, and after kill -9"
