# Runs the agent built for arm64 in an emulated machine whose cycles per instruction are known exactly
# (tests/arm64/build).

known_cpi() {
  local shift
  for shift in 0 1 2; do
    if bash tests/arm64/run $shift; then
      passed
    else
      failed "arm64 with $((1 << shift)) cycles per instruction"
    fi
  done
}

step_arm64() {
  run_step arm64-build "the agent for arm64, and a machine for it" or_skipped nice bash tests/arm64/build || return
  [ $SKIPPED -eq 0 ] || return
  run_step arm64 "cycles per instruction that are known to be 1, 2 and 4" known_cpi
}
