# Real services beside real batch work, under Kubernetes' own values, other rules and this agent (tests/scoreboard).
# SCOREBOARD_ARGS: more arguments of tests/scoreboard/scoreboard, for example "--services redis --rounds 3".
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
