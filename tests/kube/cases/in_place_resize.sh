# A container's limits are changed in place while the agent lets it burst: the kubelet's limits arrive, a resize that it
# defers is not carried out by the agent, and what stays after the agent is the kubelet's.
. tests/kube/case.sh
! kubelet_before_133 || cannot "Kubernetes $KUBE_VERSION resizes no pod in place"

# resize CPU: requests and limits of the service's container.
resize() {
  kubectl patch pod service --subresource resize --patch \
    '{"spec":{"containers":[{"name":"main","resources":{"requests":{"cpu":"'"$1"'"},"limits":{"cpu":"'"$1"'"}}}]}}' >/dev/null
  began=$EPOCHREALTIME
}
seconds() { awk -v from="$began" -v to="$EPOCHREALTIME" 'BEGIN { printf "%.1f s", to - from }'; }
status() { kubectl get pod service -o jsonpath="{.status.$1}"; }
limit_is() { [ "$(status 'containerStatuses[0].resources.limits.cpu')" = "$1" ]; }
deferred() { [ "$(status 'conditions[?(@.type=="PodResizePending")].reason')" = Deferred ]; }
# errors FIELD: of the Events about attempts of the kubelet that failed, for the pods of this run.
errors() {
  local uid
  for uid in "${uids[@]}"; do
    kubectl get events --field-selector "involvedObject.uid=$uid,reason=ResizeError" -o jsonpath="{.items[*].$1}"
  done
}
quotas_are() { cpu_is "$pod" cfs_quota_us "$1" && cpu_is "$own" cfs_quota_us "$1"; }
bursts() { cpu_is_not "$own" cfs_burst_us 0; }
# resized CPU QUOTA
resized() {
  soon 90 "the kubelet has carried it out" limit_is "$1"
  soon 30 "pod and container have the new quota" quotas_are "$2"
  say "the kubelet's $1 stand after $(seconds)"
  soon 30 "the service may burst" bursts
  quotas_are "$2" || fail "quotas after the burst is back: $(cpu "$pod" cfs_quota_us) and $(cpu "$own" cfs_quota_us)"
}

pods service guaranteed
pod=$(pod_cgroup service) own=$(container_cgroup service)
uids=("$(uid service)" "$(uid guaranteed)")
cluster_agent --pods-interval 1s
soon 30 "pods are known" good pods
soon 30 "the service may burst" bursts

say "grow"
resize 1000m
resized 1 100000
[ -z "$(errors message)" ] || fail "ResizeError of a limit that grows: $(errors message)"

say "shrink while it may burst"
resize 200m
resized 200m 20000
# The kubelet writes at once, and its list tells the resize a second later: the kernel may refuse the first attempt.
refused=$(errors metadata.resourceVersion)
say "refused by the kernel on the way: $(errors message)"

say "deferred: the node has no room beside the other pod"
resize "$(nproc)"
soon 60 "the kubelet defers it" deferred
for _ in {1..15}; do
  quotas_are 20000 || fail "the agent carried out what the kubelet deferred"
  sleep 1
done
bursts || fail "the deferred resize took the burst away"

say "the room is there"
kubectl delete pod guaranteed --grace-period=1 >/dev/null
resized "$(nproc)" "$(nproc)00000"
stop_agent
quotas_are "$(nproc)00000" || fail "the agent left another quota than the kubelet's"
! bursts || fail "the agent left a burst"
cpu_is "$pod" cfs_burst_us 0 || fail "the agent left a burst on the pod"
[ "$(errors metadata.resourceVersion)" = "$refused" ] || fail "ResizeError after the shrink: $(errors message)"
