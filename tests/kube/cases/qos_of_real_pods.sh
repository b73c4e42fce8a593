# An agent on the host with the kubelet's pod list: every class gets its values on its real cgroups, as do a
# restarted container and a new pod; after the stop every file is as the kubelet created it.
. tests/kube/case.sh

pods batch service guaranteed
remember_settings
batch=$(pod_cgroup batch) service=$(pod_cgroup service) guaranteed=$(pod_cgroup guaranteed)
feed_pods
agent --pods "file:$WORK/pods.json"

say "values"
soon 10 "batch pods run when no sibling cgroup wants the CPU" cpu_is "$batch" idle 1
soon 10 "best effort is bounded" cpu_is_not kubepods/besteffort cfs_quota_us -1
soon 10 "the service may burst" cpu_is_not "$(container_cgroup service)" cfs_burst_us 0
soon 10 "the guaranteed pod may burst" cpu_is_not "$(container_cgroup guaranteed)" cfs_burst_us 0
cpu_is "$service" idle 0 && cpu_is "$guaranteed" idle 0 || fail "a service has become idle"
cpu_is "$(container_cgroup batch)" cfs_burst_us 0 || fail "a batch container may burst"
burst=$(cpu "$(container_cgroup service)" cfs_burst_us)
say "burst of the service: $burst us; quota of best effort: $(cpu kubepods/besteffort cfs_quota_us) us"
page "v1/explain?pod=default/batch" | says 'runs when no sibling cgroup wants' || fail "explain does not say why batch is idle"

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
sort -o "$WORK/settings" "$WORK/settings"
check_settings

# From the directory's creation, as the kernel reports it, until the file holds the value.
HELPER=$KUBE_ROOT/build/release/tests/time_value
[ -x "$HELPER" ] || fail "build/release/tests/time_value was not built"
# figures FILE: summarizes time_value's output.
figures() {
  sed -n 's/^[^ ]* \([0-9.]*\|never\)$/\1/p' "$@" | sort -n >"$WORK/milliseconds"
  say "$(wc -l <"$WORK/milliseconds") births: p50 $(awk '{ all[NR] = $1 } END { print all[int((NR + 1) / 2)] }' "$WORK/milliseconds") ms, the slowest $(tail -1 "$WORK/milliseconds") ms"
  ! grep -q never "$WORK/milliseconds" || fail "a value did not come in a minute"
  awk '$1 > 15000 { exit 1 }' "$WORK/milliseconds" || fail "a value came after more than 15 s"
}
starts=${POD_STARTS:-10}
say "how soon $starts new batch pods, two at a time, have their value"
cluster_agent
soon 30 "pods and Node are known" good pods node
"$HELPER" /sys/fs/cgroup/cpu/kubepods/besteffort cpu.idle 1 "$starts" >"$WORK/starts" &
timer=$!
soon 10 "births are watched" grep -q ready "$WORK/starts"
for number in $(seq "$starts"); do
  sed "s/name: batch/name: start-$number/" tests/kube/pods/batch.yaml | kubectl apply -f - >/dev/null
  [ $((number % 2)) -eq 1 ] || sleep 2
done
wait $timer || fail "births cannot be watched"
figures "$WORK/starts"

say "how soon the containers of $((starts / 2)) services, started again, may burst"
for number in $(seq $((starts / 2))); do
  sed "s/name: service/name: service-$number/" tests/kube/pods/service.yaml | kubectl apply -f - >/dev/null
done
for number in $(seq $((starts / 2))); do
  kubectl wait --for=condition=Ready --timeout=90s "pod/service-$number" >/dev/null || fail "service-$number is not ready"
  soon 30 "service-$number may burst" cpu_is_not "$(container_cgroup "service-$number")" cfs_burst_us 0
  "$HELPER" "/sys/fs/cgroup/cpu/$(pod_cgroup "service-$number")" cpu.cfs_burst_us '!0' 1 >"$WORK/restart-$number" &
  timer=$!
  soon 10 "births are watched" grep -q ready "$WORK/restart-$number"
  restart_container "service-$number"
  wait $timer || fail "births cannot be watched"
done
figures "$WORK"/restart-*
stop_agent
