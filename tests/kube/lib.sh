# Paths of the cluster of tests/kube, and functions that its scripts share. Sourced by bash.
# EVENKEEL_KUBE_VERSION: which of tests/kube/versions; without it the oldest. EVENKEEL_KUBE_DIR: the output of
# tests/kube/build for the oldest (kept between runs; another version's name is added for the others); run/ in
# it is the running cluster (removed by down).
KUBE_ROOT=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.." && pwd)
KUBE_OLDEST=1.20.2
KUBE_VERSION=${EVENKEEL_KUBE_VERSION:-$KUBE_OLDEST}
KUBE_VERSION_DIR=$KUBE_ROOT/tests/kube/versions/$KUBE_VERSION
KUBE_DIR=$(readlink -m "${EVENKEEL_KUBE_DIR:-$KUBE_ROOT/build/kube}")
[ "$KUBE_VERSION" = "$KUBE_OLDEST" ] || KUBE_DIR+=-$KUBE_VERSION
KUBE_RUN=$KUBE_DIR/run
KUBE_BIN=$KUBE_DIR/bin
KUBE_CLUSTER=$KUBE_ROOT/tests/kube/cluster
KUBE_NODE=127.0.0.1

# hierarchy CONTROLLER: where its files are, on cgroup v1 and (tests/kube/on-v2) v2.
hierarchy() { if [ -e /sys/fs/cgroup/cgroup.controllers ]; then echo /sys/fs/cgroup; else echo "/sys/fs/cgroup/$1"; fi; }
without_memory() { [ -e /sys/fs/cgroup/cgroup.controllers ] && ! grep -qw memory /sys/fs/cgroup/cgroup.controllers; }
# pods_directories: the kubelet's top directories, one for each hierarchy; fails if there is none.
pods_directories() { compgen -G '/sys/fs/cgroup/*/kubepods*' || compgen -G '/sys/fs/cgroup/kubepods*'; }

say() { printf '%s\n' "$*"; }
die() { printf '%s\n' "$*"; exit 1; }
cannot() { printf '%s\n' "$*"; exit 77; }
[ -d "$KUBE_VERSION_DIR" ] || die "tests/kube/versions has no $KUBE_VERSION"
. "$KUBE_VERSION_DIR/settings.sh"

# within SECONDS WHAT COMMAND...: waits until the command succeeds; fails after that time.
within() {
  local until=$((SECONDS + $1)) what=$2
  shift 2
  until "$@" >/dev/null 2>&1; do
    [ $SECONDS -lt $until ] || { say "not in time: $what"; return 1; }
    sleep 0.1
  done
}

# use_go MINIMUM WHAT: finds the machine's Go for what needs that version; its caches are in the current directory.
use_go() {
  local go
  PATH+=:/usr/local/go/bin # where Go is put by its own instructions, and sudo does not look
  command -v go >/dev/null || cannot "$2 needs Go $1 or later, and no Go is installed"
  go=$(GOTOOLCHAIN=local go env GOVERSION)
  printf 'go%s\n%s\n' "$1" "$go" | sort -CV || cannot "$2 needs Go $1 or later, not $go"
  export GOPATH=$PWD/path GOCACHE=$PWD/cache GOTOOLCHAIN=local CGO_ENABLED=0
}

# Processes are recorded by name, pid and start time, so that a reused pid is never killed.
started_at() { awk '{ print $22 }' "/proc/$1/stat" 2>/dev/null; }
alive() { [ -n "${1:-}" ] && [ "$(started_at "$1")" = "$2" ] && ! grep -q '^State:.Z' "/proc/$1/status" 2>/dev/null; }
# recorded NAME: sets PID and STARTED of its last start.
recorded() { read -r PID STARTED < <(awk -v name="$1" '$1 == name { found = $2 " " $3 } END { print found }' "$KUBE_RUN/pids"); }
running() { recorded "$1" && alive "$PID" "$STARTED"; }

# The environment of every daemon. Without that variable the kubelet asks 169.254.169.254 for AWS credentials
# at start.
KUBE_PATH=$KUBE_BIN:$KUBE_DIR/daemons/usr/bin:$KUBE_DIR/daemons/usr/sbin:$KUBE_DIR/daemons/bin:/usr/sbin:/usr/bin:/sbin:/bin
# start NAME COMMAND...
start() {
  local name=$1 pid
  shift
  setsid env -i PATH="$KUBE_PATH" HOME="$KUBE_RUN" AWS_EC2_METADATA_DISABLED=true "$@" \
    >>"$KUBE_RUN/log/$name.log" 2>&1 </dev/null &
  pid=$!
  sleep 0.05
  printf '%s %s %s\n' "$name" $pid "$(started_at $pid)" >>"$KUBE_RUN/pids"
}
# Runs in the node's mount namespace; nsenter becomes the command, so the pid stays.
in_node() { recorded mounts && nsenter --target "$PID" --mount "$@"; }
ctr() { in_node "$KUBE_DIR/daemons/usr/bin/ctr" --namespace k8s.io "$@"; }
start_in_node() {
  local name=$1
  shift
  recorded mounts
  start "$name" nsenter --target "$PID" --mount "$@"
}
# stop NAME SIGNAL SECONDS: sends the signal, and SIGKILL when the time is over.
stop() {
  local tenths=$(($3 * 10))
  running "$1" || return 0
  kill -"$2" "$PID"
  while alive "$PID" "$STARTED" && [ $((tenths--)) -gt 0 ]; do sleep 0.1; done
  alive "$PID" "$STARTED" && kill -KILL "$PID" && sleep 0.2
  return 0
}
# kubelet_before_133: whether the kubelet wants nodes/proxy of those who list its pods.
kubelet_before_133() { [ "$("$KUBE_BIN/kubelet" --version | cut -d. -f2)" -lt 33 ]; }
# token_of ACCOUNT: a token of the service account in the agent's namespace, valid for a day.
token_of() {
  kubectl create --raw "/api/v1/namespaces/evenkeel/serviceaccounts/$1/token" -f - <<<'{"kind":"TokenRequest",
    "apiVersion":"authentication.k8s.io/v1","spec":{"expirationSeconds":86400}}' |
    grep -o '"token":"[^"]*"' | cut -d'"' -f4
}
# grant_pods: adds the right to list pods that only an older kubelet asks for.
grant_pods() {
  ! kubelet_before_133 || kubectl patch clusterrole evenkeel --type json \
    --patch "$(cat "$KUBE_ROOT/deploy/kustomize/kubelet-before-1.33/rights.yaml")" >/dev/null
}
# grant_rights: gives the agent's service account the rights that deploy/ grants for this kubelet, and no others.
grant_rights() { kubectl apply -f "$KUBE_ROOT/deploy/kustomize/base/rights.yaml" >/dev/null && grant_pods; }
kubectl() { "$KUBE_BIN/kubectl" --kubeconfig "$KUBE_RUN/admin.kubeconfig" "$@"; }
