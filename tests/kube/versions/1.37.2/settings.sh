# What Kubernetes 1.37.2 wants and an older one refuses. Sourced by tests/kube/lib.sh. The kubelet refuses
# cgroup v1 unless its configuration says otherwise.
KUBE_POLICY=policy/v1
CONTROLLER_FLAGS=()
SCHEDULER_FLAGS=()
KUBELET_FLAGS=()
KUBELET_LINES='failCgroupV1: false
containerRuntimeEndpoint: unix:///run/containerd/containerd.sock'
