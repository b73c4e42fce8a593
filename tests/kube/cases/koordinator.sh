# Koordinator's own manager and scheduler with the agent in koordlet's place. The agent takes the NodeSLO that the manager
# makes; the manager offers batch resources by the NodeMetric that the agent reports. The scheduler takes a pod's CPUs from
# the node's NodeResourceTopology, and the agent binds the pod to them; it refuses a pod where the NodeMetric says that the
# node is busy.
. tests/kube/case.sh
KOORDINATOR=$KUBE_DIR/koordinator
[ -x "$KOORDINATOR/koord-scheduler" ] || cannot "Koordinator was not built: tests/kube/koordinator/build"

with_the_nodes_files
status() { kubectl get pod bound -o 'jsonpath={.metadata.annotations.scheduling\.koordinator\.sh/resource-status}'; }
placed() { [ "$(kubectl get pod "$1" -o 'jsonpath={.status.phase}')" = Running ]; }
cpus_of() { cat "$(hierarchy cpuset)/$(container_cgroup "$1")/cpuset.cpus"; }
is_bound() { [ "$(cpus_of bound)" = "$1" ]; }
shared_without() { topology '{.metadata.annotations.node\.koordinator\.sh/cpu-shared-pools}' | says "\"cpuset\":\"$1\""; }
made() { kubectl get nodemetric,nodeslo "$KUBE_NODE"; }
offers() { [ "$(allocatable batch-cpu)" -gt 0 ] && [ "$(allocatable batch-memory)" -gt 0 ]; }
# What the scheduler says about a pod that it has not placed.
verdict() { kubectl get pod "$1" -o 'jsonpath={.status.conditions[?(@.type=="PodScheduled")].message}'; }
refused() { verdict "$1" | says 'usage exceed threshold'; }
must_place() { within "$1" "the scheduler places $2" placed "$2" || fail "the scheduler does not place $2: $(verdict "$2")"; }
clean_up() {
  stop_scheduler
  [ -z "${MANAGER:-}" ] || { kill "$MANAGER" && wait "$MANAGER"; } 2>/dev/null || true
  # What the manager has left on the Node, for example a ratio of 1.00, which outranks the agent's own.
  kubectl get node "$KUBE_NODE" -o jsonpath='{.metadata.annotations}' | grep -o '"node\.koordinator\.sh/[^"]*"' |
    sed 's/"\(.*\)"/\1-/' | xargs -r kubectl annotate node "$KUBE_NODE" >/dev/null || true
  kubectl delete namespace koordinator-system --ignore-not-found >/dev/null
  kubectl delete -f "$KOORDINATOR/crds" --ignore-not-found >/dev/null 2>&1
  kubectl delete priorityclass koord-prod --ignore-not-found >/dev/null
  grant_rights
}
# scheduler THRESHOLD: refuses nodes whose CPUs are in use to more than these percent; 0: none.
scheduler() {
  stop_scheduler
  sed "s|@KUBECONFIG@|$KUBECONFIG|; s|@THRESHOLD@|$1|" tests/kube/koordinator/scheduler.yaml >"$WORK/scheduler.yaml"
  "$KOORDINATOR/koord-scheduler" --config "$WORK/scheduler.yaml" --bind-address 127.0.0.1 --secure-port 10261 \
    --authentication-kubeconfig "$KUBECONFIG" --authorization-kubeconfig "$KUBECONFIG" >>"$KUBE_RUN/log/koord-scheduler.log" 2>&1 &
  SCHEDULER=$!
}
stop_scheduler() {
  [ -z "${SCHEDULER:-}" ] || { kill "$SCHEDULER" && wait "$SCHEDULER"; } 2>/dev/null || true
  SCHEDULER=
}
# koordinator_pod NAME CLASS CPUS
koordinator_pod() {
  kubectl apply -f - >/dev/null <<Y
apiVersion: v1
kind: Pod
metadata: {name: $1, labels: {koordinator.sh/qosClass: $2}}
spec:
  schedulerName: koord-scheduler
  priorityClassName: koord-prod
  hostNetwork: true
  terminationGracePeriodSeconds: 1
  containers:
  - {name: main, image: "k8s.local/busybox:1.35", imagePullPolicy: Never, command: [sleep, infinity], resources: {limits: {cpu: $3, memory: 64Mi}}}
Y
}

kubectl apply -f "$KOORDINATOR/crds" >/dev/null
kubectl wait --for=condition=Established --timeout=30s crd --all >/dev/null
kubectl apply -f - >/dev/null <<'Y'
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: koord-prod}
value: 9500
Y
for overlay in node-topology node-metric nodeslo-api; do
  kubectl patch clusterrole evenkeel --type json --patch "$(cat deploy/kustomize/$overlay/rights.yaml)" >/dev/null
done
kubectl create namespace koordinator-system >/dev/null
kubectl apply -f - >/dev/null <<'Y'
apiVersion: v1
kind: ConfigMap
metadata: {name: slo-controller-config, namespace: koordinator-system}
data:
  colocation-config: '{"enable": true, "cpuReclaimThresholdPercent": 200, "memoryReclaimThresholdPercent": 100, "metricReportIntervalSeconds": 2,
    "updateTimeThresholdSeconds": 5}'
  resource-threshold-config: '{"clusterStrategy": {"enable": true, "cpuSuppressThresholdPercent": 77}}'
Y

say "the manager"
(cd "$WORK" && exec "$KOORDINATOR/koord-manager" --kubeconfig "$KUBECONFIG" --enable-leader-election=false --enable-pprof=false \
  --controllers=nodemetric,noderesource,nodeslo --feature-gates=WebhookFramework=false \
  --metrics-addr 127.0.0.1:8081 --health-probe-addr 127.0.0.1:8082) >>"$KUBE_RUN/log/koord-manager.log" 2>&1 &
MANAGER=$!
soon 60 "it makes the NodeMetric and the NodeSLO" made
cluster_agent --node-interval 1s --pods-interval 1s --node-topology --node-metric --nodeslo-source api
soon 60 "the agent takes its NodeSLO" good nodeslo
soon 120 "it offers batch resources" offers
say "batch-cpu $(allocatable batch-cpu), batch-memory $(allocatable batch-memory)"
soon 120 "the node's topology is reported" topology_exists

say "CPUs for a pod"
scheduler 0
koordinator_pod bound LSR 1
must_place 60 bound
cpu=$(status | sed -n 's/.*"cpuset":"\([0-9]*\)".*/\1/p')
say "the scheduler says: $(status)"
[ -n "$cpu" ] || fail "the pod has no CPU of its own: $(status)"
soon 15 "the agent binds it" is_bound "$cpu"

say "a busy node"
pods busy
scheduler 1
koordinator_pod late LS 100m
soon 90 "the scheduler refuses the node" refused late
scheduler 0
must_place 90 late
stop_agent
