# What deploy/ grants the agent's service account is enough for each request it makes, and for no other. And the report is
# what lets a pod that wants lent resources run: here made by hand, with the agent's own right.
. tests/kube/case.sh

node=$KUBE_API/api/v1/nodes/$KUBE_NODE
default=$KUBE_API/api/v1/namespaces/default
json='Content-Type: application/json'
merge='Content-Type: application/merge-patch+json'
eviction='{"apiVersion":"policy/v1beta1","kind":"Eviction","metadata":{"name":"lent","namespace":"default"}}'
event='{"metadata":{"name":"evenkeel-test"},"involvedObject":{"kind":"Pod","namespace":"default","name":"lent"},"reason":"Test"}'
# advertise CPU MEMORY, null to take it back.
advertise() {
  local lent="{\"kubernetes.io/batch-cpu\":$1,\"kubernetes.io/batch-memory\":$2}"
  code -X PATCH -H "$merge" "$node/status" -d "{\"status\":{\"capacity\":$lent,\"allocatable\":$lent}}"
}
code() { ask -o /dev/null -w '%{http_code}' "$@"; }
# expect CODE WHAT CURL-ARG...
expect() {
  local wanted=$1 what=$2 got
  shift 2
  got=$(code "$@")
  [ "$got" = "$wanted" ] || fail "$what: $got instead of $wanted"
}
pending() { [ "$(kubectl get pod lent -o jsonpath='{.status.conditions[0].reason}')" = Unschedulable ]; }

say "granted"
kubectl apply -f tests/kube/pods/lent.yaml >/dev/null
soon 30 "a pod that wants lent resources waits" pending
expect 200 "the kubelet's pods" "$KUBE_KUBELET/pods"
expect 200 "the node" "$node"
[ "$(advertise '"1500"' '"512Mi"')" = 200 ] || fail "the node's status cannot be patched"
kubectl wait --for=condition=Ready --timeout=60s pod/lent >/dev/null || fail "the pod does not run though its resources are there"
expect 201 "an event" -X POST -H "$json" "$default/events" -d "$event"
expect 201 "an eviction" -X POST -H "$json" "$default/pods/lent/eviction" -d "$eviction"
kubectl wait --for=delete --timeout=60s pod/lent >/dev/null || fail "the evicted pod is still there"
[ "$(advertise null null)" = 200 ] || fail "the report cannot be taken back"

say "not granted"
expect 403 "listing nodes" "$KUBE_API/api/v1/nodes"
expect 403 "patching a node's spec" -X PATCH -H "$merge" "$node" -d '{"spec":{"unschedulable":true}}'
expect 403 "listing pods" "$default/pods"
expect 403 "deleting a pod" -X DELETE "$default/pods/lent"
expect 403 "reading secrets" "$default/secrets"
expect 403 "listing events" "$default/events"
expect 403 "running a command in a container" -X POST "$KUBE_KUBELET/exec/default/lent/main?command=true&output=1"
expect 403 "the kubelet's logs" "$KUBE_KUBELET/logs/"
kubectl delete event evenkeel-test >/dev/null
