# Functions that the cases of tests/kube/cases share: pods, their cgroups, an agent on the host, the values in
# cgroup files. Sourced. A case begins with `. tests/kube/case.sh`, ends with fail SENTENCE or at its last
# line, and leaves neither pods nor agent.
set -euo pipefail
. tests/kube/lib.sh
[ -e "$KUBE_RUN/env" ] || cannot "no cluster is up: tests/kube/up"
. "$KUBE_RUN/env"
# KUBE_AGENT: another binary, for example one with sanitizers.
EVENKEEL=$(readlink -m "${KUBE_AGENT:-$KUBE_ROOT/build/release/evenkeel}")
[ -x "$EVENKEEL" ] || cannot "$EVENKEEL was not built"
WORK=$(mktemp -d)
LISTEN=127.0.0.1:9320
CPU=$(hierarchy cpu)
trap end_case EXIT

# says [FLAG] PATTERN: whether the input matches; reads it to the end, since `grep -q` would break the
# writer's pipe.
says() { grep -e "${@: -1}" "${@:1:$#-1}" >/dev/null; }
# within (lib.sh), and ends the case on failure.
soon() { within "$@" || fail "$2"; }
fail() {
  tail -n 20 "$WORK/agent.log" 2>/dev/null || true
  say "$*"
  exit 1
}
# A case may define a function clean_up, which is called first.
end_case() {
  local status=$?
  trap - EXIT
  [ -z "$(declare -F clean_up)" ] || clean_up
  stop_feeding
  kill_agent
  "$EVENKEEL" restore --state-dir "$WORK/state" >/dev/null 2>&1 || true
  [ -z "${DEPLOYED:-}" ] || uninstall >/dev/null
  withdraw --force >/dev/null || true
  remove_pods || status=1
  rm -rf "$WORK"
  exit $status
}
# Returns when the kubelet has removed them: the next case must find it without pods. A case that restarts the kubelet at its end
# calls this before. The kubelet waits two minutes for the volumes of a pod that is deleted right after its own start.
remove_pods() {
  kubectl delete pods --all --grace-period=0 --force >/dev/null 2>&1 || true
  within 150 "the pods' cgroups are gone" no_pod_cgroups
}
no_pod_cgroups() { ! compgen -G "$CPU/kubepods/*/pod*" && ! compgen -G "$CPU/kubepods/pod*"; }

# --- pods

# pods NAME...: creates tests/kube/pods/NAME.yaml, whose pod is called NAME. Returns when all are ready. Beside
# "batch" comes "front", a service in the same directory: without one cpu.idle would have no effect.
pods() {
  local name
  [[ " $* " != *" batch "* ]] || set -- front "$@"
  for name in "$@"; do sed "s|policy/v1$|$KUBE_POLICY|" "tests/kube/pods/$name.yaml" | kubectl apply -f - >/dev/null; done
  kubectl wait --for=condition=Ready --timeout=90s "${@/#/pod/}" >/dev/null || fail "not ready: $*"
}
uid() { kubectl get pod "$1" -o jsonpath='{.metadata.uid}'; }
container() { kubectl get pod "$1" -o jsonpath='{.status.containerStatuses[0].containerID}' | sed 's|.*://||'; }
# The cgroup of a pod and of its first container, relative to a hierarchy.
pod_cgroup() { (cd "$CPU" && find kubepods -maxdepth 2 -name "pod$(uid "$1")"); }
container_cgroup() { printf '%s/%s\n' "$(pod_cgroup "$1")" "$(container "$1")"; }
cpu() { cat "$CPU/$1/cpu.$2"; }
cpu_is() { [ "$(cpu "$1" "$2")" = "$3" ]; }
cpu_is_not() { [ "$(cpu "$1" "$2")" != "$3" ]; }
# restart_container POD: kills its first container without telling the kubelet; returns when a new one runs.
restart_container() {
  local before
  before=$(container "$1")
  ctr tasks kill -s KILL "$before"
  soon 60 "another container of $1 runs" other_container "$1" "$before"
}
other_container() { local now; now=$(container_cgroup "$1"); [ "${now##*/}" != "$2" ] && [ -d "$CPU/$now" ]; }

# --- the node's topology

# With the version: kubectl remembers for hours which versions a cluster at this address had, and Koordinator's has a newer one.
TOPOLOGIES=noderesourcetopologies.v1alpha1.topology.node.k8s.io
# topology JSONPATH: of the node's NodeResourceTopology.
topology() { kubectl get "$TOPOLOGIES" "$KUBE_NODE" -o "jsonpath=$1" 2>/dev/null; }
topology_exists() { [ -n "$(topology '{.metadata.name}')" ]; }

# --- the kubelet's certificate

# own_certificate: the kubelet serves with one that it signed itself, kubeadm's default. clusters_certificate: with the
# one of the cluster's CA, again.
own_certificate() {
  cp "$KUBE_RUN/kubelet.yaml" "$WORK/kubelet.yaml"
  sed -i '/^tls/d' "$KUBE_RUN/kubelet.yaml"
  tests/kube/restart-kubelet
}
clusters_certificate() {
  [ -e "$WORK/kubelet.yaml" ] || return 0
  mv "$WORK/kubelet.yaml" "$KUBE_RUN/kubelet.yaml"
  tests/kube/restart-kubelet
}

# --- the agent as a process on this host

# agent FLAG...: starts it with the configuration in $WORK/nodeslo.yaml (if there is none: quota, burst, cpu.idle), unless a
# flag names another source. Returns when it is ready; start_agent returns at once.
agent() {
  start_agent "$@"
  soon 20 "the agent is ready" page readyz
}
start_agent() {
  [ -e "$WORK/nodeslo.yaml" ] || cat >"$WORK/nodeslo.yaml" <<YAML
resourceUsedThresholdWithBE: {enable: true, cpuSuppressThresholdPercent: 65, cpuSuppressPolicy: cfsQuota}
cpuBurstStrategy: {policy: auto}
resourceQOSStrategy: {beClass: {cpuQOS: {enable: true}}}
YAML
  [[ " $* " == *" --nodeslo-source "* ]] || set -- --nodeslo "$WORK/nodeslo.yaml" "$@"
  "$EVENKEEL" run --state-dir "$WORK/state" --listen $LISTEN "$@" >>"$WORK/agent.log" 2>&1 &
  AGENT=$!
}
# with_the_nodes_files: the agent sees the node's /var/lib, where the kubelet keeps the state of its CPU manager.
with_the_nodes_files() {
  recorded mounts
  printf '#!/bin/sh\nexec nsenter --target %s --mount %s "$@"\n' "$PID" "$EVENKEEL" >"$WORK/evenkeel"
  chmod +x "$WORK/evenkeel"
  EVENKEEL=$WORK/evenkeel
}
page() { curl -sf --noproxy '*' "http://$LISTEN/$1"; }
stop_agent() {
  kill -TERM "$AGENT"
  wait "$AGENT" || fail "the agent ended with status $?"
  AGENT=
}
kill_agent() {
  [ -n "${AGENT:-}" ] || return 0
  kill -TERM "$AGENT" 2>/dev/null && wait "$AGENT" || true # in a trap a status would end what cleans up
  AGENT=
}

# kubeconfig: access to the API server at KUBE_API, verified by API_CA, with the service account's token.
kubeconfig() {
  cat >"$WORK/kubeconfig" <<YAML
current-context: agent
contexts: [{name: agent, context: {cluster: here, user: agent}}]
clusters: [{name: here, cluster: {server: "$KUBE_API", certificate-authority: ${API_CA:-$KUBE_CA}}}]
users: [{name: agent, user: {tokenFile: $KUBE_TOKEN_FILE}}]
YAML
}
# cluster_agent FLAG...: an agent that gets pods from the kubelet and its Node from the API server.
cluster_agent() {
  kubeconfig
  agent --pods kubelet --kubelet-url "$KUBE_KUBELET" --kubelet-ca "${KUBELET_CA:-$KUBE_CA}" \
    --kubeconfig "$WORK/kubeconfig" --node-name "$KUBE_NODE" "$@"
}
# metric NAME{LABELS}: its current value; nothing if it does not exist.
metric() { page metrics | awk -v name="$1" '$1 == name { print $2 }'; }
metric_is() { [ "$(metric "$1")" = "$2" ]; }
metric_above() { awk -v value="$(metric "$1")" -v bound="$2" 'BEGIN { exit !(value != "" && value > bound) }'; }
# no_foreign_writes: whether the agent has taken no write for that of a program that sets the same values.
no_foreign_writes() {
  metric_is evenkeel_foreign_writes_total 0 && ! grep -E 'event=(foreign-write|yielded)' "$WORK/agent.log"
}
# good INPUT...: whether the pods and the node are as the servers report them.
good() {
  local input
  for input in "$@"; do metric_is "evenkeel_input_good{input=\"$input\"}" 1 || return; done
}
# ticks_on_time BEFORE AFTER, both from ticks(), allows one late tick in ten, since other tests run on this
# machine.
ticks() { printf '%s %s\n' "$(metric evenkeel_ticks_total)" "$(metric evenkeel_missed_ticks_total)"; }
ticks_on_time() {
  local ticks=$((${2% *} - ${1% *})) missed=$((${2#* } - ${1#* }))
  say "$ticks ticks, $missed came late; the longest took $(metric evenkeel_tick_longest_seconds) s"
  [ $ticks -gt 0 ] && [ $((missed * 10)) -le $ticks ]
}

# --- lent resources on the Node

allocatable() { kubectl get node "$KUBE_NODE" -o jsonpath="{.status.allocatable.kubernetes\.io/$1}"; }
capacity() { kubectl get node "$KUBE_NODE" -o jsonpath="{.status.capacity.kubernetes\.io/$1}"; }
advertised() { [ -n "$(allocatable "$1")" ] && [ "$(allocatable "$1")" = "$(capacity "$1")" ]; }
withdraw() { "$EVENKEEL" withdraw --kubeconfig "$KUBECONFIG" --node-name "$KUBE_NODE" --state-dir "$WORK/state" "$@" 2>&1; }

# ask CURL-ARG...: a request with the agent's service account token.
ask() {
  curl -s --noproxy '*' --max-time 10 --cacert "$KUBE_CA" -H "Authorization: Bearer $(cat "$KUBE_TOKEN_FILE")" "$@"
}
# Writes the kubelet's pods to $WORK/pods.json twice a second, for an agent with --pods file:.
fetch_pods() { ask -f "$KUBE_KUBELET/pods" >"$WORK/pods.new" && mv "$WORK/pods.new" "$WORK/pods.json"; }
feed_pods() {
  fetch_pods || fail "the kubelet does not tell its pods"
  while sleep 0.5; do fetch_pods; done &
  FEEDER=$!
}
stop_feeding() {
  [ -z "${FEEDER:-}" ] || kill "$FEEDER" 2>/dev/null || true
  FEEDER=
}

# --- the agent as a DaemonSet, from deploy/ and the image of deploy/image/build

deploy() {
  local archive=$KUBE_ROOT/build/image/evenkeel.tar
  [ -e "$archive" ] || cannot "build/image/evenkeel.tar was not built: deploy/image/build"
  ctr images import - <"$archive" >/dev/null
  DEPLOYED=yes
  kubectl apply -k tests/kube/daemonset >/dev/null
  grant_pods
  soon 60 "the agent's pod is ready" deployed
}
deployed() { [ "$(agent_pod '{.items[0].status.containerStatuses[0].ready}')" = true ]; }
agent_pod() { kubectl -n evenkeel get pods -l app.kubernetes.io/name=evenkeel -o jsonpath="$1"; }
# Rights and namespace stay: they belong to the cluster (cluster/identity.sh).
uninstall() {
  local cgroup
  cgroup=kubepods/burstable/pod$(agent_pod '{.items[0].metadata.uid}')
  kubectl -n evenkeel delete daemonset,configmap evenkeel --ignore-not-found
  DEPLOYED=
  within 60 "the agent's pod is gone" test ! -d "$CPU/$cgroup"
}

# --- nothing may be left behind

# Prints every setting in the pods' cgroups, without container names, so that a restarted container compares
# equal. Excludes cpu.shares of the two QoS directories, which the kubelet changes when pods come and go.
settings() {
  local hierarchy
  for hierarchy in cpu cpuset memory; do
    find /sys/fs/cgroup/$hierarchy/kubepods -type f -perm -200 -name "$hierarchy.*" -print
  done | grep -vE 'max_usage|failcnt|pressure|force_empty|oom_control|memory\.kmem|kubepods/(burstable|besteffort)/cpu.shares' |
    xargs grep -H '' | sed -E 's|/[0-9a-f]{64}/|/CONTAINER/|' | sort
}
remember_settings() { settings >"$WORK/settings"; }
check_settings() {
  settings >"$WORK/settings.now"
  diff "$WORK/settings" "$WORK/settings.now" || fail "settings differ from what they were before the agent"
}
