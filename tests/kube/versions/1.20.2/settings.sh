# What Kubernetes 1.20.2 wants and a later one refuses. Sourced by tests/kube/lib.sh.
KUBE_POLICY=policy/v1beta1
CONTROLLER_FLAGS=(--port=0 --flex-volume-plugin-dir="$KUBE_RUN/plugins")
SCHEDULER_FLAGS=(--port=0)
KUBELET_FLAGS=(--container-runtime=remote --container-runtime-endpoint=unix:///run/containerd/containerd.sock
  --cni-bin-dir="$KUBE_RUN/cni-bin" --cni-conf-dir="$KUBE_RUN/cni" --cni-cache-dir=/var/lib/cni/cache)
KUBELET_LINES=''
