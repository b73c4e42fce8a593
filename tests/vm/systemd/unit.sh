# systemd/evenkeel.service under a real systemd with its hardening: it becomes ready, works, stops with
# everything restored, and after kill -9 is restored by ExecStopPost and restarted. Its socket is for members of the group
# evenkeel, and what it keeps on disk for root. With all features of the base on at once, nothing is refused.
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

say "all features of the base at once"
service=kubepods-burstable-podaaaaaaaa_2222_3333_4444_555555555555.slice
id=$(printf 'a%.0s' {1..64})
container=/sys/fs/cgroup/kubepods.slice/kubepods-burstable.slice/$service/cri-containerd-$id.scope
lent=/var/lib/evenkeel/lent
cat >/etc/evenkeel/nodeslo.yaml <<'YAML'
resourceUsedThresholdWithBE:
  {enable: true, cpuSuppressPolicy: cfsQuota, cpuSuppressThresholdPercent: 50, memoryEvictThresholdPercent: 99,
  cpuEvictBESatisfactionUpperPercent: 2, cpuEvictBESatisfactionLowerPercent: 1}
cpuBurstStrategy: {policy: auto}
resourceQOSStrategy:
  lsClass: {cpuQOS: {enable: true}, memoryQOS: {enable: true, minLimitPercent: 50, lowLimitPercent: 80, throttlingPercent: 80}}
  beClass:
    cpuQOS: {enable: true}
    blkioQOS: {enable: true, blocks: [{name: /dev/loop0, type: device, ioCfg: {readIOPS: 1000}}]}
extensions:
  evenkeel:
    featureGates: {BEMemoryEvict: true, BECPUEvict: true}
    memoryPushBack: {enable: true}
    brake: {enable: true, runQueue: false}
    requestSize: {enable: false}
    contention: {enable: true}
  colocation: {enable: true}
YAML
! evenkeel check /etc/evenkeel/nodeslo.yaml | grep '^rights:' || fail "this is more than the base"
cat >/etc/evenkeel/pods.yaml <<YAML
items:
- metadata: {uid: 11111111-2222-3333-4444-555555555555, namespace: batch, name: job, labels: {koordinator.sh/qosClass: BE}}
  spec: {containers: [{name: a}]}
  status: {phase: Running, qosClass: BestEffort, containerStatuses: [{name: a, containerID: 'containerd://b', state: {running: {}}}]}
- metadata: {uid: aaaaaaaa-2222-3333-4444-555555555555, namespace: shop, name: cart, labels: {koordinator.sh/qosClass: LS}}
  spec: {containers: [{name: a, resources: {requests: {cpu: 200m, memory: 32Mi}, limits: {cpu: 200m, memory: 64Mi}}}]}
  status: {phase: Running, qosClass: Burstable, containerStatuses: [{name: a, containerID: 'containerd://$id', state: {running: {}}}]}$front_in_list
YAML
printf '[Service]\nEnvironment=EVENKEEL_PODS=file:/etc/evenkeel/pods.yaml EVENKEEL_REPORT=file:%s\n' $lent \
  >/etc/systemd/system/evenkeel.service.d/pods.conf
rm -f /etc/systemd/system/evenkeel.service.d/request-size.conf
systemctl daemon-reload
# Gives the slice the files of the controller for disks.
systemctl set-property --runtime kubepods-besteffort.slice IOAccounting=yes
systemd-run --quiet --scope --slice=$service --unit="cri-containerd-$id.scope" -p MemoryMax=64M -p CPUQuota=20% sleep infinity &
within 60 "the service runs" [ -d "$container" ]
# metric NAME: its value.
metric() {
  exec {asked}<>/dev/tcp/127.0.0.1/9319
  printf 'GET /metrics HTTP/1.0\r\nHost: localhost\r\n\r\n' >&"$asked"
  sed -n "s/^$1 //p" <&"$asked"
  exec {asked}>&-
}
is_positive() { [ "$(cat "$1")" -gt 0 ]; }
limits_disk() { grep -q '^7:0 .*riops=1000' $besteffort/io.max; }
watches_pressure() { [ "$(metric 'evenkeel_pressure_triggers{state="open"}')" -gt 0 ]; }
: >/run/evenkeel.log
systemctl start evenkeel.service
is_eevdf || within 60 "suppression" is_bounded
within 60 "idle class" is_positive $besteffort/$pod/cpu.idle
within 60 "burst" is_positive "$container/cpu.max.burst"
within 60 "protection of memory" is_positive "$container/memory.low"
within 60 "limit of a disk" limits_disk
within 60 "pressure triggers of the brake" watches_pressure
within 60 "report of what is lent" [ -s $lent ]
[ "$(metric evenkeel_refusals_total)" = 0 ] || fail "refused: $(grep event=refused /run/evenkeel.log)"
! grep -E 'EPERM|EACCES' /run/evenkeel.log || fail "something was refused for want of rights"
systemctl stop evenkeel.service
is_free && ! limits_disk && ! is_positive "$container/cpu.max.burst" || fail "not restored: $(cat $besteffort/{cpu,io}.max "$container/cpu.max.burst")"
[ "$(systemctl show -P Result evenkeel.service)" = success ] || fail "the stop was not in order"
rm /etc/systemd/system/evenkeel.service.d/pods.conf
systemctl stop "cri-containerd-$id.scope"
systemctl daemon-reload
say "nothing was refused"
