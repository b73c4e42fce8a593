# Tests the kernel's resctrl in a guest whose QEMU emulates cache allocation, bandwidth throttling and
# monitoring for two sockets, and counters that depend on the neighbours in the cache (tests/resctrl/build).
# The emulated counters raise no interrupts, which the watchdog needs.

in_rdt_guest() {
  local dir
  dir=$(readlink -m "${EVENKEEL_RESCTRL_DIR:-build/resctrl}")
  QEMU_RDT=1 QEMU_PMU=1 VM_APPEND=nowatchdog VM_QEMU="$dir/qemu-system-x86_64 -L /usr/share/qemu -L /usr/share/seabios" \
    VM_CPU=max,vendor=GenuineIntel,family=6,model=200,stepping=1,level=31 VM_CPUS=4,sockets=2,cores=2 \
    GUEST=tests/resctrl/guest in_guest
}

step_resctrl() {
  need_release
  run_step rdt-qemu "a QEMU that emulates cache allocation, once" or_skipped nice tests/resctrl/build || return
  [ $SKIPPED -eq 0 ] || return
  run_step vm "a guest: QEMU, Debian's kernel" prepare_guest || return
  [ $SKIPPED -eq 0 ] || return
  run_step resctrl "live tests of resctrl in the guest, two sockets" in_rdt_guest
}
