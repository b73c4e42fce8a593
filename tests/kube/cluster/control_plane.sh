# Starts etcd, API server, controller manager and scheduler, all on loopback. Sourced by tests/kube/up. An
# Endpoints object must not contain a loopback address, hence no endpoint reconciler: pods that need the API
# server get its address in their environment (there is no kube-proxy either).

start_etcd() {
  start etcd etcd --data-dir "$KUBE_RUN/etcd" --logger zap --log-level warn --unsafe-no-fsync \
    --listen-client-urls http://127.0.0.1:2379 --advertise-client-urls http://127.0.0.1:2379 \
    --listen-peer-urls http://127.0.0.1:2380 --initial-advertise-peer-urls http://127.0.0.1:2380 \
    --initial-cluster default=http://127.0.0.1:2380
}

start_apiserver() {
  local pki=$KUBE_RUN/pki
  start apiserver kube-apiserver --bind-address=127.0.0.1 --advertise-address=127.0.0.1 --secure-port=6443 \
    --endpoint-reconciler-type=none --etcd-servers=http://127.0.0.1:2379 --service-cluster-ip-range=10.0.0.0/24 \
    --tls-cert-file="$pki/apiserver.crt" --tls-private-key-file="$pki/apiserver.key" --client-ca-file="$pki/ca.crt" \
    --authorization-mode=Node,RBAC --enable-admission-plugins=NodeRestriction --allow-privileged=true \
    --service-account-key-file="$pki/sa.pub" --service-account-signing-key-file="$pki/sa.key" \
    --service-account-issuer=https://kubernetes.default.svc \
    --kubelet-certificate-authority="$pki/ca.crt" --kubelet-preferred-address-types=InternalIP \
    --kubelet-client-certificate="$pki/kubelet-client.crt" --kubelet-client-key="$pki/kubelet-client.key" \
    --audit-policy-file="$KUBE_CLUSTER/audit.yaml" --audit-log-path="$KUBE_RUN/log/audit.jsonl" --profiling=false
}

start_controllers() {
  local pki=$KUBE_RUN/pki
  start controllers kube-controller-manager --bind-address=127.0.0.1 --secure-port=10257 --leader-elect=false \
    --kubeconfig="$KUBE_RUN/controllers.kubeconfig" --authorization-always-allow-paths=/healthz \
    --use-service-account-credentials --service-account-private-key-file="$pki/sa.key" --root-ca-file="$pki/ca.crt" \
    --cluster-signing-cert-file="$pki/ca.crt" --cluster-signing-key-file="$pki/ca.key" \
    --tls-cert-file="$pki/apiserver.crt" --tls-private-key-file="$pki/apiserver.key" \
    "${CONTROLLER_FLAGS[@]}"
}

start_scheduler() {
  local pki=$KUBE_RUN/pki
  start scheduler kube-scheduler --bind-address=127.0.0.1 --secure-port=10259 --leader-elect=false \
    --kubeconfig="$KUBE_RUN/scheduler.kubeconfig" --authorization-always-allow-paths=/healthz \
    --tls-cert-file="$pki/apiserver.crt" --tls-private-key-file="$pki/apiserver.key" "${SCHEDULER_FLAGS[@]}"
}

answers() { curl -sf --noproxy '*' --cacert "$KUBE_RUN/pki/ca.crt" "$@"; }
apiserver_ready() { kubectl get --raw /readyz; }

start_control_plane() {
  start_etcd
  within 30 "etcd answers" answers http://127.0.0.1:2379/health
  start_apiserver
  within 90 "the API server is ready" apiserver_ready
  start_controllers
  start_scheduler
  within 60 "the scheduler is healthy" answers https://127.0.0.1:10259/healthz
  within 60 "the controller manager is healthy" answers https://127.0.0.1:10257/healthz
}

# bring_back: after the API server was killed. The scheduler of current versions then ends itself, sooner or later.
bring_back() {
  start_apiserver
  within 90 "the API server is ready" apiserver_ready
  stop scheduler TERM 2
  start_scheduler
  within 60 "the scheduler is healthy" answers https://127.0.0.1:10259/healthz
}
