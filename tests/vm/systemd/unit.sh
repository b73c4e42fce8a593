# systemd/evenkeel.service under a real systemd with its hardening: it becomes ready, works, stops with
# everything restored, and after kill -9 is restored by ExecStopPost and restarted. Its socket is for members of the group
# evenkeel, and what it keeps on disk for root. With all features of the base on at once, each changes something (CPU sets,
# push-back and eviction as well), nothing is refused, and all is restored.
set -euo pipefail
[ -x build/release/evenkeel ] || { echo "build/release/evenkeel was not built"; exit 77; }
. tests/vm/batch_slice.sh
# has_restarted COUNT
has_restarted() { [ "$(systemctl show -P NRestarts evenkeel.service)" = "$1" ] && is_active; }

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
explain_as() { setpriv --reuid=65534 --regid=65534 "$@" evenkeel explain; }
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
within 60 "the agent has come back" has_restarted 1
within 60 "best effort is bounded by the second life" is_bounded
say "restored after stop, and after kill -9"

say "stopped (SIGSTOP) for longer than the watchdog waits: systemd ends it, restores, and starts it again"
systemctl kill --signal=STOP --kill-whom=main evenkeel.service
within 120 "the agent has come back after the stop" has_restarted 2
within 60 "best effort is bounded by the third life" is_bounded
systemctl stop evenkeel.service
is_free || fail "after the watchdog and a stop: cpu.max is $(cat $besteffort/cpu.max)"

say "all features of the base at once"
service=kubepods-burstable-podaaaaaaaa_2222_3333_4444_555555555555.slice
id=$(printf 'a%.0s' {1..64})
container=/sys/fs/cgroup/kubepods.slice/kubepods-burstable.slice/$service/cri-containerd-$id.scope
# A service with a CPU of its own.
owner=kubepods-burstable-podbbbbbbbb_2222_3333_4444_555555555555.slice
pinned=/sys/fs/cgroup/kubepods.slice/kubepods-burstable.slice/$owner/cri-containerd-p.scope
online=$(cat /sys/devices/system/cpu/online)
[ "$online" = 0-1 ] || fail "the guest has the CPUs $online: the case pins one of two"
# A large file that nothing in the guest has read before: the emulator has loaded it.
unread=(build/vm*/vmlinux)
[ -e "${unread[0]}" ] || fail "no ${unread[0]}"
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
    # Memory counts as short in any case.
    memoryPushBack: {enable: true, availablePercent: 100, stepPercent: 50}
    brake: {enable: true, runQueue: false}
    requestSize: {enable: false}
    contention: {enable: true}
  colocation: {enable: true}
YAML
! evenkeel check /etc/evenkeel/nodeslo.yaml | grep '^rights:' || fail "this is more than the base"
cat >/etc/evenkeel/pods.yaml <<YAML
items:
- metadata: {uid: 11111111-2222-3333-4444-555555555555, namespace: batch, name: job, labels: {koordinator.sh/qosClass: BE}}
  spec: {terminationGracePeriodSeconds: 2, containers: [{name: a}, {name: r}]}
  status:
    phase: Running
    qosClass: BestEffort
    containerStatuses:
    - {name: a, containerID: 'containerd://b', state: {running: {}}}
    - {name: r, containerID: 'containerd://r', state: {running: {}}}
- metadata:
    {uid: bbbbbbbb-2222-3333-4444-555555555555, namespace: shop, name: search, labels: {koordinator.sh/qosClass: LSR},
    annotations: {scheduling.koordinator.sh/resource-status: '{"cpuset": "1"}'}}
  spec: {containers: [{name: a, resources: {requests: {cpu: 1}}}]}
  status: {phase: Running, qosClass: Burstable, containerStatuses: [{name: a, containerID: 'containerd://p', state: {running: {}}}]}
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
# AllowedCPUs: as a container runtime does, so that the containers have the files of the controller for CPU sets.
systemd-run --quiet --scope --slice=$service --unit="cri-containerd-$id.scope" -p MemoryMax=64M -p CPUQuota=20% \
  -p AllowedCPUs=$online sleep infinity &
systemd-run --quiet --scope --slice=$owner --unit=cri-containerd-p.scope -p AllowedCPUs=$online sleep infinity &
# Page cache of best effort, for push-back to take.
systemd-run --quiet --scope --slice=$pod --unit=cri-containerd-r.scope \
  sh -c "head -c 16M ${unread[0]} >/dev/null; exec sleep infinity" &
# has_cpus CGROUP SET
has_cpus() { [ "$(cat "$1/cpuset.cpus" 2>/dev/null)" = "$2" ]; }
besteffort_mib() { echo $(($(cat $besteffort/memory.current) >> 20)); }
has_page_cache() { [ "$(besteffort_mib)" -ge 12 ]; }
within 60 "the service runs" has_cpus "$container" $online
within 60 "the service with a CPU of its own runs" has_cpus $pinned $online
within 60 "best effort has page cache" has_page_cache
# metric NAME: its value.
metric() {
  exec {asked}<>/dev/tcp/127.0.0.1/9319
  printf 'GET /metrics HTTP/1.0\r\nHost: localhost\r\n\r\n' >&"$asked"
  sed -n "s/^$1 //p" <&"$asked"
  exec {asked}>&-
}
is_positive() { [ "$(cat "$1")" -gt 0 ]; }
limits_disk() { grep -q '^7:0 .*riops=1000' $besteffort/io.max; }
is_pushed_back() { [ "$(cat $besteffort/memory.high)" != max ] && [ "$(besteffort_mib)" -lt 6 ]; }
is_ended() { [ ! -d $besteffort/$pod/cri-containerd-b.scope ] && [ ! -d $besteffort/$pod/cri-containerd-r.scope ]; }
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
within 60 "the CPU of a service" has_cpus $pinned 1
within 60 "the CPUs of the other services" has_cpus "$container" 0
within 60 "push-back" is_pushed_back
say "CPU sets: $(cat $pinned/cpuset.cpus) and $(cat "$container/cpuset.cpus"); push-back: best effort has $(besteffort_mib) MiB"
[ "$(metric evenkeel_refusals_total)" = 0 ] || fail "refused: $(grep event=refused /run/evenkeel.log)"
# The pod's processes are root's, as the agent is: they need no drop-in.
sed -i 's/memoryEvictThresholdPercent: 99/memoryEvictThresholdPercent: 1, memoryEvictLowerPercent: 0/
  s/^  evenkeel:$/&\n    killWithoutApi: true/' /etc/evenkeel/nodeslo.yaml
within 60 "eviction" grep -q 'event=pod-ended pod=batch/job' /run/evenkeel.log
within 60 "the end of the evicted pod's containers" is_ended
[ -d "$container" ] && [ -d $pinned ] && [ -d $besteffort/$front/cri-containerd-f.scope ] || fail "a service was ended"
! grep -E 'EPERM|EACCES' /run/evenkeel.log || fail "something was refused for want of rights"
systemctl stop evenkeel.service
is_free && ! limits_disk && ! is_positive "$container/cpu.max.burst" || fail "not restored: $(cat $besteffort/{cpu,io}.max "$container/cpu.max.burst")"
has_cpus $pinned $online && has_cpus "$container" $online && [ "$(cat $besteffort/memory.high)" = max ] ||
  fail "not restored: $(cat {$pinned,"$container"}/cpuset.cpus $besteffort/memory.high)"
[ "$(systemctl show -P Result evenkeel.service)" = success ] || fail "the stop was not in order"
rm /etc/systemd/system/evenkeel.service.d/pods.conf
systemctl stop "cri-containerd-$id.scope" cri-containerd-p.scope
systemctl daemon-reload
say "nothing was refused"
