# While the agent cannot do its work, the Node has a condition with the reason; it is removed once the agent
# can, and when the agent exits. So is the annotation that lets Koordinator make more CPUs allocatable, but not
# the one of Koordinator's manager.
. tests/kube/case.sh

condition() { kubectl get node "$KUBE_NODE" -o jsonpath="{.status.conditions[?(@.type=='EvenkeelDegraded')].$1}"; }
degraded_by() { [ "$(condition status)" = True ] && [ "$(condition reason)" = "$1" ]; }
sound() { [ -z "$(condition type)" ]; }
others() { kubectl get node "$KUBE_NODE" -o jsonpath='{.status.conditions[*].type}'; }
RATIO=node.koordinator.sh/resource-amplification-ratio
MARK=evenkeel.io/resource-amplification
annotation() { kubectl get node "$KUBE_NODE" -o jsonpath="{.metadata.annotations.${1//./\\.}}"; }
ratio_is() { [ "$(annotation $RATIO)" = "$1" ]; }
amplified() { ratio_is '{"cpu":1.15}' && [ "$(annotation $MARK)" = '{"cpu":1.15}' ]; }
not_amplified() { [ -z "$(annotation $RATIO)$(annotation $MARK)" ]; }
clean_up() { kubectl annotate node "$KUBE_NODE" $RATIO- $MARK- >/dev/null 2>&1 || true; }
amplifying_agent() {
  cat >"$WORK/nodeslo.yaml" <<'YAML'
extensions: {evenkeel: {cpuNormalization: auto, resourceAmplification: auto, cpuNormalizationModels: {defaultRatio: 1.15}}}
YAML
  cluster_agent --report node-status --node-interval 2s
}
good_slo() { echo 'resourceQOSStrategy: {beClass: {cpuQOS: {enable: true}}}' >"$WORK/nodeslo.yaml"; }

before=$(others)
good_slo
cluster_agent --report node-status
soon 30 "pods and Node are known" good pods node
sound || fail "a sound agent has put a condition on its Node"

say "a configuration that is refused"
echo 'resourceQOSStrategy: {beClass: {cpuQOS: {enable: maybe}}}' >"$WORK/nodeslo.yaml"
soon 90 "the Node says that the configuration is refused" degraded_by NodeSloRefused
condition message | says 'the previous configuration is in force: .*nodeslo.yaml:1:' || fail "the message does not say where: $(condition message)"
good_slo
soon 60 "the condition goes with the trouble" sound

say "the agent goes while it is degraded"
echo 'nonsense' >"$WORK/nodeslo.yaml"
soon 90 "the Node says it again" degraded_by NodeSloRefused
stop_agent
sound || fail "the condition outlives the agent"
[ "$(others)" = "$before" ] || fail "other conditions of the Node have changed: '$before' became '$(others)'"
! grep -q condition-not-sent "$WORK/agent.log" || fail "the API server refused the condition"

say "CPUs that count for more"
amplifying_agent
soon 60 "the Node has the table's ratio" amplified
stop_agent
not_amplified || fail "the ratio outlives the agent: $(annotation $RATIO), $(annotation $MARK)"

say "the agent is killed, and the next one is not to do that"
amplifying_agent
soon 60 "the Node has the ratio again" amplified
kill -KILL "$AGENT"
wait "$AGENT" || true
amplified || fail "who has removed it?"
good_slo
cluster_agent --report node-status --node-interval 2s
soon 60 "the next agent removes it" not_amplified
stop_agent

say "the manager's own ratio"
kubectl annotate node "$KUBE_NODE" $RATIO='{"cpu":1.30}' >/dev/null
amplifying_agent
soon 60 "the agent leaves it alone, and says so" grep event=amplification-left-alone "$WORK/agent.log"
page readyz | says '^resource-amplification: .*of another writer' || fail "not on the page: $(page readyz)"
stop_agent
ratio_is '{"cpu":1.30}' || fail "the manager's ratio was '{\"cpu\":1.30}', and is '$(annotation $RATIO)'"
[ -z "$(annotation $MARK)" ] || fail "the agent has marked what it has not written"
! grep -q amplification-not-sent "$WORK/agent.log" || fail "the API server refused the annotation"
