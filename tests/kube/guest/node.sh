# A node without an API server in the guest of tests/vm (cgroup v2, systemd as the first process): containerd and
# the kubelet of tests/kube/build with the systemd driver, both as units; pods are files. Sourced by tests/kube/guest/run
# and by its cases.
set -euo pipefail
. tests/kube/lib.sh
MANIFESTS=/etc/kubernetes/manifests
PODS=/sys/fs/cgroup/kubepods.slice
BESTEFFORT=$PODS/kubepods-besteffort.slice
NODE_LOG=/run/node

fail() {
  tail -n 20 $NODE_LOG/agent.log 2>/dev/null || true
  die "$*"
}
soon() { within "$@" || fail "$2"; }

# --- the node

# unit NAME COMMAND...: a transient service with the daemons' environment; systemctl knows it by that name.
unit() {
  local name=$1 program
  program=$(PATH=$KUBE_PATH command -v "$2")
  shift 2
  systemd-run --quiet --unit="$name" --slice=system.slice -p Delegate=yes -p KillMode=process -p LimitNOFILE=65536 \
    -p StandardOutput=append:$NODE_LOG/$name.log -p StandardError=inherit \
    --setenv=PATH="$KUBE_PATH" --setenv=HOME=/root --setenv=AWS_EC2_METADATA_DISABLED=true "$program" "$@"
}
start_containerd() {
  local runc=$KUBE_DIR/daemons/usr/sbin/runc image
  mkdir -p /var/lib/containerd && mount -t tmpfs containerd /var/lib/containerd
  { sed "s|@RUN@|/run/node|g; s|@RUNC@|$runc|g" "$KUBE_CLUSTER/containerd.toml" && echo '      SystemdCgroup = true'; } >$NODE_LOG/containerd.toml
  unit containerd containerd --config $NODE_LOG/containerd.toml
  within 120 "containerd answers" ctr version
  for image in "$KUBE_DIR"/images/*.tar; do ctr images import "$image" >>$NODE_LOG/images.log; done
}
ctr() { "$KUBE_DIR/daemons/usr/bin/ctr" --namespace k8s.io "$@"; }

start_kubelet() {
  unit kubelet kubelet --config="$KUBE_ROOT/tests/kube/guest/kubelet.yaml" --root-dir=/var/lib/kubelet --hostname-override=guest --v=2
}
kubelet_healthy() { [ "$(curl -sf --noproxy '*' --max-time 5 http://127.0.0.1:10248/healthz)" = ok ]; }

start_node() {
  mkdir -p $NODE_LOG $MANIFESTS /var/lib/kubelet /opt/cni/bin
  mount -t tmpfs kubelet /var/lib/kubelet
  mount -t tmpfs logs /var/log
  mkdir -p /var/log/pods /var/log/containers
  printf 'nameserver 127.0.0.1\n' >$NODE_LOG/resolv.conf
  systemctl start dbus.service
  start_containerd
  start_kubelet
  within 240 "the kubelet is healthy" kubelet_healthy
}

# --- pods: files that the kubelet watches, each with a uid of its own, from which the name of its cgroup follows

uid() { printf '00000000-0000-4000-8000-%012d' "$1"; }
# pod NUMBER NAME KOORDINATOR-CLASS RESOURCES: RESOURCES in YAML's flow style, {} for best effort.
pod() {
  cat >"$MANIFESTS/.$2" <<Y
apiVersion: v1
kind: Pod
metadata: {name: $2, namespace: default, uid: $(uid "$1"), labels: {koordinator.sh/qosClass: $3}}
spec:
  hostNetwork: true
  terminationGracePeriodSeconds: 1
  automountServiceAccountToken: false
  enableServiceLinks: false
  containers:
  - {name: a, image: k8s.local/busybox:1.35, imagePullPolicy: Never, command: [/bin/sh, -c, exec sleep 1000000], resources: $4}
Y
  mv "$MANIFESTS/.$2" "$MANIFESTS/$2.yaml"
}
# cgroup_of NUMBER: the directory of the pod; fails without one.
cgroup_of() {
  local name dir
  name=pod$(uid "$1" | tr - _).slice
  for dir in $PODS/kubepods-"$name" $PODS/kubepods-*.slice/kubepods-*-"$name"; do [ ! -d "$dir" ] || { echo "$dir" && return; }; done
  return 1
}
# The kubelet's containers in it: the sandbox and what the pod consists of.
runs() { [ "$(find "$(cgroup_of "$1")" -maxdepth 1 -name 'cri-containerd-*.scope' | wc -l)" -ge 2 ]; }
all_run() { local number; for number in "$@"; do runs "$number" || return; done; }
none_is() { local number; for number in "$@"; do ! cgroup_of "$number" >/dev/null || return; done; }
# basic_pods: 1 to 4, of every QoS class, one of them batch work; the first case that asks creates them.
basic_pods() {
  pod 1 service LS '{requests: {cpu: 100m, memory: 64Mi}, limits: {memory: 128Mi}}'
  pod 2 guaranteed LS '{limits: {cpu: 200m, memory: 64Mi}}'
  pod 3 front LS '{}'
  pod 4 batch BE '{}'
  soon 300 "pods of every class run" all_run 1 2 3 4
}
# Prints every value in the pods' cgroups that the agent could have changed, without the containers' names.
settings() {
  find $PODS -type f \( -name 'cpu.max*' -o -name cpu.idle -o -name cpu.weight -o -name memory.min -o -name memory.low -o -name memory.high \) |
    xargs grep -H '' | sed -E 's/cri-containerd-[0-9a-f]*/CONTAINER/' | sort
}
remember_settings() { settings >$NODE_LOG/settings; }
# The weights of the QoS slices follow the pods within a minute.
are_as_remembered() { settings | diff $NODE_LOG/settings - >$NODE_LOG/differences; }
check_settings() {
  within "${1:-5}" "every value is the kubelet's" are_as_remembered || { cat $NODE_LOG/differences; fail "the agent has left values"; }
}

# --- the agent as a unit, with the configuration in $NODE_LOG/nodeslo.yaml. The kubelet's certificate is its own.

EVENKEEL=$(readlink -m "${KUBE_AGENT:-$KUBE_ROOT/build/release/evenkeel}")
LISTEN=127.0.0.1:9320
start_agent() {
  unit agent "$EVENKEEL" run --nodeslo $NODE_LOG/nodeslo.yaml --state-dir $NODE_LOG/state --listen $LISTEN --pods kubelet \
    --kubelet-url https://127.0.0.1:10250 --kubelet-insecure-tls --node-name guest
  soon 120 "the agent is ready" page readyz
}
page() { curl -sf --noproxy '*' --max-time 20 "http://$LISTEN/$1"; }
explain() { "$EVENKEEL" explain --listen $LISTEN "$@"; }
# no_foreign_writes: whether the agent has taken no write for that of a program that sets the same values.
no_foreign_writes() {
  [ "$(page metrics | awk '$1 == "evenkeel_foreign_writes_total" { print $2 }')" = 0 ] &&
    ! grep -E 'event=(foreign-write|yielded)' $NODE_LOG/agent.log
}
stop_agent() { systemctl stop agent.service; }
