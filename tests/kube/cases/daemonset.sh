# Runs deploy/kustomize/base with the built image as a real pod: it becomes ready, gets the pods from the
# kubelet, works with the capabilities it lists, takes over after kill -9, lends once its ConfigMap says so,
# and leaves nothing behind when deleted. tests/deploy shows that deploy/helm creates the same objects.
. tests/kube/case.sh

pods batch service
remember_settings
deploy

say "values"
bursting() { cpu_is_not "$(container_cgroup service)" cfs_burst_us 0; }
soon 20 "the service may burst" bursting
name=$(agent_pod '{.items[0].metadata.name}')
kubectl -n evenkeel exec "$name" -- evenkeel explain | grep "cpu.cfs_burst_us is" || fail "explain does not say why the service may burst"
[ "$(agent_pod '{.items[0].spec.priorityClassName} {.items[0].status.qosClass}')" = "system-node-critical Burstable" ] ||
  fail "priority and class of the agent's pod: $(agent_pod '{.items[0].spec.priorityClassName} {.items[0].status.qosClass}')"

LISTEN=127.0.0.1:9319
soon 30 "the kubelet tells the pods, the API server the Node" good pods node

again() { [ "$(agent_pod '{.items[0].status.containerStatuses[0].restartCount}')" = 1 ]; }
say "kill -9"
container=$(agent_pod '{.items[0].status.containerStatuses[0].containerID}')
ctr tasks kill -s KILL "${container#containerd://}"
soon 60 "the kubelet has started it again" again
soon 20 "the second life is ready" deployed
soon 20 "its values are in force" bursting

say "lending"
printf '%s\n' 'cpuBurstStrategy: {policy: auto}' 'extensions: {colocation: {enable: true, cpuReclaimThresholdPercent: 200}}' >"$WORK/nodeslo.yaml"
kubectl -n evenkeel create configmap evenkeel --from-file="$WORK/nodeslo.yaml" --dry-run=client -o yaml | kubectl replace -f - >/dev/null
kubectl -n evenkeel annotate pod "$name" touched=now >/dev/null # makes the kubelet reread the ConfigMap now
soon 150 "the Node lends" advertised batch-cpu
say "batch-cpu $(allocatable batch-cpu), batch-memory $(allocatable batch-memory)"
soon 20 "the values are still in force" bursting

say "uninstall"
uninstall
soon 20 "the service is as before" cpu_is "$(container_cgroup service)" cfs_burst_us 0
check_settings
