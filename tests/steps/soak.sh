# Half an hour in which pods, owners, configurations, a kubelet and clients misbehave all at once (tests/soak).
# SOAK_ARGS: arguments of tests/soak/soak, for example "--minutes 240".

soak() {
  # shellcheck disable=SC2086
  tests/soak/soak --binary build/release/evenkeel ${SOAK_ARGS:-} 2>&1 | tee build/logs/soak.txt
  return "${PIPESTATUS[0]}"
}

step_soak() {
  need_release
  run_step soak "everything misbehaves at once" soak
  [ ! -e build/logs/soak.txt ] || cat build/logs/soak.txt
}
