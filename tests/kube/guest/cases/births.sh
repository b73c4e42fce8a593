# The kubelet and systemd make the cgroups of a pod in several steps. No birth may break beside an agent that makes
# batch pods idle: every pod gets its limit of processes and the weight that the kubelet gives it, and the kubelet
# logs no failure; and no write at the end of a pod is taken for a foreign one. KUBE_GUEST_BIRTHS (100): the number of
# pods, ten at a time.
. tests/kube/guest/node.sh

births=${KUBE_GUEST_BIRTHS:-100}
limit=$(awk '$1 == "podPidsLimit:" { print $2 }' tests/kube/guest/kubelet.yaml)
# The lines in which the kubelet says that it could not make a pod.
failures() { grep -E 'Error syncing pod|Failed to create pod sandbox|Failed to start container|[Ff]ailed to ensure .*cgroup|minimum allowed' $NODE_LOG/kubelet.log || true; }
is_idle() { [ "$(cat "$(cgroup_of "$1")/cpu.idle")" = 1 ]; }
# weight_of NUMBER: what the kubelet has told systemd; an idle group's cpu.weight reads 0.
weight_of() { systemctl show -P CPUWeight "$(basename "$(cgroup_of "$1")")"; }
# told: what containerd and the kubelet say of each pod that failed.
told() {
  local uid
  for uid in $(grep -v DeadlineExceeded $NODE_LOG/failures | grep -o 'podUID="[^"]*"' | cut -d'"' -f2 | sort -u); do
    say "--- pod $uid"
    grep -h "$uid" $NODE_LOG/{containerd,kubelet}.log | cut -c1-400 | tail -n 40
  done
}
wrong() { broken=$((broken + 1)) && say "pod $*"; }

# Without suppression: here, where the kubelet takes a whole CPU, it would leave births a hundredth of one.
cat >$NODE_LOG/nodeslo.yaml <<'Y'
resourceQOSStrategy: {beClass: {cpuQOS: {enable: true}}}
Y
basic_pods
remember_settings
start_agent
soon 60 "batch work is idle class" is_idle 4
before=$(failures | wc -l) broken=0 number=0 began=$SECONDS
while [ $number -lt "$births" ]; do
  batch=() services=()
  for _ in 1 2 3 4 5; do
    batch+=($((1001 + number))) services+=($((1002 + number)))
    pod $((1001 + number)) "born-$((1 + number))" BE '{}'
    pod $((1002 + number)) "born-$((2 + number))" LS '{requests: {cpu: 100m}}'
    number=$((number + 2))
  done
  soon 1800 "pods ${batch[*]} ${services[*]} run" all_run "${batch[@]}" "${services[@]}"
  for pod in "${batch[@]}" "${services[@]}"; do
    [ "$(cat "$(cgroup_of "$pod")/pids.max")" = "$limit" ] || wrong "$pod: pids.max is $(cat "$(cgroup_of "$pod")/pids.max")"
  done
  for pod in "${batch[@]}"; do
    [ "$(weight_of "$pod")" = 1 ] || wrong "$pod: systemd knows the weight $(weight_of "$pod")"
    soon 60 "pod $pod is idle class" is_idle "$pod"
  done
  # 100m are 102 shares, of which the kubelet makes this weight.
  for pod in "${services[@]}"; do
    [ "$(cat "$(cgroup_of "$pod")/cpu.weight")" = 4 ] || wrong "$pod: cpu.weight is $(cat "$(cgroup_of "$pod")/cpu.weight")"
  done
  say "$number born in $((SECONDS - began)) s"
  [ $number -lt "$births" ] || break
  rm $MANIFESTS/born-*.yaml
  soon 600 "they are gone" none_is "${batch[@]}" "${services[@]}"
done
no_foreign_writes || fail "writes at the start or the end of pods were taken for foreign ones"
stop_agent
for pod in "${batch[@]}" 4; do
  [ "$(cat "$(cgroup_of "$pod")"/cpu.{idle,weight} | xargs)" = "0 1" ] || wrong "$pod: after the stop idle and weight are $(cat "$(cgroup_of "$pod")"/cpu.{idle,weight} | xargs)"
done
failures | tail -n +$((before + 1)) >$NODE_LOG/failures
cut -c1-600 $NODE_LOG/failures
# A call to containerd that took too long is the emulated machine's fault; the kubelet repeats it.
late=$(grep -c DeadlineExceeded $NODE_LOG/failures || true)
failed=$(($(wc -l <$NODE_LOG/failures) - late))
say "$number births: $broken broken, $failed failures in the kubelet's log, and $late calls that took too long"
[ $broken -eq 0 ] && [ $failed -eq 0 ] || { told && fail "births are broken, see above"; }
rm $MANIFESTS/born-*.yaml
soon 600 "they are gone" none_is "${batch[@]}" "${services[@]}"
check_settings 150
