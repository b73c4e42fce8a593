# The kubelet makes the cgroups of a pod in several steps. On cgroup v1 it reads the shares back and gives up if it
# does not find its own ("the minimum allowed cpu-shares is 3": an idle cgroup has 3); the other controllers of the
# pod then stay unset. No birth may break beside an agent that makes batch pods idle; and what the kubelet and the runtime
# write when a pod goes is no quarrel about its values.
# KUBE_BIRTHS (40): the number of pods, twenty at a time. Also for cgroup v2: tests/kube/on-v2.
. tests/kube/case.sh

births=${KUBE_BIRTHS:-40}
limit=$(awk '$1 == "podPidsLimit:" { print $2 }' tests/kube/cluster/kubelet.yaml)
pids() { cat "$(hierarchy pids)/$1/pids.max"; }
have_gone() { [ -z "$(kubectl get pods -l births=yes -o name)" ]; }
cgroups_have_gone() {
  local directory
  for directory in "${directories[@]}"; do [ ! -d "$CPU/$directory" ] || return; done
}
refused() {
  grep -cE 'minimum allowed cpu-shares|[Ff]ailed to ensure .*cgroup|Failed to create pod sandbox|Failed to start container' "$KUBE_RUN/log/kubelet.log" || true
}

pods front
feed_pods
agent --pods "file:$WORK/pods.json"
before=$(refused) broken=0 number=0
while [ $number -lt "$births" ]; do
  names=() directories=()
  : >"$WORK/births.yaml"
  for _ in $(seq 20); do
    number=$((number + 1))
    names+=("born-$number")
    sed "s/name: batch, labels: {/name: born-$number, labels: {births: \"yes\", /" tests/kube/pods/batch.yaml >>"$WORK/births.yaml"
    echo --- >>"$WORK/births.yaml"
  done
  kubectl apply -f "$WORK/births.yaml" >/dev/null
  kubectl wait --for=condition=Ready --timeout=120s "${names[@]/#/pod/}" >/dev/null || fail "not ready: ${names[*]}"
  for name in "${names[@]}"; do
    directory=$(pod_cgroup "$name")
    directories+=("$directory")
    [ "$(pids "$directory")" = "$limit" ] || { broken=$((broken + 1)) && say "$name: pids.max is $(pids "$directory")"; }
    soon 15 "$name runs when no sibling cgroup wants the CPU" cpu_is "$directory" idle 1
  done
  kubectl delete pods -l births=yes --grace-period=0 --force >/dev/null 2>&1
  soon 60 "the pods are deleted" have_gone
  soon 120 "their cgroups are gone" cgroups_have_gone
done
say "$number births: $broken with a limit of processes that was not set, $(($(refused) - before)) refused by the kubelet"
[ $broken -eq 0 ] && [ "$(refused)" = "$before" ] || fail "the agent has broken births"
no_foreign_writes || fail "writes at the end of pods were taken for foreign ones: $(metric evenkeel_foreign_writes_total)"
stop_agent
