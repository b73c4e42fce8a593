# The configuration comes from the node's NodeSLO object: without the object nothing is changed; creation and
# changes are followed; an invalid one is refused; a restart of the API server has no effect; a deletion takes
# effect after half a minute. Works with the rights of deploy/kustomize/nodeslo-api and not without them.
. tests/kube/case.sh
. "$KUBE_CLUSTER/control_plane.sh"

cat >"$WORK/kubeconfig" <<YAML
current-context: agent
contexts: [{name: agent, context: {cluster: here, user: agent}}]
clusters: [{name: here, cluster: {server: "$KUBE_API", certificate-authority: $KUBE_CA}}]
users: [{name: agent, user: {tokenFile: $KUBE_TOKEN_FILE}}]
YAML
end_with() {
  local status=$?
  running apiserver || bring_back || true
  grant_rights >/dev/null 2>&1 || true
  kubectl delete crd nodeslos.slo.koordinator.sh --ignore-not-found >/dev/null 2>&1 || true
  set +e
  (exit $status)
  end_case
}
trap end_with EXIT

slo() { kubectl patch nodeslo "$KUBE_NODE" --type=merge -p "{\"spec\":$1}" >/dev/null; }
ready() { page readyz >"$WORK/readyz" 2>/dev/null; grep -q "$1" "$WORK/readyz"; }
# Works also while the agent is not ready.
said() { curl -s --noproxy '*' "http://$LISTEN/readyz" | says -F "$1"; }
logged() { grep -c "$1" "$WORK/agent.log" || true; }
milliseconds() { date +%s%3N; }

# grant VERBS: grants only these of deploy/'s rights.
grant() {
  kubectl kustomize deploy/kustomize/nodeslo-api | awk 'BEGIN { RS = "---\n" } /\nkind: ClusterRole\n/' | kubectl apply -f - >/dev/null
  kubectl patch clusterrole evenkeel --type json \
    -p "[{\"op\": \"replace\", \"path\": \"/rules/$(($(rules) - 1))/verbs\", \"value\": $1}]" >/dev/null
  grant_pods
}
rules() { kubectl get clusterrole evenkeel -o jsonpath='{range .rules[*]}{"x"}{"\n"}{end}' | wc -l; }

pods batch
batch=$(pod_cgroup batch)
say "no such kind of object, and no right to it"
mkdir -p "$WORK/state"
"$EVENKEEL" run --nodeslo-source api --state-dir "$WORK/state" --listen $LISTEN --pods kubelet --kubelet-ca "$KUBE_CA" \
  --kubeconfig "$WORK/kubeconfig" --node-name "$KUBE_NODE" >>"$WORK/agent.log" 2>&1 &
AGENT=$!
soon 20 "the missing right is said" said "nodeslos/$KUBE_NODE: 403 nodeslos.slo.koordinator.sh \"$KUBE_NODE\" is forbidden"
grant '["watch"]'
soon 60 "the missing right to list is said" said 'cannot list resource "nodeslos"'
grant '["list"]'
soon 60 "the missing kind is said" said "nodeslos/$KUBE_NODE: 404 "
kubectl apply -f tests/kube/crds/nodeslos.yaml >/dev/null
soon 60 "the missing right to watch is said" said 'cannot watch resource "nodeslos"'
grant '["list", "watch"]'
soon 60 "the missing object is said" ready "nodeslos/$KUBE_NODE does not exist: the defaults apply until it appears"
cpu_is "$batch" idle 0 || fail "something was written without a configuration"

say "made"
cat >"$WORK/nodeslo.json" <<JSON
{"apiVersion": "slo.koordinator.sh/v1alpha1", "kind": "NodeSLO", "metadata": {"name": "$KUBE_NODE"},
 "spec": {"resourceQOSStrategy": {"beClass": {"cpuQOS": {"enable": true}}}, "ofTheFuture": {"a": 1}}}
JSON
began=$(milliseconds)
kubectl create -f "$WORK/nodeslo.json" >/dev/null
soon 10 "batch pods run when no sibling cgroup wants the CPU" cpu_is "$batch" idle 1
say "in force $(($(milliseconds) - began)) ms after kubectl create was called"
soon 10 "the key of the future is named" ready "ofTheFuture is an unknown key and is ignored"

say "changed"
began=$(milliseconds)
slo '{"resourceQOSStrategy": {"beClass": {"cpuQOS": {"enable": false}}}}'
soon 10 "batch pods are as before" cpu_is "$batch" idle 0
say "in force $(($(milliseconds) - began)) ms after kubectl patch was called"
slo '{"resourceQOSStrategy": {"beClass": {"cpuQOS": {"enable": true}}}}'
soon 10 "batch pods yield again" cpu_is "$batch" idle 1

say "bad"
slo '{"resourceQOSStrategy": {"beClass": {"cpuQOS": {"enable": "perhaps"}}}}'
soon 10 "it is refused" ready "nodeslos/$KUBE_NODE: spec.resourceQOSStrategy.beClass.cpuQOS.enable: found the text \"perhaps\"; legal: true or false"
cpu_is "$batch" idle 1 || fail "the last good one is not in force"
page metrics | says '^evenkeel_input_good{input="nodeslo"} 0' || fail "the metric does not say that it is refused"
slo '{"resourceQOSStrategy": {"beClass": {"cpuQOS": {"enable": true}}}}'
soon 10 "it is good again" ready '^nodeslo: ok'

say "the API server is killed"
refused=$(logged event=input-refused)
stop apiserver KILL 1
soon 60 "that is said" ready "^nodeslo: previous text in force, .* s old: nodeslos/$KUBE_NODE: Connection refused"
sleep 5
cpu_is "$batch" idle 1 || fail "the last good one is not in force"
bring_back || fail "the API server did not come back"
began=$(milliseconds)
soon 60 "the agent is back" ready '^nodeslo: ok'
say "good again $(($(milliseconds) - began)) ms after the API server was"
slo '{"resourceQOSStrategy": {"beClass": {"cpuQOS": {"enable": false}}}}'
soon 60 "what changes is followed again" cpu_is "$batch" idle 0
slo '{"resourceQOSStrategy": {"beClass": {"cpuQOS": {"enable": true}}}}'
soon 10 "batch pods yield again" cpu_is "$batch" idle 1
# One line for each input from the API server or from the kubelet (which asks the API server).
[ $(($(logged event=input-refused) - refused)) -le 6 ] || fail "the log says the same again and again"

say "replaced by force"
kubectl replace --force -f "$WORK/nodeslo.json" >/dev/null
sleep 3
cpu_is "$batch" idle 1 || fail "a replaced object was missed"

say "deleted"
kubectl delete nodeslo "$KUBE_NODE" >/dev/null
soon 10 "that is said" ready "was deleted: its settings stay in force for 30 s"
cpu_is "$batch" idle 1 || fail "it went off at once"
soon 60 "batch is as before" cpu_is "$batch" idle 0
soon 10 "why is said" ready "nodeslos/$KUBE_NODE does not exist: the defaults apply until it appears"
stop_agent
