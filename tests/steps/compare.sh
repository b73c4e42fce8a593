# Whether another commit decides the same: scenarios are recorded with that commit's program and tests, and replayed with
# its program and this tree's (tests/compare/README.md).

# The commit's tree below build/compare, with its program and the tests that drive it.
build_base() {
  local revision base=$ROOT/build/compare/base
  revision=$(git rev-parse --verify "$1^{commit}") || return
  if [ "$(cat "$base/.revision" 2>/dev/null)" != "$revision" ]; then
    rm -rf "$ROOT/build/compare"
    mkdir -p "$base"
    git archive "$revision" | tar -x -C "$base" || return
    echo "$revision" >"$base/.revision"
  fi
  (cd "$base" && cmake --preset release -DEVENKEEL_TESTS=ON) || return
  cmake --build "$base/build/release" --parallel "$(nproc)" --target evenkeel agent_tests crash_tests deploy_tests
}

record_base() {
  local all=$ROOT/build/compare program=$ROOT/build/compare/base/build/release/evenkeel
  rm -rf "$all/scenarios" "$all/random"
  tests/compare/record "$all/base/build/release" "$all/scenarios" || return
  tests/compare/generate "$all/scenarios" "$all/random" || return
  # COMPARE_MINUTES minutes of this machine's kernel, once for each commit.
  if [ "${COMPARE_MINUTES:-0}" != 0 ] && ! ls "$all"/live/*.gz >/dev/null 2>&1; then
    or_skipped tests/compare/record-live "$program" "$all/live" --minutes "$COMPARE_MINUTES" || [ $? -eq 77 ] || return
  fi
  tests/compare/replay --self-test "$program" "$all/scenarios" "$all"/random/random-[0-5].scenario.gz
}

replay_both() {
  local all=$ROOT/build/compare
  tests/compare/replay "$all/base/build/release/evenkeel" build/release/evenkeel "$all"/scenarios "$all"/random \
    $(ls -d "$all"/live 2>/dev/null)
}

step_compare() {
  if [ -z "${COMPARE_BASE:-}" ]; then
    run_step compare "-" skipped "COMPARE_BASE=REVISION names the commit to compare with"
    return
  fi
  need_release
  run_step compare-build "the commit to compare with: $COMPARE_BASE" build_base "$COMPARE_BASE" || return
  run_step compare-record "scenarios from its tests, and random ones" record_base || return
  run_step compare "the same decisions as $COMPARE_BASE" replay_both
  tail -n 3 build/logs/compare.log
}
