# systemd/evenkeel.service as it is, in a cluster: pods from a kubelet on this machine over TLS, the NodeSLO, the Node and the
# NodeMetric from an API server, which is told of lent resources, events and an eviction (tests/support/servers.py). No
# drop-in is needed for that, and nothing is refused.
set -euo pipefail
[ "${EVENKEEL_IN_VM:-}" = systemd ] || { echo "this is for the guest: tests/vm/vmrun --systemd"; exit 77; }
[ -x build/release/evenkeel ] || { echo "build/release/evenkeel was not built"; exit 77; }
for program in python3 openssl; do [ -x /usr/bin/$program ] || { echo "the imitated servers need $program"; exit 77; }; done
. tests/vm/batch_slice.sh
servers=/run/servers
mkdir -p $servers
cat >$servers/nodeslo.json <<'JSON'
{"resourceUsedThresholdWithBE": {"enable": true, "memoryEvictThresholdPercent": 1, "memoryEvictLowerPercent": 0},
 "resourceQOSStrategy": {"beClass": {"cpuQOS": {"enable": true}}},
 "extensions": {"evenkeel": {"featureGates": {"BEMemoryEvict": true}}, "colocation": {"enable": true}}}
JSON
cat >$servers/pods.json <<'JSON'
{"items": [
 {"metadata": {"uid": "11111111-2222-3333-4444-555555555555", "namespace": "batch", "name": "job",
   "labels": {"koordinator.sh/qosClass": "BE"}},
  "spec": {"terminationGracePeriodSeconds": 2, "containers": [{"name": "a"}]},
  "status": {"phase": "Running", "qosClass": "BestEffort",
   "containerStatuses": [{"name": "a", "containerID": "containerd://b", "state": {"running": {}}}]}},
 {"metadata": {"uid": "66666666-2222-3333-4444-555555555555", "namespace": "shop", "name": "front",
   "labels": {"koordinator.sh/qosClass": "LS"}},
  "spec": {"containers": [{"name": "a"}]},
  "status": {"phase": "Running", "qosClass": "BestEffort",
   "containerStatuses": [{"name": "a", "containerID": "containerd://f", "state": {"running": {}}}]}}]}
JSON
/usr/bin/python3 tests/support/serve_alone.py $servers $servers/nodeslo.json $servers/pods.json &
trap 'kill %1' EXIT
install_unit
start_batch
rm -f /etc/systemd/system/evenkeel.service.d/request-size.conf
within 120 "both servers serve" [ -s $servers/environment ]
printf '[Service]\nEnvironmentFile=%s\n' $servers/environment >/etc/systemd/system/evenkeel.service.d/servers.conf
systemctl daemon-reload
systemctl start evenkeel.service || fail "the unit did not start"
is_idle() { [ "$(cat $besteffort/$pod/cpu.idle)" = 1 ]; }
has_seen() { grep -qx "$1" $servers/done; }
within 60 "pods from the kubelet" is_idle
for word in watch node nodemetric eviction event; do within 90 "the API server sees: $word" has_seen $word; done
grep -qx job $servers/evicted || fail "evicted: $(cat $servers/evicted)"
[[ $(evenkeel explain batch/job) == *cpu.idle* ]] || fail "the agent does not explain its pod: $(evenkeel explain batch/job)"
say "the API server has seen: $(paste -sd' ' $servers/done); evicted: $(paste -sd' ' $servers/evicted)"
! grep -E 'EPERM|EACCES' /run/evenkeel.log || fail "something was refused for want of rights"
systemctl stop evenkeel.service
[ "$(systemctl show -P Result evenkeel.service)" = success ] || fail "the stop was not in order"
! is_idle || fail "not restored: cpu.idle of the batch pod"

# For the cases that come after this one.
systemctl stop cri-containerd-b.scope cri-containerd-f.scope
remove_unit
