# Tests core scheduling and io.latency in a guest whose kernel has them (tests/core_sched/build; Debian's has
# not), and whose two CPUs are the threads of one core.

on_one_core() {
  local -x VM_DIR VM_CPUS=2,sockets=1,cores=1,threads=2 GUEST=tests/core_sched/guest
  local -x VM_CPU=max,vendor=GenuineIntel,family=6,model=200,stepping=1,level=31 # a model whose threads the kernel trusts
  VM_DIR=$(readlink -m "${EVENKEEL_CORE_SCHED_DIR:-build/core_sched}")
  in_guest
}

step_core-sched() {
  need_release
  run_step smt-kernel "a kernel with core scheduling and io.latency, once" or_skipped nice tests/core_sched/build || return
  [ $SKIPPED -eq 0 ] || return
  run_step core-sched "live tests of both in the guest, two threads of one core" on_one_core
}
