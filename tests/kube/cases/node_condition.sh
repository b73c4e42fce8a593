# While the agent cannot do its work, the Node has a condition with the reason; it is removed once the agent
# can, and when the agent exits.
. tests/kube/case.sh

condition() { kubectl get node "$KUBE_NODE" -o jsonpath="{.status.conditions[?(@.type=='EvenkeelDegraded')].$1}"; }
degraded_by() { [ "$(condition status)" = True ] && [ "$(condition reason)" = "$1" ]; }
sound() { [ -z "$(condition type)" ]; }
others() { kubectl get node "$KUBE_NODE" -o jsonpath='{.status.conditions[*].type}'; }
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
