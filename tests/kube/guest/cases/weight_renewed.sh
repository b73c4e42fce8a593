# The kubelet with the systemd driver renews the weight of its QoS slices every minute and when pods come or go, and
# systemd then writes the whole CPU group: best effort is without its quota until the agent's next tick, and never longer.
# Over KUBE_RESET_MINUTES (10), with a daemon-reload, pods that come and go, and a restart of the kubelet.
. tests/kube/guest/node.sh

minutes=${KUBE_RESET_MINUTES:-10}
samples=$NODE_LOG/samples
# One line per change: time in us, quota, and the ticks until then. Without other programs, which are slow to
# start in an emulated machine.
tick_count() {
  local line connection ticks=
  exec {connection}<>"/dev/tcp/${LISTEN/://}" || return 0
  printf 'GET /metrics HTTP/1.0\r\n\r\n' >&"$connection"
  while IFS= read -r -t 20 line <&"$connection"; do
    case $line in "evenkeel_ticks_total "*) ticks=${line##* } && break ;; esac
  done
  exec {connection}>&-
  echo "${ticks:-0}"
}
watch_quota() {
  local quota last= never
  exec {never}<> <(:)
  while :; do
    read -r quota _ <$BESTEFFORT/cpu.max
    if [ "$quota" != "$last" ]; then
      [ "$quota" != max ] && [ "$last" != max ] || printf '%s %s %s\n' "${EPOCHREALTIME/./}" "$quota" "$(tick_count)" >>$samples
      last=$quota
    fi
    read -r -t 0.1 -u "$never" || true
  done
}
# figures FROM TO TICKS: of the time between these (in us; TICKS at its end): seconds of 60 with the quota, times that it
# was lifted, the longest stretch without it in ms, and the most ticks that passed in one.
figures() {
  awk -v from="$1" -v to="$2" -v now="$3" '
    function upto(end, ticks,   start) {
      start = since > from ? since : from
      if (end > to) end = to
      if (!free || end <= start) return
      lost += end - start
      if (end - since > longest) longest = end - since
      if (ticks - at > most) most = ticks - at
    }
    { upto($1, $3); free = $2 == "max"; since = $1; at = $3; if (free && $1 >= from && $1 < to) ++lifts }
    END { upto(to, now); printf "%.1f %d %d %d\n", 60 * (1 - lost / (to - from)), lifts, longest / 1000, most }' $samples
}
is_bounded() { [ "$(cut -d' ' -f1 $BESTEFFORT/cpu.max)" != max ]; }
is_free() { ! is_bounded; }
clean_up() { [ -z "${watcher:-}" ] || kill "$watcher"; }

cat >$NODE_LOG/nodeslo.yaml <<'Y'
resourceUsedThresholdWithBE: {enable: true, cpuSuppressPolicy: cfsQuota, cpuSuppressThresholdPercent: 50}
Y
basic_pods
is_free || fail "best effort is bounded before the agent runs: $(cat $BESTEFFORT/cpu.max)"
remember_settings
start_agent
soon 60 "best effort is bounded" is_bounded
: >$samples
watch_quota &
watcher=$!
trap clean_up EXIT

# What happens in a minute, besides the kubelet's own renewals.
happens() {
  case $1 in
    2 | 8) systemctl daemon-reload ;;
    3) pod 11 come-and-go BE '{}' ;;
    4) pod 12 come-and-stay LS '{requests: {cpu: 50m}}' ;;
    5) rm $MANIFESTS/come-and-go.yaml ;;
    6) systemctl stop kubelet.service && start_kubelet ;;
    9) rm $MANIFESTS/come-and-stay.yaml ;;
    *) false ;;
  esac
}
names=([2]="daemon-reload" [3]="a best-effort pod comes" [4]="a service comes" [5]="the pod goes" [6]="the kubelet restarts"
  [8]="daemon-reload" [9]="the service goes")
# A tick that has begun when systemd writes does not see it, the next one must: the count grows by two at most.
total=0 lifted=0 bad=
for minute in $(seq "$minutes"); do
  from=${EPOCHREALTIME/./}
  happens "$minute" || true
  left=$((60000000 + from - ${EPOCHREALTIME/./}))
  [ $left -le 0 ] || sleep "$((left / 1000000)).$(printf %06d $((left % 1000000)))"
  read -r seconds lifts longest most < <(figures "$from" "${EPOCHREALTIME/./}" "$(tick_count)")
  say "minute $minute: limited in $seconds of 60 s, lifted $lifts times, at most $longest ms and $most ticks${names[minute]:+ (${names[minute]})}"
  lifted=$((lifted + lifts)) total=$(awk -v a="$total" -v b="$seconds" 'BEGIN { print a + b }')
  [ "$most" -le 2 ] || bad+=" $minute"
done
say "limited in $total of $((minutes * 60)) s, lifted $lifted times; $(page metrics | grep -E '^evenkeel_(ticks|missed_ticks)_total' | tr '\n' ' ')"
[ $lifted -ge $((minutes / 3)) ] || fail "the quota was lifted $lifted times only: nothing is shown"
[ -z "$bad" ] || fail "best effort had no quota for more than a tick in minute$bad"
no_foreign_writes || fail "a renewal, or a pod's end, was taken for a foreign write"
is_bounded || soon 5 "the quota holds at the end" is_bounded
soon 240 "the kubelet is healthy after its restart" kubelet_healthy

clean_up
watcher=
stop_agent
is_free || fail "the agent has stopped, and best effort is still bounded: $(cat $BESTEFFORT/cpu.max)"
rm -f $MANIFESTS/come-and-*.yaml
soon 240 "pods that came are gone" none_is 11 12
check_settings 150
