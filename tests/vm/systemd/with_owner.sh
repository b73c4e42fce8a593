# systemd and the agent write the same values. A value written by `systemctl set-property` is reported with
# the writer's name, left for a minute, then overwritten (tested if EVENKEEL_VM_LONG allows the time); at the
# stop the owner's value is restored. `systemctl daemon-reload` rewrites everything that systemd manages, without
# anybody's decision: the agent writes its values again at once.
set -euo pipefail
# Its settings persist: no other case may follow it in the same guest.
[ -n "${EVENKEEL_VM_LONG:-}" ] || { echo "too long for this guest: tests/run vm-newer has the time"; exit 77; }
[ -x build/release/evenkeel ] || { echo "build/release/evenkeel was not built"; exit 77; }
. tests/vm/batch_slice.sh
service=kubepods-burstable-podaaaaaaaa_2222_3333_4444_555555555555.slice
id=$(printf 'a%.0s' {1..64})
container=/sys/fs/cgroup/kubepods.slice/kubepods-burstable.slice/$service/cri-containerd-$id.scope
host_app=/sys/fs/cgroup/system.slice/transcode.service
log=/run/evenkeel.log

# is FILE VALUE: compares the first word of the file
is() { [ "$(cut -d' ' -f1 "$1")" = "$2" ]; }
must_be() { is "$1" "$2" || fail "$1 is $(cat "$1"), not $2"; }
is_ours() { [ "$(quota)" != max ] && [ "$(quota)" -lt 150000 ]; }
are_all_ours() { is_ours && is $besteffort/$pod/cpu.idle 1 && is "$container/memory.high" 41943040 && ! is $host_app/cpu.max max; }
logged() { grep -q "event=$1 path=sys/fs/cgroup/$2 .*writer=[\"]*systemd.1." $log; }

install_unit
install -D -m 644 /dev/stdin /etc/evenkeel/nodeslo.yaml <<'YAML'
resourceUsedThresholdWithBE: {enable: true, cpuSuppressPolicy: cfsQuota, cpuSuppressThresholdPercent: 50}
resourceQOSStrategy:
  beClass: {cpuQOS: {enable: true}}
  lsClass: {memoryQOS: {enable: true, throttlingPercent: 50, wmarkRatio: 0}}
hostApplications:
- {name: transcode, qos: BE, cgroupPath: {base: CgroupRoot, parentDir: system.slice, relativePath: transcode.service}}
YAML
sed "s/CONTAINER/$id/" >/etc/evenkeel/pods.yaml <<YAML
items:
- metadata: {uid: 11111111-2222-3333-4444-555555555555, namespace: batch, name: job, labels: {koordinator.sh/qosClass: BE}}
  spec: {containers: [{name: a}]}
  status: {phase: Running, qosClass: BestEffort, containerStatuses: [{name: a, containerID: 'containerd://b', state: {running: {}}}]}
- metadata: {uid: aaaaaaaa-2222-3333-4444-555555555555, namespace: shop, name: cart}
  spec: {containers: [{name: a, resources: {requests: {memory: 16Mi}, limits: {memory: 64Mi}}}]}
  status: {phase: Running, qosClass: Burstable, containerStatuses: [{name: a, containerID: 'containerd://CONTAINER', state: {running: {}}}]}$front_in_list
YAML
install -D -m 644 /dev/stdin /etc/systemd/system/evenkeel.service.d/pods.conf <<'UNIT'
[Service]
Environment=EVENKEEL_PODS=file:/etc/evenkeel/pods.yaml
UNIT
# Without it the log does not name the writer.
install -m 644 -t /etc/systemd/system/evenkeel.service.d systemd/drop-ins/name-writers.conf
printf '[Service]\nExecStart=/bin/sleep infinity\nCPUWeight=77\n' >/etc/systemd/system/transcode.service
start_batch
systemctl start transcode.service
systemd-run --quiet --scope --slice=$service --unit="cri-containerd-$id.scope" -p MemoryMax=64M sleep infinity &

say "start"
systemctl start evenkeel.service || fail "the unit did not start"
within 60 "class, pod, container and host application are held" are_all_ours

say "set-property"
systemctl set-property --runtime kubepods-besteffort.slice CPUQuota=150%
systemctl set-property --runtime "cri-containerd-$id.scope" MemoryHigh=48M
systemctl set-property --runtime transcode.service CPUQuota=160% CPUWeight=321
since=$SECONDS
theirs_stand() {
  is $besteffort/cpu.max 150000 && is "$container/memory.high" 50331648 && is $host_app/cpu.max 160000
}
# With the weight systemd clears cpu.idle, which nobody asked for: the agent sets it again, and restores the new weight.
are_all_theirs() { theirs_stand && is $host_app/cpu.idle 0 && is $host_app/cpu.weight 321; }
within 20 "systemd's values are logged" logged foreign-write kubepods.slice/kubepods-besteffort.slice/cpu.max
while [ $((SECONDS - since)) -lt 10 ]; do
  theirs_stand || fail "not left alone: $(cat $besteffort/cpu.max "$container/memory.high" $host_app/cpu.max)"
  sleep 1
done
if [ -n "${EVENKEEL_VM_LONG:-}" ]; then
  within 120 "the class's quota is written again after a minute" is_ours
  say "after $((SECONDS - since)) s: cpu.max of best effort is $(cat $besteffort/cpu.max)"
fi

say "stop"
systemctl stop evenkeel.service
are_all_theirs || fail "lost at the stop: $(cat $besteffort/cpu.max "$container/memory.high" $host_app/cpu.max $host_app/cpu.weight)"
must_be $besteffort/$pod/cpu.idle 0

say "start again, daemon-reload"
: >$log
systemctl start evenkeel.service
within 60 "best effort is bounded below its owner's quota" is_ours
within 60 "its pod is idle class" is $besteffort/$pod/cpu.idle 1
systemctl daemon-reload
within 20 "what the reload has reset is written again" is_ours
within 20 "the pod's too" is $besteffort/$pod/cpu.idle 1
! logged foreign-write kubepods.slice/kubepods-besteffort.slice || fail "a reset was reported as a foreign write"
systemctl stop evenkeel.service
are_all_theirs || fail "lost at the second stop: $(cat $besteffort/cpu.max "$container/memory.high" $host_app/cpu.max $host_app/cpu.weight)"
must_be $besteffort/$pod/cpu.weight 1
say "no foreign value is lost"
