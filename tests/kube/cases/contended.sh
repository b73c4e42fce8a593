# While a service waits for the CPU without a limit of its own to blame, its Node is published as contended: condition,
# Event, taint. All of them go when the wait is over, and when the agent stops. Taints of others stay.
. tests/kube/case.sh

[ -e /sys/fs/cgroup/unified/cgroup.procs ] || cannot "there is no pressure of pods here: no cgroup v2 beside the v1 hierarchies"
clean_up() {
  grant_rights
  kubectl taint node "$KUBE_NODE" evenkeel-test- >/dev/null 2>&1 || true
}
condition() { kubectl get node "$KUBE_NODE" -o jsonpath="{.status.conditions[?(@.type=='EvenkeelContended')].$1}"; }
taints() { kubectl get node "$KUBE_NODE" -o jsonpath='{range .spec.taints[*]}{.key}:{.effect}{"\n"}{end}'; }
contended() { [ "$(condition status)" = True ] && [ "$(condition reason)" = CpuContention ] && taints | says -Fx evenkeel.io/contended:PreferNoSchedule; }
calm() { [ "$(condition status)" != True ] && ! taints | says evenkeel.io/contended; }
events() { kubectl get events -A --field-selector "involvedObject.kind=Node,reason=$1" -o jsonpath='{.items[*].message}'; }
told() { [ -n "$(events "$1")" ]; }
# Four loops without a limit, on a node that has fewer CPUs for them.
overload() { kubectl exec service -- sh -c 'for i in 1 2 3 4; do (while :; do :; done) >/dev/null 2>&1 </dev/null & done' >/dev/null; }

kubectl patch clusterrole evenkeel --type json --patch "$(cat deploy/kustomize/node-taint/rights.yaml)" >/dev/null
kubectl taint node "$KUBE_NODE" evenkeel-test=stays:PreferNoSchedule >/dev/null
# A service with requests and without a limit: no throttling can explain its waiting.
sed 's/, limits: {[^}]*}//' tests/kube/pods/service.yaml | kubectl apply -f - >/dev/null
soon 90 "the service is ready" kubectl wait --for=condition=Ready --timeout=1s pod/service
cat >"$WORK/nodeslo.yaml" <<'YAML'
extensions: {evenkeel: {contention: {enable: true, taint: true, raiseAfter: 10s, clearAfter: 1m}}}
YAML
cluster_agent --report node-status --events --node-interval 2s
soon 30 "pods and Node are known" good pods node
calm || fail "contended though nothing waits: $(condition message)"

say "a service has more to do than the node has CPUs"
overload
soon 150 "the Node is contended" contended
say "$(condition message)"
soon 30 "an Event says so" told Contended
taints | says -Fx evenkeel-test:PreferNoSchedule || fail "the taint of another is gone"

say "it has less to do"
restart_container service
soon 300 "the Node is not contended any longer" calm
soon 30 "an Event says so" told ContentionOver
taints | says -Fx evenkeel-test:PreferNoSchedule || fail "the taint of another is gone"

say "the agent stops while it is contended"
overload
soon 150 "the Node is contended again" contended
stop_agent
calm || fail "condition or taint outlive the agent: $(condition status), $(taints)"
[ -z "$(condition type)" ] || fail "the condition outlives the agent"
taints | says -Fx evenkeel-test:PreferNoSchedule || fail "the taint of another is gone"
