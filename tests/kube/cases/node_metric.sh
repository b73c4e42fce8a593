# The use of the node and its pods in this node's NodeMetric: the agent reports what is missing until the
# permission, the resource and the object exist; then the object has every field, and a busy pod's use matches
# its cgroup.
. tests/kube/case.sh

clean_up() {
  kubectl delete -f tests/kube/crds/nodemetrics.yaml --ignore-not-found >/dev/null
  grant_rights
}
metric() { kubectl get nodemetric "$KUBE_NODE" -o jsonpath="{.status$1}"; }
busy() { metric ".podsMetric[?(@.name==\"busy\")].$1"; }
said() { grep -q "event=usage-not-reported.*$1" "$WORK/agent.log"; }
reported_since() { [[ "$(metric .updateTime)" > "$1" ]]; }
has() { [ -n "$(metric ".nodeMetric.$1")" ]; } # the aggregated ones come later than the first report
knows_busy() { [ -n "$(busy podUsage.resources.cpu)" ]; }
# Milliseconds of CPU used by the pod, and of wall time.
used() { echo $(($(cat "/sys/fs/cgroup/cpuacct/$1/cpuacct.usage") / 1000000)); }
now() { echo $(($(date +%s%N) / 1000000)); }
anonymous() {
  awk '/^total_(active_anon|inactive_anon|unevictable) / { sum += $2 } END { print sum }' "/sys/fs/cgroup/memory/$1/memory.stat"
}
# near WHAT FOUND EXPECTED TOLERANCE
near() {
  local off=$(($2 > $3 ? $2 - $3 : $3 - $2))
  say "$1: $2, by the kernel $3"
  [ $off -le "$4" ] || fail "$1: $2 instead of $3"
}

cat >"$WORK/kubeconfig" <<YAML
current-context: agent
contexts: [{name: agent, context: {cluster: here, user: agent}}]
clusters: [{name: here, cluster: {server: "$KUBE_API", certificate-authority: $KUBE_CA}}]
users: [{name: agent, user: {tokenFile: $KUBE_TOKEN_FILE}}]
YAML
cat >"$WORK/nodeslo.yaml" <<YAML
extensions: {colocation: {metricReportIntervalSeconds: 2}, evenkeel: {contention: {enable: true}}}
YAML
pods busy batch
pod=$(pod_cgroup busy)

say "what is missing is said"
agent --pods kubelet --kubelet-ca "$KUBE_CA" --kubeconfig "$WORK/kubeconfig" --node-name "$KUBE_NODE" --node-metric
used=$(used "$pod") began=$(now)
soon 20 "the log says that the right is missing" said "403 .*cannot patch"
kubectl patch clusterrole evenkeel --type json --patch "$(cat deploy/kustomize/node-metric/rights.yaml)" >/dev/null
soon 30 "the log says that the resource is missing" said "the cluster has no NodeMetric resource"
kubectl apply -f tests/kube/crds/nodemetrics.yaml >/dev/null
kubectl wait --for=condition=Established --timeout=30s crd/nodemetrics.slo.koordinator.sh >/dev/null
kubectl apply -f - >/dev/null <<YAML
apiVersion: slo.koordinator.sh/v1alpha1
kind: NodeMetric
metadata: {name: "$KUBE_NODE"}
spec: {metricCollectPolicy: {nodeAggregatePolicy: {durations: [10s]}}}
YAML

say "reports"
soon 60 "the busy pod is in a report" knows_busy
first=$(metric .updateTime)
soon 20 "another report follows" reported_since "$first"
grep -q 'event=reports-usage' "$WORK/agent.log" || fail "the log does not say that it works"
cpu=$(busy podUsage.resources.cpu) memory=$(busy podUsage.resources.memory)
near "the pod's CPU, thousandths" "${cpu%m}" $((($(used "$pod") - used) * 1000 / ($(now) - began))) 50
near "the pod's memory" "$memory" "$(anonymous "$pod")" 1048576
# Of the whole machine, where other processes may run.
mebibytes() { awk -v name="$1:" '$1 == name { print int($2 / 1024) }' /proc/meminfo; }
near "the node's memory, MiB" $(($(metric .nodeMetric.nodeUsage.resources.memory) >> 20)) \
  $(($(mebibytes MemTotal) - $(mebibytes MemAvailable))) $(($(mebibytes MemTotal) / 4))
[ "$(busy namespace) $(busy priority) $(busy qos)" = "default koord-prod LS" ] || fail "the busy pod: $(busy namespace) $(busy priority) $(busy qos)"
[ "$(metric '.podsMetric[?(@.name=="batch")].priority')" = koord-batch ] || fail "the batch pod's class is not told"

# Of the NUMA node without page cache and what else the kernel can reclaim.
numa_mebibytes() {
  awk '$3 == "MemTotal:" { sum += $4 } $3 ~ /^(MemFree|Active\(file\)|Inactive\(file\)|SReclaimable):$/ { sum -= $4 }
    END { print int(sum / 1024) }' /sys/devices/system/node/node0/meminfo
}
numa_fields=()
if [ -e /sys/devices/system/node/node0/meminfo ]; then
  numa_fields=('numaUsages[0].nodeUsage.resources.cpu' 'numaUsages[0].systemUsage.resources.cpu' 'numaUsages[0].systemUsage.resources.memory')
  [[ " $(metric '.nodeMetric.numaUsages[*].numaNodeID') " == *" 0 "* ]] || fail "NUMA node 0 is not in the report"
  near "the memory of NUMA node 0, MiB" $(($(metric '.nodeMetric.numaUsages[0].nodeUsage.resources.memory') >> 20)) \
    "$(numa_mebibytes)" $(($(mebibytes MemTotal) / 4))
fi

say "no field was pruned"
for field in nodeUsage.resources.cpu systemUsage.resources.cpu systemUsage.resources.memory \
  'aggregatedNodeUsages[0].usage.avg.resources.cpu' 'aggregatedNodeUsages[0].usage.p99.resources.memory' \
  'aggregatedSystemUsages[0].usage.p50.resources.cpu' "${numa_fields[@]}"; do
  soon 30 "the report has $field" has "$field"
done
if [ -e /sys/fs/cgroup/unified/cgroup.procs ]; then # only there is the pressure of pods known
  stalled() { [ -n "$(busy 'extensions.evenkeel\.io/stall-percent.cpu')" ]; }
  soon 30 "the report has what the busy pod waits for" stalled
  [ -z "$(metric '.podsMetric[?(@.name=="batch")].extensions')" ] || fail "a batch pod has extensions"
fi
[ "$(metric '.nodeMetric.aggregatedNodeUsages[*].duration')" = 10s ] || fail "not the windows that the object asks for"

say "what another reporter knew goes"
stale='{"status":{"nodeMetric":{"numaUsages":[{"numaNodeID":77}],"nodeUsage":{"devices":[{}]}},"prodReclaimableMetric":{"resource":{"resources":{"cpu":"7"}}}}}'
ask -o /dev/null -f -X PATCH -H 'Content-Type: application/merge-patch+json' -d "$stale" \
  "$KUBE_API/apis/slo.koordinator.sh/v1alpha1/nodemetrics/$KUBE_NODE/status" || fail "the right does not allow a patch"
replaced() {
  [[ "$(metric '.nodeMetric.numaUsages[*].numaNodeID')" != *77* ]] && [ -z "$(metric .nodeMetric.nodeUsage.devices)" ] &&
    [ "$(metric .prodReclaimableMetric.resource.resources.cpu)" != 7 ]
}
soon 20 "it is gone with the next report" replaced

say "not granted"
code=$(ask -o /dev/null -w '%{http_code}' "$KUBE_API/apis/slo.koordinator.sh/v1alpha1/nodemetrics/$KUBE_NODE")
[ "$code" = 403 ] || fail "reading the object: $code"
# Not grep -q, which exits before the whole page is written.
page readyz | grep '^node-metric: last report ' >/dev/null || fail "readyz does not know of the reports"
page metrics | grep '^evenkeel_node_metric_reports_total ' >/dev/null || fail "no metric tells of the reports"
stop_agent
