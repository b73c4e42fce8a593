# Checks with promtool the exposition of an agent that has run for five (virtual) seconds.
set -euo pipefail
evenkeel=build/release/evenkeel
[ -x "$evenkeel" ] || { echo "build/release/evenkeel was not built"; exit 77; }
. tests/checks/promtool
promtool=$(find_promtool) || exit 77
host=$(mktemp -d)
trap 'rm -rf "$host"' EXIT

cpus="$host/sys/devices/system/cpu"
besteffort=$host/sys/fs/cgroup/cpu/kubepods/besteffort
mkdir -p "$host/proc/pressure" "$cpus" "$besteffort/pod0a" "$host/state"
echo 0-3 >"$cpus/online"
printf 'MemTotal: 8388608 kB\nMemFree: 6291456 kB\nMemAvailable: 7340032 kB\n' >"$host/proc/meminfo"
for file in cpu memory io; do
  printf 'some avg10=0.50 avg60=0.10 avg300=0.00 total=1000\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n' \
    >"$host/proc/pressure/$file"
done
for dir in "$besteffort" "$besteffort/pod0a"; do
  echo -1 >"$dir/cpu.cfs_quota_us"
  echo 100000 >"$dir/cpu.cfs_period_us"
  echo 2 >"$dir/cpu.shares"
  printf 'nr_periods 10\nnr_throttled 1\nthrottled_time 5000\n' >"$dir/cpu.stat"
done
cat >"$host/nodeslo.yaml" <<'YAML'
resourceUsedThresholdWithBE: {enable: true, cpuSuppressPolicy: cfsQuota}
YAML

coproc agent { exec "$evenkeel" run --stepped --host-root "$host" --nodeslo "$host/nodeslo.yaml" --pods cgroup \
  --state-dir "$host/state"; }
pid=$agent_PID  # bash forgets it when the process exits
exec {ask}>&"${agent[1]}" {answers}<&"${agent[0]}"
for second in 1 2 3 4 5; do
  printf 'cpu  %d 0 0 %d 0 0 0 0 0 0\n' $((second * 100)) $((second * 300)) >"$host/proc/stat"
  echo "advance 1s" >&$ask
  read -r answer <&$answers
done
echo metrics >&$ask
while read -r line <&$answers && [ "$line" != "# EOF" ]; do printf '%s\n' "$line"; done >"$host/metrics"
echo quit >&$ask
read -r answer <&$answers
exec {ask}>&-
wait "$pid"

grep -c '^evenkeel_' "$host/metrics" | sed 's/$/ series/'
"$promtool" check metrics <"$host/metrics"
