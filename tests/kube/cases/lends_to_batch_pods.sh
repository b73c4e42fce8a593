# Pods from the kubelet, figures on the Node: a pod that requests lent resources stays pending until the agent
# lends, then runs and has its values; it keeps running while the agent is stopped and the kubelet restarts;
# the restarted agent continues with its figures. A restarting kubelet admits its pods again by what the Node shows,
# so the pod keeps running also when less can be lent than it holds.
. tests/kube/case.sh

is_ready() { [ "$(kubectl get pod lent -o jsonpath='{.status.containerStatuses[0].ready}')" = true ]; }
# lend PERCENT: of the node's CPUs, less what is in use.
lend() {
  cat >"$WORK/nodeslo.new" <<YAML
extensions: {colocation: {enable: true, cpuReclaimThresholdPercent: $1}}
resourceQOSStrategy: {beClass: {cpuQOS: {enable: true}}}
YAML
  mv "$WORK/nodeslo.new" "$WORK/nodeslo.yaml"
}
lending_agent() {
  # The machine may be busy with other tests: lend more than it has, so that the pod fits anyway.
  lend 200
  cluster_agent --report node-status
}
lives() { is_ready && [ "$(container lent)" = "$container" ]; }
only_what_is_held() {
  [ "$(allocatable batch-cpu)" = 100 ] && page v1/explain | says 'batch-cpu: [^;]*started pods request'
}

withdraw || fail "the Node lends before the agent has begun"
kubectl apply -f tests/kube/pods/lent.yaml >/dev/null
sleep 2
[ -z "$(kubectl get pod lent -o jsonpath='{.spec.nodeName}')" ] || fail "the pod was scheduled without anything lent"

say "lending"
lending_agent
soon 15 "the Node lends batch CPU" advertised batch-cpu
advertised batch-memory && advertised mid-cpu && advertised mid-memory || fail "not all four are lent"
say "batch-cpu $(allocatable batch-cpu), batch-memory $(allocatable batch-memory)"
soon 15 "the pod runs" is_ready
soon 10 "the pod has the shares that its batch CPU stands for" cpu_is "$(pod_cgroup lent)" shares 102
cpu_is "$(pod_cgroup lent)" idle 0 || fail "cpu.idle cancels these shares"
page metrics | says '^evenkeel_input_good{input="pods"} 1' || fail "the kubelet's list is not good"
page v1/explain | says '"name":"margin"' || fail "explain does not show the terms"

say "the agent goes, the kubelet restarts: the pod lives"
container=$(container lent)
stop_agent
advertised batch-cpu || fail "the figures went with the agent"
tests/kube/restart-kubelet >/dev/null
sleep 12
lives || fail "the pod did not live on"

say "the agent is back"
lending_agent
soon 15 "the pod has them again" cpu_is "$(pod_cgroup lent)" shares 102
! grep -q 'advertised-by-another' "$WORK/agent.log" || fail "its own figures were taken for another program's"
{ withdraw || true; } | says 'an agent runs here' || fail "withdrawn beside a running agent"

say "nothing more can be lent, and the kubelet restarts: the pod lives"
lend 0
soon 60 "the Node shows what the running pod holds, and no more" only_what_is_held
page v1/explain | grep -o 'batch-cpu: [^;"]*'
tests/kube/restart-kubelet >/dev/null
sleep 12
lives || fail "the pod did not live on: $(kubectl get pod lent -o jsonpath='{.status.phase} {.status.reason}')"
only_what_is_held || fail "the Node shows $(allocatable batch-cpu)"
stop_agent

say "what was advertised goes when no pod holds of it any more"
! withdraw >"$WORK/refused" || fail "withdrawn under a running pod"
grep -q '1 pod requests some of .*: default/lent' "$WORK/refused" || fail "the refusal does not name the pod: $(cat "$WORK/refused")"
advertised batch-cpu || fail "a refusal took it off the Node"
kubectl delete pod lent --grace-period=1 >/dev/null
withdraw | says 'withdrawn: batch-cpu' || fail "not withdrawn"
[ -z "$(allocatable batch-cpu)$(capacity mid-memory)" ] || fail "something is still advertised"
