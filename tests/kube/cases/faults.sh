# Runs the agent behind a fault-injecting proxy to both servers (tests/helpers/fault_proxy.cpp): refusals,
# delays, resets, and answers that are truncated, dripping, endless, deep, crowded, empty or missing.
# Throughout, ticks are on time, memory is bounded, values stay in effect, no pod is evicted and the log
# reports changes only; after each fault the figures are on the Node again. FAULTS: a file with other lines;
# KUBE_AGENT_MIB: the memory limit, 128 as in deploy/.
. tests/kube/case.sh
PROXY=$KUBE_ROOT/build/release/tests/fault_proxy
[ -x "$PROXY" ] || cannot "build/release/tests/fault_proxy was not built"

# Invalid answers, one fault per line.
if [ -n "${FAULTS:-}" ]; then mapfile -t useless <"$FAULTS"; else
  useless=("status 401" "status 403" "status 404" "status 409" "status 410" "status 415" "status 422" "status 500"
    "status 429 Retry-After: 3" "status 503 Retry-After: 3" "reset 0" "reset 300" "cut 0" "cut 300" "cut 2000" "drip 200"
    "hang" "garbage" "huge" "deep")
fi
# Valid answers: slow ones, and a list with no pods or a great many.
legal=("delay 1500" "empty" "crowd 20000")

clean_up() {
  exec 5>&- 6>&-
  [ -z "${PROXIES:-}" ] || wait $PROXIES 2>/dev/null || true
}
# proxy NAME PORT: starts a proxy in front of 127.0.0.1:PORT with the faults written to $WORK/NAME.faults.
proxy() {
  mkfifo "$WORK/$1.faults"
  "$PROXY" "$2" "$WORK/$1.ca" <"$WORK/$1.faults" >"$WORK/$1.said" &
  PROXIES="${PROXIES:-} $!"
}
address_of() { printf 'https://127.0.0.1:%s\n' "$(sed -n 's/^listening //p' "$WORK/$1.said")"; }
both_said() { [ "$(cat "$WORK/kubelet.said" "$WORK/api.said" | wc -l)" -eq "$1" ]; }
SAID=2
inflict() {
  printf '%s\n' "$1" >&5
  printf '%s\n' "$1" >&6
  SAID=$((SAID + 2))
  soon 20 "the proxies know '$1'" both_said $SAID
  ! grep -q unknown "$WORK/kubelet.said" || fail "the proxy does not know '$1'"
}

# configure LENT-PERCENT: of the CPUs, so that the lent amount differs from one fault to the next.
configure() {
  cat >"$WORK/nodeslo.new" <<YAML
resourceUsedThresholdWithBE: {enable: true, cpuSuppressThresholdPercent: 65, cpuSuppressPolicy: cfsQuota, memoryEvictThresholdPercent: 99}
resourceQOSStrategy: {beClass: {cpuQOS: {enable: true}}}
extensions: {colocation: {enable: true, cpuReclaimThresholdPercent: $1}, evenkeel: {featureGates: {BEMemoryEvict: true}}}
YAML
  mv "$WORK/nodeslo.new" "$WORK/nodeslo.yaml"
}
# Whether more than two CPUs are lent for each existing one, or fewer.
lends_much() {
  local amount
  amount=$(allocatable batch-cpu)
  case $amount in *k) amount=${amount%k}000 ;; esac
  [ "${amount:-0}" -gt $((2000 * $(nproc))) ]
}
lends_little() { [ -n "$(allocatable batch-cpu)" ] && ! lends_much; }

failures() { metric "evenkeel_input_failures_total{input=\"$1\"}"; }
failed_since() { [ "$(failures pods)" -gt "$1" ] && [ "$(failures node)" -gt "$2" ]; }
answers() { metric 'evenkeel_server_requests_total{server="kubelet",status="200"}'; }
answered_since() { [ "$(answers)" -gt $(($1 + 1)) ]; }
unharmed() {
  cpu_is "$batch" idle 1 || fail "during '$1': batch is no longer idle"
  cpu_is_not kubepods/besteffort cfs_quota_us -1 || fail "during '$1': best effort is no longer bounded"
  metric_is evenkeel_evictions_total 0 || fail "during '$1': a pod was evicted"
}
resident() { awk -v name="$1:" '$1 == name { printf "%d", $2 / 1024 }' "/proc/$AGENT/status"; }

pods batch service
batch=$(pod_cgroup batch) containers="$(container batch) $(container service)"
proxy kubelet 10250
proxy api 6443
exec 5>"$WORK/kubelet.faults" 6>"$WORK/api.faults"
soon 20 "both proxies listen" both_said 2
API_CA=$WORK/api.ca KUBELET_CA=$WORK/kubelet.ca KUBE_API=$(address_of api) KUBE_KUBELET=$(address_of kubelet)
configure 150
cluster_agent --report node-status --pods-interval 1s --node-interval 1s
soon 30 "pods and Node are known" good pods node
soon 30 "batch is idle" cpu_is "$batch" idle 1
soon 60 "the Node lends" lends_little
before=$(ticks)
say "before: $(resident VmRSS) MiB"

round() {
  local fault=$1 pods=$2 node=$3 answers=$4 lines began=$SECONDS
  lines=$(wc -l <"$WORK/agent.log")
  inflict "$fault"
  case $much in yes) much=no && configure 150 ;; *) much=yes && configure 400 ;; esac
  if [ "$kind" = useless ]; then
    soon 90 "'$fault' is noticed" failed_since "$pods" "$node"
  else
    soon 90 "'$fault' is lived through" answered_since "$answers"
  fi
  unharmed "$fault"
  inflict none
  soon 120 "after '$fault' pods and Node are known again" good pods node
  if [ $much = yes ]; then soon 120 "after '$fault' the Node is told" lends_much; else soon 120 "after '$fault' the Node is told" lends_little; fi
  unharmed "$fault"
  lines=$(($(wc -l <"$WORK/agent.log") - lines))
  say "$(printf '%-28s %3d s  %2d lines  %3d MiB' "$fault" $((SECONDS - began)) $lines "$(resident VmRSS)")"
  [ $lines -le 20 ] || fail "$lines lines in the log during '$fault'"
}
much=no
for kind in useless legal; do
  declare -n list=$kind
  for fault in "${list[@]}"; do round "$fault" "$(failures pods)" "$(failures node)" "$(answers)"; done
done

ticks_on_time "$before" "$(ticks)" || fail "ticks were late"
say "memory: $(resident VmRSS) MiB, at most $(resident VmHWM) MiB"
[ "$(resident VmHWM)" -le "${KUBE_AGENT_MIB:-128}" ] || fail "the agent needed $(resident VmHWM) MiB"
[ "$(container batch) $(container service)" = "$containers" ] || fail "a container was restarted"
stop_agent
