# The API server is killed and stays down for OUTAGE_SECONDS (60): ticks continue, every value stays in
# effect, metrics show the age of the inputs, no pod is evicted based on stale data, and the log reports
# changes only. After its return, pods, Node and figures are fresh again without any restart.
. tests/kube/case.sh
. "$KUBE_CLUSTER/control_plane.sh"
OUTAGE=${OUTAGE_SECONDS:-60}

clean_up() { running apiserver || bring_back; }
# configure LENT-PERCENT EVICTION-PERCENT: changes the lent amount, which the Node must get after the outage.
configure() {
  cat >"$WORK/nodeslo.new" <<YAML
resourceUsedThresholdWithBE:
  {enable: true, cpuSuppressPolicy: cfsQuota, memoryEvictThresholdPercent: $2, memoryEvictLowerPercent: $(($2 - 1))}
cpuBurstStrategy: {policy: auto}
resourceQOSStrategy: {beClass: {cpuQOS: {enable: true}}}
extensions: {colocation: {enable: true, cpuReclaimThresholdPercent: $1}, evenkeel: {featureGates: {BEMemoryEvict: true}}}
YAML
  mv "$WORK/nodeslo.new" "$WORK/nodeslo.yaml"
}
age() { metric "evenkeel_input_age_seconds{input=\"$1\"}"; }
older_than() { metric_above "evenkeel_input_age_seconds{input=\"$1\"}" "$2"; }
in_force() {
  cpu_is "$batch" idle 1 && cpu_is_not kubepods/besteffort cfs_quota_us -1 && cpu_is "$service/$container" cfs_burst_us "$burst"
}
quiet() { metric_is evenkeel_evictions_total 0; }
figure_has_changed() { [ -n "$(allocatable batch-cpu)" ] && [ "$(allocatable batch-cpu)" != "$lent" ]; }
since() { printf '%d s' $((SECONDS - $1)); }

pods batch service
batch=$(pod_cgroup batch) service=$(pod_cgroup service) container=$(container service) batch_container=$(container batch)
configure 200 99
cluster_agent --report node-status
soon 30 "pods and Node are known" good pods node
soon 30 "the Node lends" advertised batch-cpu
soon 30 "the service may burst" cpu_is_not "$(container_cgroup service)" cfs_burst_us 0
soon 30 "batch pods run when no sibling cgroup wants the CPU" cpu_is "$batch" idle 1
soon 30 "best effort is bounded" cpu_is_not kubepods/besteffort cfs_quota_us -1
burst=$(cpu "$(container_cgroup service)" cfs_burst_us)
sleep 12 # until the figures are stable
lent=$(allocatable batch-cpu)

say "the API server is killed, for $OUTAGE s"
before=$(ticks) lines=$(wc -l <"$WORK/agent.log") away=$SECONDS
stop apiserver KILL 5
soon 90 "the Node's age grows" older_than node 20
configure 400 99
soon 90 "the kubelet, which knows no token without the API server, is not believed either" older_than pods 31
say "pods are $(age pods) s old, the Node $(age node) s, after $(since $away); eviction would be due now"
configure 400 1
sleep 15
quiet || fail "a pod was evicted on a list that the server does not confirm"
configure 400 99
sleep 3
while [ $((SECONDS - away)) -lt "$OUTAGE" ]; do
  in_force || fail "a value is no longer in force after $(since $away)"
  page healthz >/dev/null || fail "the agent does not answer after $(since $away)"
  sleep 2
done
say "pods are $(age pods) s old, the Node $(age node) s, after $(since $away)"
older_than pods $((OUTAGE - 45)) || fail "the age of the pods was not shown"
older_than node $((OUTAGE - 15)) || fail "the age of the Node was not shown"
in_force || fail "a value is no longer in force"
quiet || fail "a pod was evicted"
ticks_on_time "$before" "$(ticks)" || fail "ticks were late"
tail -n +$((lines + 1)) "$WORK/agent.log" >"$WORK/outage.log"
say "the log of the outage, $(wc -l <"$WORK/outage.log") lines:"
cat "$WORK/outage.log"
[ "$(wc -l <"$WORK/outage.log")" -le 20 ] || fail "the log does not keep to changes"

say "the API server is back"
bring_back
back=$SECONDS
# The longest retry interval of the agent is a minute.
soon 150 "the pods are fresh" good pods
say "pods after $(since $back)"
soon 150 "the Node has the figures of now" figure_has_changed
say "figures after $(since $back): batch-cpu $lent before, $(allocatable batch-cpu) now"
soon 150 "the Node is fresh" good node
say "Node after $(since $back)"
in_force || fail "a value is no longer in force"
[ "$(container batch) $(container service)" = "$batch_container $container" ] || fail "a container was restarted"
quiet || fail "a pod was evicted after all"
stop_agent
