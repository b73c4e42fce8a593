# Runs the live tests again on Debian's kernel in QEMU: with pure cgroup v2, with the v1 hierarchies, and with
# systemd as the first process. Also on a newer kernel, which is not part of the default.

# prepare_guest [DIR SUITE]
prepare_guest() { or_skipped bash tests/vm/mkvm "${@:-build/vm}"; }

# run_guest STEP [ARGUMENT OF vmrun...]: logs the guest's output to build/logs/STEP.serial. ONLY: an array of what
# tests/vm/guest is told to run instead of all. A guest that is silent for longer than it lets a case run is
# started again.
run_guest() {
  built release || { echo "build/release was not built" >"build/logs/$1.serial"; return 1; }
  VM_SECONDS=${VM_SECONDS:-3000} VM_SILENT_SECONDS=${VM_SILENT_SECONDS:-660} \
    bash tests/vm/vmrun "${@:2}" "${GUEST:-tests/vm/guest}" "${ONLY[@]}" >"build/logs/$1.serial" 2>&1
}
# guest_ended STEP STATUS: writes its results to build/logs/STEP.results as well. If the guest was started again,
# only the last start counts.
guest_ended() {
  local serial=build/logs/$1.serial
  cat "$serial"
  awk '/^vmrun: the guest ended early/ { said = "" } /^RESULT / { said = said $0 "\n" } END { printf "%s", said }' \
    "$serial" | tr -d '\r' >"build/logs/$1.results"
  grep -q '^RESULT end' "build/logs/$1.results" || failed "the guest did not finish (status $2), see $serial"
}

# An emulated processor is slow, and another guest and a compiler may run beside it: on a busy host ten tests were
# seen to fail for that alone. If no more than twice as many failed, they are retried in a guest that has the machine
# to itself. count_guest STEP counts the others and writes these names to build/logs/STEP.again, which
# ask_alone STEP [ARGUMENT OF vmrun...] reads. A crashed program is a failure at once.
count_guest() {
  local results=build/logs/$1.results again=build/logs/$1.again
  if few_failed "$results" 20 && failed_tests "$results" >"$again"; then
    sed -i '/^RESULT fail/d' "$results"
  else
    : >"$again"
  fi
  count_results "$results"
}
ask_alone() {
  local name again=build/logs/$1.again results=build/logs/$1-alone.results ONLY
  [ -s "$again" ] || return 0
  mapfile -t ONLY < <(grep -v '\.sh$' "$again" | paste -sd: | sed 's/^$/-*/'; grep '\.sh$' "$again")
  run_guest "$1-alone" "${@:2}"
  guest_ended "$1-alone" $?
  sed -i 's/^RESULT pass/RESULT alone/' "$results"
  count_results "$results"
  while read -r name; do
    grep -q "^RESULT [a-z]* $name\\(:\\|\$\\)" "$results" || failed "$name: failed, and did not answer when asked alone"
  done <"$again"
}

beside_others() {
  run_guest "$STEP" "$@"
  guest_ended "$STEP" $?
  count_guest "$STEP"
}
in_guest() {
  beside_others "$@"
  ask_alone "$STEP" "$@"
}
guest_in_background() {
  wait "$1"
  guest_ended "$STEP" $?
  count_guest "$STEP"
}

# Two threads of one core, which the kernel accepts for an Intel CPU only (not model 200: tests take that for
# the machine of tests/resctrl). The emulator does not have that CPU's bugs, and mitigations take time.
on_two_threads() {
  VM_CPUS=2,sockets=1,cores=1,threads=2 VM_CPU=max,vendor=GenuineIntel,family=6,model=94,stepping=3,level=31 \
    VM_APPEND=mitigations=off "$@"
}

# The guest with cgroup v2 takes as long as the others together, and is idle half of that time: what step asan
# needs is built meanwhile.
step_vm() {
  local v2
  need_release
  run_step vm "a guest: QEMU, Debian's kernel" prepare_guest || return
  [ $SKIPPED -eq 0 ] || return
  set -m # a process group of its own, which is killed with this script
  on_two_threads run_guest vm-v2 &
  v2=$!
  set +m
  trap "kill -- -$v2 2>/dev/null" EXIT
  build_meanwhile asan
  run_step vm-v1 "live tests in the guest, cgroup v1" beside_others --v1
  under_systemd vm-systemd
  run_step vm-v2 "live tests in the guest, pure cgroup v2, two threads of one core" guest_in_background $v2
  trap - EXIT # the pid may be reused by now
  [ ! -s build/logs/vm-v1.again ] || run_step vm-v1-alone "what failed beside the other guest" ask_alone vm-v1 --v1
  [ ! -s build/logs/vm-v2.again ] ||
    on_two_threads run_step vm-v2-alone "what failed beside the other guests" ask_alone vm-v2
}

under_systemd() {
  if [ -x /lib/systemd/systemd ]; then
    run_step "$1" "the unit file under systemd in the guest" in_guest --systemd
  else
    run_step "$1" "-" skipped "systemd is not installed on this machine"
  fi
}

# Includes tests that take too long for the default. Not cgroup v1: Debian builds newer kernels without the v1
# files of memory and cpuset.
step_vm-newer() {
  # Newer kernels patch their own code more often, and the emulator may see half of an instruction that
  # another CPU has just patched: the guest dies in int3.
  local -x VM_DIR=build/vm-newer EVENKEEL_VM_LONG=yes VM_THREAD=single VM_SECONDS=${VM_SECONDS:-4200}
  local -x VM_SILENT_SECONDS=${VM_SILENT_SECONDS:-1860}
  need_release
  run_step vm-newer "a guest: QEMU, the kernel of bookworm-backports" prepare_guest $VM_DIR bookworm-backports || return
  [ $SKIPPED -eq 0 ] || return
  run_step newer-v2 "live tests in the guest, pure cgroup v2" in_guest
  under_systemd newer-systemd
}
