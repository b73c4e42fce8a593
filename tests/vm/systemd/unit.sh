# systemd/evenkeel.service under a real systemd with its hardening: it becomes ready, works, stops with
# everything restored, and after kill -9 is restored by ExecStopPost and restarted.
set -euo pipefail
[ -x build/release/evenkeel ] || { echo "build/release/evenkeel was not built"; exit 77; }
. tests/vm/batch_slice.sh
has_restarted() { [ "$(systemctl show -P NRestarts evenkeel.service)" = 1 ] && is_active; }

install -D -m 755 build/release/evenkeel /usr/local/bin/evenkeel
install -D -m 644 systemd/evenkeel.service /etc/systemd/system/evenkeel.service
install -D -m 644 /dev/stdin /etc/evenkeel/nodeslo.yaml <<'YAML'
resourceUsedThresholdWithBE: {enable: true, cpuSuppressPolicy: cfsQuota, cpuSuppressThresholdPercent: 50}
YAML
start_batch

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
