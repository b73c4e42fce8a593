# One configuration for several node pools: nodeStrategies by the labels of the real Node object, which change while the
# agent runs. And a tenant's own annotation, which does not take a batch pod out of it.
. tests/kube/case.sh

unlabel() { kubectl label node "$KUBE_NODE" evenkeel-pool- >/dev/null 2>&1 || true; }
clean_up() { unlabel; }
in_pool() { kubectl label node "$KUBE_NODE" --overwrite "evenkeel-pool=$1" >/dev/null; }
said() { page readyz | says -F "$1"; }

pods batch
remember_settings
batch=$(pod_cgroup batch)
cat >"$WORK/nodeslo.yaml" <<'YAML'
nodeStrategies:
- name: batch-nodes
  nodeSelector: {matchLabels: {evenkeel-pool: batch}}
  resourceQOSStrategy: {beClass: {cpuQOS: {enable: true}}}
- name: trusting-nodes
  nodeSelector: {matchExpressions: [{key: evenkeel-pool, operator: In, values: [trusting]}]}
  resourceQOSStrategy: {beClass: {cpuQOS: {enable: true}}}
  extensions: {evenkeel: {trust: [{namespaces: [default], claims: [hands-off]}]}}
YAML
unlabel
cluster_agent --node-interval 2s
sleep 3
cpu_is "$batch" idle 0 || fail "a pool that the node is not in has effect"

say "the node joins a pool"
in_pool batch
soon 30 "its strategy has effect" cpu_is "$batch" idle 1
said batch-nodes || fail "/readyz does not name the strategy: $(page readyz)"

say "a tenant asks to be left out"
kubectl annotate pod batch evenkeel.io/hands-off=true >/dev/null
soon 30 "the claim is refused by name" said "pod default/batch: evenkeel.io/hands-off does not count"
cpu_is "$batch" idle 1 || fail "the pod has exempted itself"

say "another pool, whose operator trusts the namespace"
in_pool trusting
soon 30 "the pod is left alone" cpu_is "$batch" idle 0

say "no pool"
in_pool batch
soon 30 "managed again" cpu_is "$batch" idle 1
unlabel
soon 30 "nothing has effect" cpu_is "$batch" idle 0
stop_agent
check_settings
