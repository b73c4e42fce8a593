# A pod with limits of its own, a container without any and a native sidecar: all three may burst, each by its own limit,
# and a restarted sidecar again; after the agent every file is as the kubelet created it. A resize of the pod's own limit
# that the kubelet defers is not carried out by the agent while the pod bursts; the kubelet carries out one below that burst.
. tests/kube/case.sh
! kubelet_before_133 || cannot "Kubernetes $KUBE_VERSION knows neither limits of whole pods nor sidecars"

sidecar() { kubectl get pod whole -o jsonpath='{.status.initContainerStatuses[0].containerID}' | sed 's|.*://||'; }
another_sidecar() { local now; now=$(sidecar); [ "$now" != "$1" ] && [ -d "/sys/fs/cgroup/cpu/$pod/$now" ]; }
quotas() { cat /sys/fs/cgroup/cpu/"$pod"{,/"$(container whole)",/"$(sidecar)"}/cpu.cfs_quota_us | paste -sd' '; }
burst() {
  local group
  for group in "$pod" "$pod/$(container whole)" "$pod/$(sidecar)"; do cpu_is_not "$group" cfs_burst_us 0 || return; done
}

pods whole
pod=$(pod_cgroup whole)
remember_settings
before=$(quotas)
say "quotas of pod, container and sidecar: $before"
[ "$before" = "50000 50000 20000" ] || fail "not what the kubelet is known to set"
cluster_agent
soon 30 "pods are known" good pods
soon 10 "pod, container and sidecar may burst" burst
[ "$(quotas)" = "$before" ] || fail "quotas have changed: $(quotas)"
grep . /sys/fs/cgroup/cpu/"$pod"{,/*}/cpu.cfs_burst_us

say "a restarted sidecar"
old=$(sidecar)
ctr tasks kill -s KILL "$old"
soon 60 "another sidecar runs" another_sidecar "$old"
soon 10 "all three may burst" burst
stop_agent
check_settings

# The whole pod's limits, in place. The kubelet tells the quota that it finds in the pod's cgroup, which burst raises.
resize() {
  kubectl patch pod whole --subresource resize --patch \
    '{"spec":{"resources":{"requests":{"cpu":"'"$1"'"},"limits":{"cpu":"'"$1"'"}}}}' >/dev/null
}
deferred() { [ "$(kubectl get pod whole -o jsonpath='{.status.conditions[?(@.type=="PodResizePending")].reason}')" = Deferred ]; }
quota() { cpu "$pod" cfs_quota_us; }
throttled() { cpu "$pod/$(container whole)" stat | awk '$1 == "nr_throttled" { now = $2 } END { exit now == 0 }'; }
raised() { [ "$(quota)" -gt 50000 ]; }

say "deferred while it bursts: the node has no room beside the other pod"
pods guaranteed
# A busy machine must not keep burst from raising the quota.
echo 'cpuBurstStrategy: {policy: auto, sharePoolThresholdPercent: 100}' >"$WORK/nodeslo.yaml"
cluster_agent --pods-interval 1s
soon 30 "pods are known" good pods
kubectl exec whole -c main -- sh -c '(while :; do :; done) >/dev/null 2>&1 </dev/null & echo $! >/busy' >/dev/null
soon 30 "the container is throttled" throttled
soon 60 "the pod's quota is raised" raised
resize "$(nproc)" || cannot "Kubernetes $KUBE_VERSION resizes no limit of a whole pod in place"
soon 60 "the kubelet defers it" deferred
for _ in {1..60}; do
  [ "$(quota)" -le 150000 ] || fail "the agent carries out step by step what the kubelet deferred: $(quota)"
  sleep 1
done

# The kernel of cgroup v1 refuses a pod less than one of its containers has.
more_than_that() { [ "$(quota)" -gt 100000 ]; }
soon 120 "burst gives it more than a CPU" more_than_that
say "a limit that is lower than what it bursts to, $(quota) now: the kubelet carries it out"
resize 1
carried_out() {
  ! kubectl get pod whole -o jsonpath='{.status.conditions[*].type}' | says PodResize && [ "$(cpu "$pod/$(container whole)" cfs_quota_us)" -ge 100000 ]
}
soon 60 "the resize is carried out" carried_out
errors=$(kubectl get events --field-selector reason=ResizeError,involvedObject.name=whole -o name | wc -l)
[ "$errors" -eq 0 ] || fail "$errors events ResizeError"
kubectl exec whole -c main -- sh -c 'kill $(cat /busy)' >/dev/null
stop_agent
[ "$(quotas)" = "100000 100000 20000" ] || fail "the agent left other quotas than the kubelet's: $(quotas)"
