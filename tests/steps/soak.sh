# Half an hour in which pods, owners, configurations, servers and clients misbehave all at once (tests/soak), and calls
# to the kernel and allocations that fail one after the other (tests/faults).
# SOAK_ARGS: arguments of tests/soak/soak, for example "--minutes 240".
# SOAK_MINUTES: a call of step_soak ends after so long. As long as minutes are left it counts as skipped, and the next call goes on
# with them.

soak() {
  # shellcheck disable=SC2086
  tests/soak/soak --binary build/release/evenkeel ${SOAK_MINUTES:+--keep build/soak --call-minutes "$SOAK_MINUTES"} \
    ${SOAK_ARGS:-} 2>&1 | tee build/logs/soak.txt
  return "${PIPESTATUS[0]}"
}

step_soak() {
  need_release
  run_step soak "everything misbehaves at once" or_skipped soak
  [ ! -e build/logs/soak.txt ] || cat build/logs/soak.txt
}

faults() {
  gcc -O1 -Wall -Wextra -Werror -shared -fPIC -o build/tools/fail.so tests/faults/fail.c -ldl || return
  or_skipped tests/faults/sweep --binary build/release/evenkeel --library build/tools/fail.so "$@"
}

# swept ROW TITLE [ARGUMENT OF sweep...]: and prints the figures.
swept() {
  run_step "$1" "$2" faults "${@:3}"
  sed -n '/^[0-9]* call sites,/p' "build/logs/$1.log"
}

step_faults() {
  need_release
  mkdir -p build/tools
  swept faults "every call fails once and for ever, stepped"
  swept faults-loop "the same in the event loop" --loop
  swept faults-restore "the same in restore, after the agent was killed" --restore
  swept faults-allocations "every allocation fails once" --allocations
  swept faults-cluster "the event loop between a kubelet and an API server" --cluster
  swept faults-kernel "the event loop with BPF and a shared network" --kernel
  swept faults-pairs "two faults in one run, at random" --pairs
}
