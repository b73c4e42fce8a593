# A pod with limits of its own, a container without any and a native sidecar: all three may burst, each by its own limit,
# and a restarted sidecar again; after the agent every file is as the kubelet created it.
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
