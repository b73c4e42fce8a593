# Evictions under memory shortage. Real shortage: a hog among batch pods is evicted, and no other pod, as that
# suffices. Configured shortage (a threshold that cannot be met): an unprotected pod is evicted, the pod with
# a disruption budget is requested but stays, a service is never requested.
. tests/kube/case.sh

# short_above PERCENT
short_above() {
  cat >"$WORK/nodeslo.new" <<YAML
resourceUsedThresholdWithBE: {enable: true, memoryEvictThresholdPercent: $1, memoryEvictLowerPercent: $(($1 - 1)), cpuSuppressThresholdPercent: 100}
extensions: {evenkeel: {featureGates: {BEMemoryEvict: true}}}
YAML
  mv "$WORK/nodeslo.new" "$WORK/nodeslo.yaml"
}
mebibytes() { awk -v name="$1:" '$1 == name { print int($2 / 1024) }' /proc/meminfo; }
used_percent() { echo $((100 - $(mebibytes MemAvailable) * 100 / $(mebibytes MemTotal))); }
is_gone() { ! kubectl get pod "$1" >/dev/null 2>&1; }
stay() {
  local pod
  for pod in "$@"; do ! is_gone "$pod" || fail "pod $pod went"; done
}
asked() { grep -q "event=\(evict\|not-evicted\) pod=default/$1" "$WORK/agent.log"; }
# event_says POD REASON: whether the pod has that event.
event_says() { kubectl get events --field-selector "involvedObject.name=$1,reason=$2" -o jsonpath='{.items[*].message}' | says .; }
clean_up() { kubectl delete pdb guarded --ignore-not-found >/dev/null; }
pods guarded service batch
budget_known() { [ "$(kubectl get pdb guarded -o jsonpath="{.status.currentHealthy}")" = 1 ]; }
soon 20 "the budget is known" budget_known

say "by size"
before=$(used_percent)
short_above $((before + 6))
cluster_agent --events
soon 30 "pods and Node are known" good pods node
sed "s/HOG_MEBIBYTES/$(($(mebibytes MemTotal) / 10))/" tests/kube/pods/hog.yaml | kubectl apply -f - >/dev/null
soon 60 "the hog was asked" grep -q 'event=evict pod=default/hog' "$WORK/agent.log"
grep 'event=evict pod=default/hog' "$WORK/agent.log"
soon 60 "the hog has gone" is_gone hog
soon 20 "an event says that the hog was asked" event_says hog Evicting
sleep 10 # time enough to evict another pod, which must not happen
stay guarded service batch
for pod in guarded service batch; do ! asked $pod || fail "pod $pod was asked though the hog sufficed"; done
say "used: $before % before, $(used_percent) % after"

say "by decree"
short_above 1
soon 60 "the batch pod has gone" is_gone batch
soon 60 "the guarded one was asked" grep -q 'event=not-evicted pod=default/guarded' "$WORK/agent.log"
grep 'event=not-evicted' "$WORK/agent.log" | says 'disruption budget' || fail "the log does not say why the guarded pod stays"
soon 20 "an event says that the batch pod was asked" event_says batch Evicting
soon 20 "an event says that the guarded pod stays" event_says guarded NotEvicted
stay guarded service
! asked service || fail "the service was asked"
stop_agent
