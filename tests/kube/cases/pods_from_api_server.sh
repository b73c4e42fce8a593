# The kubelet signs its own certificate, as with kubeadm's default: --pods auto gets the pods from the API server with the
# right of deploy/kustomize/pods-from-api, and names that right when it is missing. New and deleted pods are followed, a
# restart of the API server costs no list, and with a certificate of the cluster's CA the agent returns to the kubelet.
. tests/kube/case.sh
. "$KUBE_CLUSTER/control_plane.sh"

clean_up() {
  running apiserver || bring_back
  grant_rights
  remove_pods || true
  clusters_certificate
}
grant_pods_of_api() {
  kubectl patch clusterrole evenkeel --type json --patch "$(cat deploy/kustomize/pods-from-api/rights.yaml)" >/dev/null
}
ready_says() { page readyz | says -F "$1"; }
source_is() { page metrics | says -F "evenkeel_input_info{input=\"pods\",source=\"$1"; }
logged() { grep -c "$1" "$WORK/agent.log" || true; }
explained() { page "v1/explain?pod=default/$1" | says "runs when no sibling cgroup wants"; }
unknown() { ! page v1/snapshot | says "\"default/$1\""; }
# requests VERB: how many of the agent's requests for pods the API server has answered.
requests() { grep '"resource":"pods"' "$KUBE_AUDIT" | grep "\"verb\":\"$1\"" | grep -c 'system:serviceaccount:evenkeel:evenkeel' || true; }
api_pods=$KUBE_API/api/v1/pods?fieldSelector=spec.nodeName=$KUBE_NODE

pods batch service
remember_settings
own_certificate
[ "$(curl -s -o /dev/null --noproxy '*' --cacert "$KUBE_CA" -w '%{ssl_verify_result}' "$KUBE_KUBELET/healthz" || true)" != 0 ] ||
  fail "the kubelet's certificate is still the cluster's"

say "without the right"
kubeconfig
agent --pods auto --kubelet-url "$KUBE_KUBELET" --kubelet-ca "$KUBE_CA" --kubeconfig "$WORK/kubeconfig" --node-name "$KUBE_NODE"
soon 30 "the cgroup tree says which pods there are" ready_says "pods: the cgroup tree in force: $api_pods: 403"
ready_says 'cannot list resource "pods"' || fail "the missing right is not named"
ready_says 'certificate' || fail "it is not said why the kubelet does not answer"
[ "$(logged event=input-moved)" -eq 2 ] || fail "$(logged event=input-moved) steps were logged instead of 2"

say "with the right"
grant_pods_of_api
soon 120 "the pods are known" good pods
source_is "$api_pods" || fail "the metrics do not name the API server"
soon 10 "batch pods run when no sibling cgroup wants the CPU" cpu_is "$(pod_cgroup batch)" idle 1
soon 10 "the service may burst" cpu_is_not "$(container_cgroup service)" cfs_burst_us 0
soon 10 "explain knows the pod by its name" explained batch
[ "$(logged event=input-moved)" -eq 2 ] || fail "a step was logged again"
ready_says "pods: from the API server, since the kubelet does not answer" || fail "it is not said why"

say "a new pod, and a deleted one"
sed 's/name: batch/name: later/' tests/kube/pods/batch.yaml | kubectl apply -f - >/dev/null
kubectl wait --for=condition=Ready --timeout=90s pod/later >/dev/null || fail "not ready: later"
soon 10 "the new pod is known by its name" explained later
kubectl delete pod later --grace-period=1 >/dev/null
soon 30 "the deleted pod is forgotten" unknown later

say "a restart of the API server"
lists=$(requests list)
stop apiserver KILL 5
sleep 5
bring_back
soon 120 "the pods are confirmed again" good pods
sleep 5
say "$(requests list) lists of pods so far ($lists before), $(requests watch) watches"
[ "$(requests list)" -le $((lists + 1)) ] || fail "the pods were listed again and again"
cpu_is "$(pod_cgroup batch)" idle 1 || fail "a value is no longer in force"

say "a certificate of the cluster's CA"
clusters_certificate
soon 150 "the agent returns to the kubelet" source_is "$KUBE_KUBELET/pods"
soon 30 "the pods are known" good pods
[ "$(logged event=input-moved)" -eq 3 ] || fail "$(logged event=input-moved) steps were logged instead of 3"
grep event=input- "$WORK/agent.log"
stop_agent
soon 20 "batch is as before" cpu_is "$(pod_cgroup batch)" idle 0

say "the API server alone"
agent --pods api --kubeconfig "$WORK/kubeconfig" --node-name "$KUBE_NODE"
soon 30 "the pods are known" good pods
source_is "$api_pods" || fail "the metrics do not name the API server"
soon 10 "batch pods run when no sibling cgroup wants the CPU" cpu_is "$(pod_cgroup batch)" idle 1
stop_agent
check_settings
