# The kubelet serves with a certificate of its own, which the cluster's CA did not sign (kubeadm's default): with
# --pods kubelet the agent says so and believes no pods; with the kubelet's certificate as authority, or without
# verification, it learns them. pods_from_api_server.sh has the third way, --pods auto.
. tests/kube/case.sh

certificate=$KUBE_RUN/node/lib/kubelet/pki/kubelet.crt
clean_up() {
  remove_pods || true
  clusters_certificate
}
refused() { grep 'event=input-refused' "$WORK/agent.log" | grep "$KUBE_KUBELET" | says -i certificate; }
# learns FLAG...: whether such an agent knows the pods by what the kubelet tells.
learns() {
  rm "$WORK/agent.log"
  cluster_agent "$@"
  soon 60 "the pods are known" good pods
  soon 10 "batch pods run when no sibling cgroup wants the CPU" cpu_is "$(pod_cgroup batch)" idle 1
  stop_agent
}

pods batch
own_certificate
[ -e "$certificate" ] || fail "the kubelet made no certificate of its own"

say "verified by the cluster's CA"
kubeconfig
start_agent --pods kubelet --kubelet-url "$KUBE_KUBELET" --kubelet-ca "$KUBE_CA" --kubeconfig "$WORK/kubeconfig" --node-name "$KUBE_NODE"
soon 60 "the log says that the certificate cannot be verified" refused
grep 'event=input-' "$WORK/agent.log"
! good pods || fail "pods of an unverified kubelet are believed"
cpu_is "$(pod_cgroup batch)" idle 0 || fail "a pod got values though no server has told of it"
stop_agent

say "verified by the kubelet's own certificate"
openssl x509 -in "$certificate" -noout -subject -ext subjectAltName
KUBELET_CA=$certificate learns

say "not verified"
learns --kubelet-insecure-tls
