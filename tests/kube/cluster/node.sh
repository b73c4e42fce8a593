# Starts containerd and the kubelet in one private mount namespace: their files in /var/lib, /var/log and /run
# are in KUBE_RUN, and all their mounts end with the namespace. Sourced by tests/kube/up.

# filled TEMPLATE: inserts this cluster's paths.
RUNC=$KUBE_DIR/daemons/usr/sbin/runc
filled() { sed "s|@RUN@|$KUBE_RUN|g; s|@RUNC@|$RUNC|g" "$KUBE_CLUSTER/$1"; }

start_mounts() {
  mkdir -p "$KUBE_RUN"/node/{lib,log,run,sysctl} "$KUBE_RUN"/{cni,cni-bin,static,plugins}
  start mounts unshare --mount --propagation private bash "$KUBE_CLUSTER/mounts.sh" "$KUBE_RUN/node"
  within 20 "the mount namespace stands" test -e "$KUBE_RUN/node/stands"
}

start_containerd() {
  local image
  if without_memory; then
    filled runc-without-memory >"$KUBE_RUN/runc" && chmod +x "$KUBE_RUN/runc"
    RUNC=$KUBE_RUN/runc
  fi
  filled containerd.toml >"$KUBE_RUN/containerd.toml"
  install -m 755 "$KUBE_CLUSTER/cni" "$KUBE_RUN/cni-bin/bare"
  install -m 755 "$KUBE_CLUSTER/cni" "$KUBE_RUN/cni-bin/loopback"
  printf '{"cniVersion":"0.4.0","name":"test","type":"bare"}\n' >"$KUBE_RUN/cni/10-bare.conf"
  start_in_node containerd containerd --config "$KUBE_RUN/containerd.toml"
  within 30 "containerd answers" ctr version
  for image in "$KUBE_DIR"/images/*.tar; do ctr images import "$image" >>"$KUBE_RUN/log/images.log"; done
}

# The kubelet refuses a loopback address as --node-ip, but accepts it as the node's name, which then is its
# address as well.
start_kubelet() {
  { filled kubelet.yaml && printf '%s\n' "$KUBELET_LINES"; } >"$KUBE_RUN/kubelet.yaml"
  printf 'nameserver 127.0.0.1\n' >"$KUBE_RUN/resolv.conf"
  start_in_node kubelet kubelet --config="$KUBE_RUN/kubelet.yaml" --kubeconfig="$KUBE_RUN/kubelet.kubeconfig" \
    --hostname-override="$KUBE_NODE" --root-dir=/var/lib/kubelet --cert-dir=/var/lib/kubelet/pki \
    "${KUBELET_FLAGS[@]}" "$@"
}

node_ready() {
  [ "$(kubectl get node "$KUBE_NODE" -o jsonpath='{.status.conditions[?(@.type=="Ready")].status}{.spec.taints}')" = True ]
}

start_node() {
  start_mounts
  start_containerd
  start_kubelet "$@"
  within 90 "the kubelet is healthy" answers http://127.0.0.1:10248/healthz
  within 120 "the node is ready and without taints" node_ready
}
