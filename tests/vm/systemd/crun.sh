# A container made by Debian's crun as CRI-O makes it (systemd driver, cgroup v2): crun writes its limits into the
# cgroup "container" in its scope; 1.8 leaves the scope without a quota. Burst has to follow the quota, memory values have
# to be in both; the container then really uses more than its limit, and both get their originals back.
set -euo pipefail
[ "${EVENKEEL_IN_VM:-}" = systemd ] || { echo "this is for the guest: tests/vm/vmrun --systemd"; exit 77; }
command -v crun >/dev/null || { echo "crun is not installed"; exit 77; }
[ -x build/release/evenkeel ] || { echo "build/release/evenkeel was not built"; exit 77; }
. tests/vm/batch_slice.sh
id=$(printf 'c%.0s' {1..64})
service=kubepods-burstable-podcccccccc_2222_3333_4444_555555555555.slice
scope=/sys/fs/cgroup/kubepods.slice/kubepods-burstable.slice/$service/crio-$id.scope
bundle=/run/crun-case
first_word() { cut -d' ' -f1 "$1"; }
used_us() { sed -n 's/^usage_usec //p' $scope/container/cpu.stat; }
show() { for dir in $scope $scope/container; do say "${dir##*/}: $(grep . $dir/cpu.max $dir/cpu.max.burst $dir/memory.{min,low,high} | sed 's/.*[/]//' | tr '\n' ' ')$(grep throttled $dir/cpu.stat | tr '\n' ' ')"; done; }

mkdir -p $bundle/rootfs/{bin,dev,proc}
cp /bin/busybox $bundle/rootfs/bin/busybox
cat >$bundle/config.json <<J
{"ociVersion": "1.0.0", "root": {"path": "rootfs"},
 "process": {"user": {"uid": 0, "gid": 0}, "cwd": "/", "args": ["/bin/busybox", "sh", "-c", "while :; do :; done"]},
 "mounts": [{"destination": "/proc", "type": "proc", "source": "proc"}],
 "linux": {"cgroupsPath": "$service:crio:$id", "namespaces": [{"type": "pid"}, {"type": "mount"}],
           "resources": {"cpu": {"quota": 20000, "period": 100000, "shares": 204}, "memory": {"limit": 67108864}}}}
J
cat >$bundle/nodeslo.yaml <<'Y'
cpuBurstStrategy: {policy: auto, cfsQuotaBurstPercent: 300, sharePoolThresholdPercent: 90}
resourceQOSStrategy: {lsClass: {memoryQOS: {enable: true, minLimitPercent: 50, lowLimitPercent: 80, throttlingPercent: 80}}}
Y
cat >$bundle/pods.yaml <<Y
items:
- metadata: {uid: cccccccc-2222-3333-4444-555555555555, namespace: shop, name: cart}
  spec: {containers: [{name: a, resources: {requests: {cpu: 200m, memory: 32Mi}, limits: {cpu: 200m, memory: 64Mi}}}]}
  status: {phase: Running, qosClass: Burstable, containerStatuses: [{name: a, containerID: 'cri-o://$id', state: {running: {}}}]}
Y
systemctl start dbus.service
systemd-run --quiet --scope --slice=$service sleep infinity &
crun --systemd-cgroup run --detach --bundle $bundle $id </dev/null >$bundle/out 2>&1 || fail "crun: $(cat $bundle/out)"
show
[ "$(first_word $scope/container/cpu.max)" = 20000 ] || fail "crun has not set the quota: $(cat $scope/container/cpu.max)"
of_scope=$(first_word $scope/cpu.max)
before=$(cd $scope && grep . {.,container}/{cpu.max,cpu.max.burst,memory.min,memory.low,memory.high})

coproc AGENT { exec build/release/evenkeel run --stepped --nodeslo $bundle/nodeslo.yaml --pods file:$bundle/pods.yaml \
  --state-dir $bundle/state 2>>/run/evenkeel.log; }
tell() {
  echo "$*" >&"${AGENT[1]}"
  IFS= read -r -t 120 answer <&"${AGENT[0]}" || fail "no answer to: $*"
}
raised() {
  sleep 1
  tell "advance 1s"
  [ "$(first_word $scope/container/cpu.max)" = 60000 ] &&
    [ "$(first_word $scope/cpu.max)" = "$([ "$of_scope" = max ] && echo max || echo 60000)" ]
}
tell "advance 1s"
within 120 "the container's quota is raised" raised
show
for file in memory.min memory.low memory.high; do
  [ "$(cat $scope/$file)" = "$(cat $scope/container/$file)" ] || fail "$file differs: $(cat $scope/$file $scope/container/$file)"
done
[ "$(cat $scope/container/cpu.max.burst)" = 20000 ] || fail "the burst is $(cat $scope/container/cpu.max.burst)"
[ "$(cat $scope/container/memory.low)" -gt 0 ] || fail "memory.low is 0"
from=$(used_us) since=$(date +%s%N)
sleep 5
percent=$((($(used_us) - from) * 100000 / ($(date +%s%N) - since)))
say "the container uses $percent % of a CPU; its limit is 20 %"
[ $percent -gt 30 ] || fail "it uses no more than its limit"

tell quit
after=$(cd $scope && grep . {.,container}/{cpu.max,cpu.max.burst,memory.min,memory.low,memory.high})
[ "$before" = "$after" ] || fail "not restored: $after"
crun delete --force $id
say "both have their originals"
