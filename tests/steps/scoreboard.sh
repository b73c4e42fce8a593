# Real services beside real batch work, under Kubernetes' own values, other rules and this agent (tests/scoreboard).
# SCOREBOARD_ARGS: more arguments of tests/scoreboard/scoreboard, for example "--services redis --rounds 3".
# KERNELS_ARGS, KERNELS: the same for the guests of step_kernels, and which suites of Debian their kernels come from.
# OBJECTIVE_ARGS: the same for tests/scoreboard/objective, for example "--days 1 --scale 0.35".
# PROOF_ARGS: the same for tests/scoreboard/planted, for example "--runs 1" or "--harmless --minutes 60".

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
  tests/scoreboard/scoreboard --binary build/release/evenkeel --tools build/release/tests --out build/scoreboard ${SCOREBOARD_ARGS:-}
}

step_scoreboard() {
  need_release
  run_step scoreboard "real services beside real batch work" real_services
  [ ! -e build/scoreboard/scoreboard.md ] || cat build/scoreboard/scoreboard.md
}

# The same on Debian's kernels with pure cgroup v2, in a guest by emulation. Everything takes many times as long there,
# so the service gets a tenth of the requests and only ratios count.
KERNELS=${KERNELS:-bookworm bookworm-backports sid}
KERNELS_ARGS=${KERNELS_ARGS:---services redis --batch spin,compile --contenders alone,unmanaged,installed,old-base,cfsQuota
  --rounds 5 --seconds 8 --settle 4 --load 0.1}

kernel_dir() { case $1 in bookworm) echo build/vm ;; bookworm-backports) echo build/vm-newer ;; *) echo "build/vm-$1" ;; esac; }
kernel_guest() { if [ "$1" = bookworm ]; then prepare_guest build/vm; else prepare_guest "$(kernel_dir "$1")" "$1"; fi; }
scoreboard_in_guest() {
  local serial=build/logs/kernel-$1.serial out=build/scoreboard/kernel-$1.md
  stop_packaged_services
  build release open_loop hog || return
  # shellcheck disable=SC2086
  VM_DIR=$(kernel_dir "$1") VM_SECONDS=${VM_SECONDS:-3000} bash tests/vm/vmrun python3 tests/scoreboard/scoreboard --binary build/release/evenkeel \
    --tools build/release/tests --out /tmp/scoreboard $KERNELS_ARGS >"$serial" 2>&1 || { tail -5 "$serial"; return 1; }
  mkdir -p build/scoreboard
  tr -d '\r' <"$serial" | sed -n '/^Linux .* medians/,$p' >"$out"
  [ -s "$out" ] || failed "the guest printed no table, see $serial"
}
step_kernels() {
  local suite
  need_release
  for suite in $KERNELS; do
    run_step "kernel-$suite" "a guest: the kernel of $suite" kernel_guest "$suite" || continue
    run_step "kernel-$suite" "the scoreboard in it" scoreboard_in_guest "$suite"
    [ ! -e "build/scoreboard/kernel-$suite.md" ] || cat "build/scoreboard/kernel-$suite.md"
  done
}

planted_harm() {
  stop_packaged_services
  build release open_loop hog || return
  # shellcheck disable=SC2086
  tests/scoreboard/planted --binary build/release/evenkeel --tools build/release/tests ${PROOF_ARGS:-}
}

step_proof() {
  need_release
  run_step proof "a planted harmful lever is withdrawn" planted_harm
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
