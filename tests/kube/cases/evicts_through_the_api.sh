# Memory is short by decree: of two best-effort pods the one that may go goes, the one that its budget guards stays, a
# service is never asked.
. tests/kube/case.sh

cat >"$WORK/nodeslo.yaml" <<YAML
resourceUsedThresholdWithBE: {enable: true, memoryEvictThresholdPercent: 1, memoryEvictLowerPercent: 0, cpuSuppressThresholdPercent: 100}
extensions: {evenkeel: {featureGates: {BEMemoryEvict: true}}}
YAML
is_gone() { ! kubectl get pod "$1" >/dev/null 2>&1; }
pods guarded service batch
budget_known() { [ "$(kubectl get pdb guarded -o jsonpath="{.status.currentHealthy}")" = 1 ]; }
soon 20 "the budget is known" budget_known

cluster_agent --events
soon 60 "the batch pod has gone" is_gone batch
soon 60 "the guarded one was asked" grep -q 'event=not-evicted pod=default/guarded' "$WORK/agent.log"
grep 'event=not-evicted' "$WORK/agent.log" | says 'disruption budget' || fail "the log does not say why the guarded pod stays"
# event_says POD REASON: what the owner of a pod is told.
event_says() { kubectl get events --field-selector "involvedObject.name=$1,reason=$2" -o jsonpath='{.items[*].message}' | says .; }
soon 20 "an event says that the batch pod was asked" event_says batch Evicting
soon 20 "an event says that the guarded pod stays" event_says guarded NotEvicted
is_gone guarded && fail "the guarded pod went"
is_gone service && fail "the service went"
grep -q 'event=evict pod=default/service' "$WORK/agent.log" && fail "the service was asked"
stop_agent
kubectl delete pdb guarded >/dev/null
