# systemd/evenkeel.service under a real systemd with its hardening: it becomes ready, works, stops with
# everything restored, and after kill -9 is restored by ExecStopPost and restarted. Its socket is for members of the group
# evenkeel, and what it keeps on disk for root.
set -euo pipefail
[ -x build/release/evenkeel ] || { echo "build/release/evenkeel was not built"; exit 77; }
. tests/vm/batch_slice.sh
has_restarted() { [ "$(systemctl show -P NRestarts evenkeel.service)" = 1 ] && is_active; }

install_unit
install -D -m 644 /dev/stdin /etc/evenkeel/nodeslo.yaml <<'YAML'
resourceUsedThresholdWithBE: {enable: true, cpuSuppressPolicy: cfsQuota, cpuSuppressThresholdPercent: 50}
YAML
start_batch

say "start: returns when the agent says READY=1"
systemctl start evenkeel.service || fail "the unit did not start"
within 60 "best effort is bounded" is_bounded
say "bounded: cpu.max of best effort is $(cat $besteffort/cpu.max)"

say "who may ask"
socket=/run/evenkeel/evenkeel.sock
group=$(getent group evenkeel | cut -d: -f3)
# explain_as SETPRIV-OPTION...: by a user who is not root.
explain_as() { setpriv --reuid=65534 --regid=65534 "$@" evenkeel explain --listen unix:$socket; }
within 60 "the socket is there" [ -S $socket ]
[ "$(stat -c '%a %U %G' /run/evenkeel $socket | tr '\n' ' ')" = "750 root evenkeel 660 root evenkeel " ] ||
  fail "owners or modes: $(stat -c '%n %a %U %G' /run/evenkeel $socket)"
[[ $(explain_as --groups="$group") == *cpu-suppress* ]] || fail "a member of the group does not get the explanation"
! explain_as --clear-groups || fail "a user outside of the group gets details of pods"
[ "$(stat -c '%a %U' /var/lib/evenkeel)" = "700 root" ] || fail "the state directory: $(stat -c '%a %U %G' /var/lib/evenkeel)"
open=$(find /var/lib/evenkeel -mindepth 1 -perm /077)
[ -z "$open" ] || fail "not for root alone: $open"

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
