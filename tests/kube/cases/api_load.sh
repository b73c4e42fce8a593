# Measures the agents' load on the API server: one agent of this node, idle and busy; then LOAD_AGENTS (200)
# at once, each with its own host root and Node, against the same API server, which also tells each the pods of its
# node. Prints figures, extrapolated to 5000 nodes; asserts only that nearly all requests are answered, every Node
# lends, and no agent lists its pods again. LOAD_SECONDS (60): the length of each phase. LOAD_PODS (5): pods of a node.
. tests/kube/case.sh
. "$KUBE_CLUSTER/control_plane.sh"
AGENTS=${LOAD_AGENTS:-200} PHASE=${LOAD_SECONDS:-60} PODS=${LOAD_PODS:-5}
FLEET=$WORK/fleet
# The kernel allows 128 inotify instances per user, and an agent has four.
AGENTS_OF_A_USER=25 FIRST_USER=64000 FIRST_PORT=21000

clean_up() {
  local pid
  for pid in "${PIDS[@]:-}" ${CLIMATE:-} ${CHURN:-} ${CHANGES:-}; do kill "$pid" 2>/dev/null || true; done
  wait "${PIDS[@]:-}" 2>/dev/null || true
  running controllers || start_controllers
  kubectl delete pods -l evenkeel-test=fleet --grace-period=0 --force >/dev/null 2>&1 || true
  grant_rights
  kubectl delete nodes -l evenkeel-test=fleet >/dev/null 2>&1 || true
  kubectl delete clusterrolebinding evenkeel-fleet >/dev/null 2>&1 || true
  kubectl -n evenkeel delete serviceaccount fleet >/dev/null 2>&1 || true
}

# --- figures

# cpu_of NAME: CPU seconds of a daemon so far.
cpu_seconds() { awk -v hz="$(getconf CLK_TCK)" '{ print ($14 + $15) / hz }' "/proc/$1/stat"; }
cpu_of() { recorded "$1" && cpu_seconds "$PID"; }
# api_counts VERB RESOURCE SUBRESOURCE: the number of these requests by the API server's own count.
api_counts() {
  kubectl get --raw /metrics | awk -v verb="verb=\"$1\"" -v resource="resource=\"$2\"" -v sub_="subresource=\"$3\"" \
    '/^apiserver_request_total/ && index($0, verb) && index($0, resource) && index($0, sub_) { sum += $NF } END { print sum + 0 }'
}
audited() { wc -l <"$KUBE_AUDIT"; }
# sums: the agent's figures about its servers, one line "SERVER requests bytes-in bytes-out seconds" each.
sums() {
  awk '
    function server(s) { match(s, /server="[a-z]+"/); return substr(s, RSTART + 8, RLENGTH - 9) }
    /^evenkeel_server_requests_total/ { n[server($1)] += $2 }
    /^evenkeel_server_received_bytes_total/ { i[server($1)] += $2 }
    /^evenkeel_server_sent_bytes_total/ { o[server($1)] += $2 }
    /^evenkeel_server_wait_seconds_total/ { w[server($1)] += $2 }
    END { for (s in n) print s, n[s], i[s], o[s], w[s] }'
}
# per_minute BEFORE AFTER SECONDS AGENTS SERVER: the figures per agent.
per_minute() {
  awk -v seconds="$3" -v agents="$4" -v server="$5" '
    $1 == server { for (f = 2; f <= 5; f++) d[f] += FILENAME == ARGV[1] ? -$f : $f }
    END {
      k = 60 / seconds / agents
      printf "%.1f requests, %.0f bytes in, %.0f bytes out a minute, %.1f ms each\n", d[2] * k, d[3] * k, d[4] * k, d[2] ? d[5] * 1000 / d[2] : 0
    }' "$1" "$2"
}

# --- one agent

configure() {
  cat >"$WORK/nodeslo.new" <<YAML
resourceQOSStrategy: {beClass: {cpuQOS: {enable: true}}}
extensions: {colocation: {enable: true, cpuReclaimThresholdPercent: $1}}
YAML
  mv "$WORK/nodeslo.new" "$WORK/nodeslo.yaml"
}
# phase NAME: prints the agent's figures over PHASE seconds.
phase() {
  local reviews audit server
  page metrics | sums >"$WORK/before"
  reviews=$(($(api_counts POST tokenreviews "") + $(api_counts POST subjectaccessreviews "")))
  audit=$(audited)
  sleep "$PHASE"
  page metrics | sums >"$WORK/after"
  for server in api kubelet; do say "$1, to the $server: $(per_minute "$WORK/before" "$WORK/after" "$PHASE" 1 $server)"; done
  say "$1, by the API server's audit: $((($(audited) - audit) * 60 / PHASE)) requests a minute of the agent;" \
    "$((($(api_counts POST tokenreviews "") + $(api_counts POST subjectaccessreviews "") - reviews) * 60 / PHASE)) reviews a minute of its token, by the kubelet (which forgets after 10 s here)"
}
# A batch pod comes and goes, and the lent amount changes by half, all the time.
churn() {
  local lent=60
  while :; do
    lent=$((lent == 60 ? 120 : 60))
    configure $lent
    pods batch >/dev/null
    sleep 8
    kubectl delete pod batch --grace-period=1 >/dev/null
  done
}

pods service
configure 60
cluster_agent --report node-status
soon 30 "pods and Node are known" good pods node
sleep 15
phase "one agent, steady"
churn &
CHURN=$!
sleep 5
phase "one agent, busy"
kill $CHURN && wait $CHURN 2>/dev/null || true
CHURN=
! page metrics | grep -E 'evenkeel_server_requests_total.*status="(0|4..|5..)"' || fail "requests have failed"
stop_agent

# --- many agents

# make_host NUMBER: the files that an agent reads on a machine of 64 CPUs and 256 GiB.
make_host() {
  local host=$FLEET/$1 besteffort
  besteffort=$host/sys/fs/cgroup/cpu/kubepods/besteffort
  mkdir -p "$host/proc/pressure" "$host/sys/devices/system/cpu" "$besteffort" "$host/sys/fs/cgroup/memory/kubepods/besteffort" "$host/state"
  echo 0-63 >"$host/sys/devices/system/cpu/online"
  printf 'MemTotal: 268435456 kB\nMemFree: 201326592 kB\nMemAvailable: 201326592 kB\n' >"$host/proc/meminfo"
  printf 'cpu  0 0 0 0 0 0 0 0 0 0\n' >"$host/proc/stat"
  for file in cpu memory io; do
    printf 'some avg10=0.00 avg60=0.00 avg300=0.00 total=0\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n' >"$host/proc/pressure/$file"
  done
  for dir in "$besteffort/.." "$besteffort"; do
    echo -1 >"$dir/cpu.cfs_quota_us"
    echo 100000 >"$dir/cpu.cfs_period_us"
    echo 2 >"$dir/cpu.shares"
    printf 'nr_periods 0\nnr_throttled 0\nthrottled_time 0\n' >"$dir/cpu.stat"
  done
  chown -R $((FIRST_USER + $1 / AGENTS_OF_A_USER)) "$host"
}
# A Node as a kubelet registers it, with the image list that is most of its size.
node_object() {
  local image
  printf '{"kind":"Node","apiVersion":"v1","metadata":{"name":"fleet-%d","labels":{"evenkeel-test":"fleet"}},"status":{' "$1"
  printf '"capacity":{"cpu":"64","memory":"268435456Ki","pods":"110"},"allocatable":{"cpu":"64","memory":"268435456Ki","pods":"110"},"images":['
  for image in $(seq 50); do
    [ "$image" -eq 1 ] || printf ','
    printf '{"names":["registry.example.com/team/image-%d@sha256:%064d","registry.example.com/team/image-%d:v1.2.3"],"sizeBytes":123456789}' "$image" "$image" "$image"
  done
  printf ']}}\n'
}
make_nodes() {
  local number
  for number in $(seq "$AGENTS"); do node_object "$number"; done | kubectl create -f - >/dev/null
}
# Pods of these Nodes, which no kubelet ever starts: their annotation, of the size that real ones have, is most of what
# a list carries.
make_pods() {
  local number pod
  for number in $(seq "$AGENTS"); do
    for pod in $(seq "$PODS"); do
      printf '{"kind":"Pod","apiVersion":"v1","metadata":{"name":"fleet-%d-%d","labels":{"evenkeel-test":"fleet"},"annotations":{"note":"%04000d"}},"spec":{"nodeName":"fleet-%d","containers":[{"name":"main","image":"none"}]}}\n' \
        "$number" "$pod" 0 "$number"
    done
  done | kubectl create -f - >/dev/null
}
# Changes every pod once per round: twenty at a time.
change_pods() {
  local round=0
  while :; do
    round=$((round + 1))
    kubectl annotate pods -l evenkeel-test=fleet --overwrite "round=$round" >/dev/null 2>&1 || true
  done
}
# Every machine uses 10 % to 70 % of its CPUs; while $FLEET/busy exists, the share changes every 20 s.
climate() {
  local number now last=$(now_in_jiffies) passed round=0 idle=() busy=() percent=()
  while sleep 1; do
    now=$(now_in_jiffies) round=$((round + 1))
    passed=$((now - last)) last=$now
    for number in $(seq "$AGENTS"); do
      if [ $round -eq 1 ] || { [ $(((round + number) % 20)) -eq 0 ] && [ -e "$FLEET/busy" ]; }; then
        percent[number]=$((10 + RANDOM % 61))
      fi
      busy[number]=$((${busy[number]:-0} + passed * percent[number] / 100))
      idle[number]=$((${idle[number]:-0} + passed - passed * percent[number] / 100))
      printf 'cpu  %d 0 0 %d 0 0 0 0 0 0\n' "${busy[number]}" "${idle[number]}" >"$FLEET/$number/proc/stat"
    done
  done
}
now_in_jiffies() { printf '%d\n' $((${EPOCHREALTIME/[.,]/} * 64 / 10000)); } # of 64 CPUs
# A service account with the agent's rights, whose requests are not audited: auditing would cost the API
# server more than the requests.
fleet_token() {
  kubectl -n evenkeel create serviceaccount fleet >/dev/null
  kubectl create clusterrolebinding evenkeel-fleet --clusterrole=evenkeel --serviceaccount=evenkeel:fleet >/dev/null
  token_of fleet
}
start_fleet() {
  local number user token
  token=$(fleet_token)
  stop controllers TERM 2 # they would write to every Node and delete its pods, since none has a kubelet
  make_pods
  kubectl patch clusterrole evenkeel --type json --patch "$(cat deploy/kustomize/pods-from-api/rights.yaml)" >/dev/null
  cp "$WORK/nodeslo.yaml" "$KUBE_CA" "$FLEET"
  sed "s|tokenFile: .*}}|token: $token}}|; s|certificate-authority: .*}}|certificate-authority: $FLEET/ca.crt}}|" \
    "$WORK/kubeconfig" >"$FLEET/kubeconfig"
  chmod -R a+rX "$WORK"
  for number in $(seq "$AGENTS"); do
    user=$((FIRST_USER + number / AGENTS_OF_A_USER))
    setpriv --reuid $user --clear-groups "$EVENKEEL" run --host-root "$FLEET/$number" --state-dir "$FLEET/$number/state" \
      --nodeslo "$FLEET/nodeslo.yaml" --pods api --kubeconfig "$FLEET/kubeconfig" --node-name "fleet-$number" \
      --report node-status --listen "127.0.0.1:$((FIRST_PORT + number))" >"$FLEET/$number/log" 2>&1 &
    PIDS[number]=$!
  done
}
pages() { seq $((FIRST_PORT + 1)) $((FIRST_PORT + AGENTS)) | sed 's|.*|url = http://127.0.0.1:&/metrics|' | curl -s --noproxy '*' -K -; }
all_know_pods() { [ "$(pages | grep -c '^evenkeel_input_good{input="pods"} 1')" -eq "$AGENTS" ]; }
all_lend() { [ "$(kubectl get nodes -l evenkeel-test=fleet -o jsonpath='{range .items[*]}{.status.allocatable.kubernetes\.io/batch-cpu}{"\n"}{end}' | grep -c .)" -eq "$AGENTS" ]; }
fleet_cpu() { local pid; for pid in "${PIDS[@]}"; do cpu_seconds "$pid"; done | awk '{ sum += $1 } END { print sum }'; }
difference() { awk -v a="$1" -v b="$2" 'BEGIN { print a - b }'; }
# fleet_phase NAME
fleet_phase() {
  local api etcd fleet seconds=$SECONDS
  pages >"$WORK/pages.before"
  sums <"$WORK/pages.before" >"$WORK/before"
  api=$(cpu_of apiserver) etcd=$(cpu_of etcd) fleet=$(fleet_cpu)
  sleep "$PHASE"
  seconds=$((SECONDS - seconds))
  api=$(difference "$(cpu_of apiserver)" "$api") etcd=$(difference "$(cpu_of etcd)" "$etcd") fleet=$(difference "$(fleet_cpu)" "$fleet")
  pages >"$WORK/pages.after"
  sums <"$WORK/pages.after" >"$WORK/after"
  say "$AGENTS agents, $1, each: $(per_minute "$WORK/before" "$WORK/after" "$seconds" "$AGENTS" api)"
  say "  in $seconds s the API server used $api s of CPU, etcd $etcd s, all agents $fleet s"
  for_many "$seconds" "$api" "$1"
}
# The part of the API server's use that grows with the agents: without its idle use.
for_many() {
  awk -v seconds="$1" -v cpu="$2" -v idle="$IDLE" -v agents="$AGENTS" -v name="$3" '
    $1 == "api" { if (FILENAME == ARGV[1]) { n -= $2; in_ -= $3; out -= $4 } else { n += $2; in_ += $3; out += $4 } }
    END {
      k = 5000 / agents / seconds
      printf "  5000 nodes, %s: %.0f requests/s, %.2f MB/s from and %.3f MB/s to the API server, %.2f CPUs of it\n", name, n * k, in_ * k / 1e6, out * k / 1e6, (cpu - idle * seconds) * k
    }' "$WORK/before" "$WORK/after"
}

say "$AGENTS agents"
mkdir -p "$FLEET"
IDLE=$(cpu_of apiserver)
sleep 20
IDLE=$(awk -v a="$(cpu_of apiserver)" -v b="$IDLE" 'BEGIN { print (a - b) / 20 }')
say "the API server by itself uses $IDLE CPUs"
for number in $(seq "$AGENTS"); do make_host "$number"; done
make_nodes
climate &
CLIMATE=$!
start=$SECONDS
start_fleet
soon 180 "every Node lends" all_lend
say "every Node lends, $((SECONDS - start)) s after the first agent's start"
soon 60 "every agent knows its pods" all_know_pods
sleep 60
lists=$(api_counts LIST pods "")
fleet_phase steady
lists=$(($(api_counts LIST pods "") - lists))
say "  $lists lists of pods in that time: they are watched"
[ $((lists * 20)) -le "$AGENTS" ] || fail "pods were listed again"
touch "$FLEET/busy"
change_pods &
CHANGES=$!
sleep 20
fleet_phase busy
say "  (the API server's CPU includes the writes that change the pods)"
kill $CHANGES && wait $CHANGES 2>/dev/null || true
CHANGES=

say "answers of the API server to the agents: the slowest of each, in ms:" \
  "$(awk '/^evenkeel_server_longest_wait_seconds{server="api"}/ { print $2 * 1000 }' "$WORK/pages.after" | sort -n | awk '{ v[NR] = $1 } END { printf "p50 %.0f, p99 %.0f, the slowest %.0f", v[int((NR + 1) / 2)], v[int(NR * 0.99)], v[NR] }')"
say "resident: $(for pid in "${PIDS[@]}"; do awk '/^VmRSS/ { print $2 / 1024 }' "/proc/$pid/status"; done | awk '{ sum += $1 } END { printf "%.1f MiB each", sum / NR }')"
failed=$(awk '/^evenkeel_server_requests_total{server="api",status="(0|4..|5..)"}/ { sum += $2 } END { print sum + 0 }' "$WORK/pages.after")
all=$(awk '$1 == "api" { print $2 }' "$WORK/after")
say "$failed of $all requests failed"
[ $((failed * 20)) -le "$all" ] || fail "more than 5 % of the requests failed"
all_lend || fail "not every Node lends"
all_know_pods || fail "not every agent knows its pods"
[ "$(grep -c '^evenkeel_ticks_total' "$WORK/pages.after")" -eq "$AGENTS" ] || fail "not every agent lives"
