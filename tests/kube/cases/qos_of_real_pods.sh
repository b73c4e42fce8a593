# An agent on the host, told of the pods by what the kubelet says: every class gets its values on its real cgroups, a
# restarted container and a new pod too, and after the stop every file is as the kubelet made it.
. tests/kube/case.sh

pods batch service guaranteed
remember_settings
batch=$(pod_cgroup batch) service=$(pod_cgroup service) guaranteed=$(pod_cgroup guaranteed)
feed_pods
agent --pods "file:$WORK/pods.json"

say "values"
soon 10 "batch pods run when nobody else wants the CPU" cpu_is "$batch" idle 1
soon 10 "best effort is bounded" cpu_is_not kubepods/besteffort cfs_quota_us -1
soon 10 "the service may burst" cpu_is_not "$(container_cgroup service)" cfs_burst_us 0
soon 10 "the guaranteed pod may burst" cpu_is_not "$(container_cgroup guaranteed)" cfs_burst_us 0
cpu_is "$service" idle 0 && cpu_is "$guaranteed" idle 0 || fail "a service has become idle"
cpu_is "$(container_cgroup batch)" cfs_burst_us 0 || fail "a batch container may burst"
burst=$(cpu "$(container_cgroup service)" cfs_burst_us)
say "burst of the service: $burst us; quota of best effort: $(cpu kubepods/besteffort cfs_quota_us) us"
page "v1/explain?pod=default/batch" | grep -q 'runs when nobody else wants' || fail "explain does not say why batch is idle"

say "a restarted container"
restart_container service
soon 10 "the new container may burst as the first" cpu_is "$(container_cgroup service)" cfs_burst_us "$burst"
soon 10 "the pod is still bursting" cpu_is_not "$service" cfs_burst_us 0

say "a new batch pod"
kubectl delete pod batch --grace-period=1 >/dev/null
pods batch
soon 10 "the new batch pod is idle, too" cpu_is "$(pod_cgroup batch)" idle 1

say "stop"
stop_agent
sed -i "s|$batch|$(pod_cgroup batch)|" "$WORK/settings"
check_settings
