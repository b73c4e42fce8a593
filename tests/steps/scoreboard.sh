# Real services beside real batch work, under Kubernetes' own values, other rules and this agent (tests/scoreboard).
# SCOREBOARD_ARGS: more arguments of tests/scoreboard/scoreboard, for example "--services redis --rounds 3".
# SCOREBOARD_MINUTES: a call of step_scoreboard ends after so long. As long as rounds are left it counts as skipped, and the next
# call goes on with them.
# KERNELS_ARGS, KERNELS_STALL_ARGS, KERNELS: the same for the guests of step_kernels (beside CPU work; beside work on memory and
# disk), and which suites of Debian their kernels come from.
# OBJECTIVE_ARGS: the same for tests/scoreboard/objective, for example "--days 1 --scale 0.35".
# PROOF_ARGS: the same for tests/scoreboard/planted, for example "--runs 1" or "--harmless --runs 3 --minutes 60".
# PROOF_MINUTES: a call of step_proof ends after so long, and the next call goes on with the runs that are left.

# Debian starts a service as soon as its package is installed; here each round starts its own.
stop_packaged_services() {
  local name
  for name in redis-server memcached nginx postgresql; do service "$name" stop >/dev/null 2>&1; done
  return 0
}

real_services() {
  stop_packaged_services
  build release open_loop hog || return
  # shellcheck disable=SC2086
  or_skipped tests/scoreboard/scoreboard --binary build/release/evenkeel --tools build/release/tests --out build/scoreboard \
    ${SCOREBOARD_MINUTES:+--minutes "$SCOREBOARD_MINUTES"} ${SCOREBOARD_ARGS:-}
}

# What was installed before `auto` must lose against no agent at all, and what is installed now must not.
old_base_loses() {
  local fresh=--fresh
  [ -z "${SCOREBOARD_MINUTES:-}" ] || fresh= # a run of several calls measures it once
  case $(uname -r) in
    [0-5].* | 6.[0-5] | 6.[0-5].* | 6.[0-5]-*) skipped "a CPU quota harms where EEVDF schedules (Linux 6.6)" && return ;;
  esac
  stop_packaged_services
  build release open_loop hog || return
  tests/scoreboard/scoreboard --binary build/release/evenkeel --tools build/release/tests --out build/scoreboard/regression $fresh \
    --services redis --batch spin --contenders unmanaged,installed,old-base --must-lose old-base --must-not-lose installed
}

step_scoreboard() {
  need_release
  # Whoever asks for certain cells wants no others.
  [ -n "${SCOREBOARD_ARGS:-}" ] || run_step scoreboard-old-base "the old configuration loses" old_base_loses
  run_step scoreboard "real services beside real batch work" real_services
  [ ! -e build/scoreboard/scoreboard.md ] || cat build/scoreboard/scoreboard.md
}

# The same on Debian's kernels with pure cgroup v2, in a guest by emulation. Everything takes many times as long there,
# so the service gets a tenth of the requests and only ratios count.
KERNELS=${KERNELS:-bookworm bookworm-backports sid}
KERNELS_ARGS=${KERNELS_ARGS:---services redis --batch spin,compile --contenders alone,unmanaged,installed,old-base,cfsQuota
  --rounds 5 --seconds 8 --settle 4 --load 0.1}
# A guest has no disk but one that null_blk makes of its memory, with files so large that disk and page cache together do not
# quite fit. redis-aof feels both: it keeps its data in memory, and waits for the disk.
KERNELS_STALL_ARGS=${KERNELS_STALL_ARGS:---services redis-aof --batch grow,cache,fsync
  --contenders alone,unmanaged,systemd,systemd+bfq,installed,memory-qos,background-reclaim,push-back,page-cache-limit,bfq,io-weight,io-cost,io-limit
  --rounds 5 --seconds 8 --settle 4 --load 0.3 --disk null_blk --file-mib 160}

kernel_dir() { case $1 in bookworm) echo build/vm ;; bookworm-backports) echo build/vm-newer ;; *) echo "build/vm-$1" ;; esac; }
kernel_guest() { if [ "$1" = bookworm ]; then prepare_guest build/vm; else prepare_guest "$(kernel_dir "$1")" "$1"; fi; }
# scoreboard_in_guest SUITE NAME SECONDS ARGUMENT...: the table goes to build/scoreboard/NAME.md, what could not be measured is
# counted as skipped, and so is a run of which rounds are left after SECONDS: the next one goes on. loglevel: the kernel would
# report each process that it kills at its memory limit.
scoreboard_in_guest() {
  local suite=$1 serial=build/logs/$2.serial out=build/scoreboard/$2.md kept=build/scoreboard/$2 seconds=${VM_SECONDS:-$3} why status
  shift 3
  stop_packaged_services
  build release open_loop hog || return
  mkdir -p "$kept"
  VM_DIR=$(kernel_dir "$suite") VM_SECONDS=$seconds VM_APPEND=loglevel=1 bash tests/vm/vmrun \
    python3 tests/scoreboard/scoreboard --binary build/release/evenkeel --tools build/release/tests --out "$kept" --show-rounds \
    --minutes $((seconds / 60 - 5)) "$@" >"$serial" 2>&1
  status=$?
  keep_rounds <"$serial" >>"$kept/rounds.jsonl" # the guest's own copy is gone
  [ $status -eq 0 ] || [ $status -eq 77 ] || { tail -5 "$serial"; return 1; }
  tr -d '\r' <"$serial" | sed -n '/^Linux .* medians/,$p' >"$out"
  [ -s "$out" ] || { failed "the guest printed no table, see $serial"; return; }
  [ $status -eq 77 ] && skipped "$(tr -d '\r' <"$serial" | grep ' rounds are left: ' | tail -1)" || passed
  while read -r why; do skipped "$why"; done < <(not_measured "$serial")
}
keep_rounds() { tr -d '\r' | sed -n 's/^round \({.*}\)$/\1/p'; }
# After the last start of the guest.
not_measured() { tr -d '\r' <"$1" | awk '/^vmrun: / { said = "" } sub(/^skipped /, "") { said = said $0 "\n" } END { printf "%s", said }'; }
step_kernels() {
  local suite
  need_release
  for suite in $KERNELS; do
    run_step "kernel-$suite" "a guest: the kernel of $suite" kernel_guest "$suite" || continue
    [ $SKIPPED -eq 0 ] || continue
    # shellcheck disable=SC2086
    run_step "kernel-$suite" "the scoreboard in it" scoreboard_in_guest "$suite" "kernel-$suite" 3000 $KERNELS_ARGS
    # shellcheck disable=SC2086
    run_step "kernel-$suite-stalls" "memory and disk in it" scoreboard_in_guest "$suite" "kernel-$suite-stalls" 7200 $KERNELS_STALL_ARGS
    cat "build/scoreboard/kernel-$suite.md" "build/scoreboard/kernel-$suite-stalls.md" 2>/dev/null
  done
  return 0
}

planted_harm() {
  stop_packaged_services
  build release open_loop hog || return
  # shellcheck disable=SC2086
  or_skipped tests/scoreboard/planted --binary build/release/evenkeel --tools build/release/tests \
    ${PROOF_MINUTES:+--keep build/scoreboard/proof --call-minutes "$PROOF_MINUTES"} ${PROOF_ARGS:-}
}

step_proof() {
  need_release
  run_step proof "a lever that harms is withdrawn, and no other" planted_harm
}

objective_followed() {
  stop_packaged_services
  build release open_loop hog || return
  # shellcheck disable=SC2086
  tests/scoreboard/objective --binary build/release/evenkeel --tools build/release/tests ${OBJECTIVE_ARGS:-}
}

step_objectives() {
  need_release
  run_step objectives "best effort follows the latency of a real nginx" objective_followed
}
