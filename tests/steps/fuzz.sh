# Fuzzing: tests/fuzz/NAME_fuzz.cpp with the seeds of tests/fuzz/corpus/NAME. The step fuzz is a smoke test of FUZZ_INPUTS
# in total, the same ones every time unless FUZZ_SEED says otherwise. The step fuzz-long is a search: FUZZ_LONG_SECONDS for each
# target, with other inputs every time; what reached new code is kept in build/fuzz/corpus and is where the next search begins.

# fuzz_one TARGET DIR OPTION...: inputs that reach new code are added to DIR/NAME.
fuzz_one() {
  local target=$1 dir=$2 name=${1##*/}
  shift 2
  name=${name%_fuzz}
  local work=$dir/$name seeds=tests/fuzz/corpus/$name log=build/logs/fuzz_$name.log
  mkdir -p "$work" build/fuzz/artifacts
  [ -d "$seeds" ] || { printf 'RESULT fail %s: no seed corpus in %s\n' "$name" "$seeds"; return; }
  if "$target" "$@" -max_len=16384 -timeout=20 -rss_limit_mb=2048 -print_final_stats=1 \
    -artifact_prefix="build/fuzz/artifacts/$name-" "$work" "$seeds" >"$log" 2>&1; then
    printf 'INPUTS %s %s\n' "$name" "$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")"
    printf 'RESULT pass %s\n' "$name"
  else
    grep -E 'ERROR|SUMMARY|Test unit written' "$log" >&2
    printf 'RESULT fail %s: see %s\n' "$name" "$log"
  fi
}

# fuzz_all DIR JOBS OPTION...: every target; the number of inputs is FUZZED.
fuzz_all() {
  local dir=$1 jobs=$2 results=build/logs/$STEP.results
  shift 2
  configure asan && build asan fuzz || return
  fuzz_targets | xargs -P "$jobs" -I{} bash -c '. tests/steps/fuzz.sh; fuzz_one "$@"' - {} "$dir" "$@" >"$results"
  count_results "$results"
  FUZZED=$(awk '$1 == "INPUTS" { sum += $3 } END { print sum + 0 }' "$results")
  cat "$results"
}
fuzz_targets() { basename -as .cpp tests/fuzz/*_fuzz.cpp | sed 's|^|build/asan/tests/|'; }

fuzz_smoke() {
  rm -rf build/fuzz/found
  local runs=$((${FUZZ_INPUTS:-220000} / $(fuzz_targets | wc -l) + 1))
  fuzz_all build/fuzz/found "$(nproc)" -runs=$runs -seed="${FUZZ_SEED:-1}" || return
  [ "$FUZZED" -ge 200000 ] || [ -n "${FUZZ_INPUTS:-}" ] || failed "only $FUZZED inputs in all"
}
step_fuzz() {
  FUZZED=0
  run_step fuzz "libFuzzer under ASan and UBSan" fuzz_smoke
  say "fuzz: $FUZZED inputs in all"
}

fuzz_long() {
  local corpus=build/fuzz/corpus name
  fuzz_all $corpus 2 -max_total_time="${FUZZ_LONG_SECONDS:-600}" || return
  for name in "$corpus"/*; do printf 'KEPT %s %s\n' "${name##*/}" "$(find "$name" -type f | wc -l)"; done
}
step_fuzz-long() {
  FUZZED=0
  run_step fuzz-long "libFuzzer for ${FUZZ_LONG_SECONDS:-600} s a target" fuzz_long
  awk '$1 == "INPUTS" { inputs[$2] = $3 }
    $1 == "KEPT" && $2 in inputs { printf "   %s: %d inputs, %d kept\n", $2, inputs[$2], $3 }' build/logs/fuzz-long.log >&2
  say "fuzz-long: $FUZZED inputs in all"
}
