# The rights that deploy/ grants to the agent's service account suffice for every request it makes, and for no
# others. The extended resource is what lets a pod with lent requests run; here it is set by hand, with the
# agent's own right. When a right is revoked, the agent reports which request is refused, and continues as
# before once the right is back.
. tests/kube/case.sh

node=$KUBE_API/api/v1/nodes/$KUBE_NODE
default=$KUBE_API/api/v1/namespaces/default
json='Content-Type: application/json'
merge='Content-Type: application/merge-patch+json'
eviction='{"apiVersion":"'$KUBE_POLICY'","kind":"Eviction","metadata":{"name":"lent","namespace":"default"}}'
event='{"metadata":{"name":"evenkeel-test"},"involvedObject":{"kind":"Pod","namespace":"default","name":"lent"},"reason":"Test"}'
# advertise CPU MEMORY; null removes it.
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
# The kubelet's answer to the GET with which a WebSocket to a command in a container begins. With 101 curl waits for a body
# until the command has ended.
exec_code() {
  code --http1.1 -H 'Connection: Upgrade' -H 'Upgrade: websocket' -H 'Sec-WebSocket-Version: 13' \
    -H 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==' -H 'Sec-WebSocket-Protocol: v4.channel.k8s.io' \
    "$KUBE_KUBELET/exec/default/lent/main?command=true&output=1" || true
}
may_exec() { ! says -x -E '000|401|403' <<<"$(exec_code)"; }
may_not_exec() { [ "$(exec_code)" = 403 ]; }
clean_up() { grant_rights; }
pending() { [ "$(kubectl get pod lent -o jsonpath='{.status.conditions[?(@.type=="PodScheduled")].reason}')" = Unschedulable ]; }

say "granted"
kubectl apply -f tests/kube/pods/lent.yaml >/dev/null
soon 30 "a pod that wants lent resources waits" pending
expect 200 "the kubelet's pods" "$KUBE_KUBELET/pods"
expect 200 "the node" "$node"
[ "$(advertise '"1500"' '"512Mi"')" = 200 ] || fail "the node's status cannot be patched"
kubectl wait --for=condition=Ready --timeout=60s pod/lent >/dev/null || fail "the pod does not run though its resources are there"
if kubelet_before_133; then
  # The price of the overlay for these kubelets, as docs/permissions.md says; it shows that the request is a good one.
  may_exec || fail "nodes/proxy is granted, and a command is refused: $(exec_code)"
else
  may_not_exec || fail "the agent may run commands in containers: $(exec_code)"
  # The same request with the overlay that this kubelet does not need shows whether it would be seen.
  kubectl patch clusterrole evenkeel --type json --patch "$(cat deploy/kustomize/kubelet-before-1.33/rights.yaml)" >/dev/null
  within 30 "nodes/proxy lets its holder run commands" may_exec || say "this kubelet refuses them all the same"
  grant_rights
  soon 60 "the agent may run no command any more" may_not_exec
fi
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
expect 403 "patching a NodeResourceTopology" -X PATCH -H "$merge" -d '{}' \
  "$KUBE_API/apis/topology.node.k8s.io/v1alpha1/noderesourcetopologies/$KUBE_NODE"
expect 403 "listing events" "$default/events"
expect 403 "running a command in a container" -X POST "$KUBE_KUBELET/exec/default/lent/main?command=true&output=1"
expect 403 "the kubelet's logs" "$KUBE_KUBELET/logs/"
kubectl delete event evenkeel-test >/dev/null
if ! kubelet_before_133; then
  kubectl get clusterrole evenkeel -o yaml | says nodes/proxy && fail "nodes/proxy is granted, which this kubelet does not need"
  for path in configz healthz stats/summary; do expect 403 "the kubelet's /$path" "$KUBE_KUBELET/$path"; done
  expect 403 "the kubelet through the API server" "$node/proxy/pods"
fi

# --- each right, revoked

# configure LENT-PERCENT EVICTION-PERCENT
configure() {
  cat >"$WORK/nodeslo.new" <<YAML
resourceUsedThresholdWithBE: {enable: true, memoryEvictThresholdPercent: $2, memoryEvictLowerPercent: $(($2 - 1)), cpuSuppressThresholdPercent: 100}
extensions: {colocation: {enable: true, cpuReclaimThresholdPercent: $1}, evenkeel: {featureGates: {BEMemoryEvict: true}}}
YAML
  mv "$WORK/nodeslo.new" "$WORK/nodeslo.yaml"
}
new_lines() { tail -n +$((lines + 1)) "$WORK/agent.log"; }
# logged EVENT WHAT: whether a line about it with 403 was logged since the right was revoked.
logged() { new_lines | grep "event=$1" | grep "$2" | says 403; }
eviction_accepted() { new_lines | says event=evict-accepted; }
owner_has_event() { kubectl get events --field-selector reason=Evicting -o name | says .; }
recovered() { new_lines | says "event=input-recovered input=$1"; }
is_gone() { ! kubectl get pod "$1" >/dev/null 2>&1; }

# without RESOURCE: revokes the right, runs what needs it, checks the report, and restores the right.
without() {
  case $1 in
    nodes/pods) # an older kubelet does not ask for it
      if ! kubelet_before_133; then
        soon 60 "the refused list of pods is logged" logged input-refused pods
      fi
      give_back
      soon 120 "the pods are known" good pods
      ;;
    nodes/proxy)
      soon 60 "the refused list of pods is logged" logged input-refused pods
      give_back
      soon 120 "the pods are known again" recovered pods
      ;;
    nodes)
      soon 60 "the refused Node is logged" logged input-refused node
      give_back
      soon 120 "the Node is known again" recovered node
      ;;
    nodes/status)
      configure 400 99
      soon 60 "the refused report is logged" logged not-advertised ""
      lent=$(allocatable batch-cpu)
      give_back
      soon 120 "the Node gets its figures" figure_has_changed
      ;;
    pods/eviction)
      configure 400 1
      soon 60 "the refused eviction is logged" logged not-evicted batch
      is_gone batch && fail "the pod went without the right to ask it"
      give_back
      configure 400 99
      kubectl delete pod batch --grace-period=1 >/dev/null # the agent does not retry this one for ten minutes
      pods batch
      configure 400 1
      soon 60 "another pod goes" eviction_accepted
      soon 60 "its owner gets an event" owner_has_event
      ;;
    events)
      configure 400 99
      kubectl delete pod batch --ignore-not-found --grace-period=1 >/dev/null
      pods batch
      configure 400 1
      soon 60 "the refused event is logged" logged event-not-taken ""
      give_back
      ;;
    *) fail "the right to $1 is granted, and nothing here shows what it is for" ;;
  esac
}
figure_has_changed() { [ "$(allocatable batch-cpu)" != "$lent" ]; }
give_back() { grant_rights; }

pods batch
configure 200 99
cluster_agent --report node-status --events --pods-interval 1s --node-interval 1s
soon 30 "pods and Node are known" good pods node
soon 60 "the Node lends" advertised batch-cpu
mapfile -t granted < <(kubectl get clusterrole evenkeel -o jsonpath='{range .rules[*]}{.resources[0]}{"\n"}{end}')
[ ${#granted[@]} -ge 4 ] || fail "the role grants only: ${granted[*]}"
for number in "${!granted[@]}"; do
  say "without ${granted[number]}"
  lines=$(wc -l <"$WORK/agent.log")
  kubectl patch clusterrole evenkeel --type json -p "[{\"op\":\"remove\",\"path\":\"/rules/$number\"}]" >/dev/null
  without "${granted[number]}"
  new_lines
done
stop_agent
