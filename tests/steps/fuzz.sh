# Fuzzing as a smoke test: runs tests/fuzz/NAME_fuzz.cpp with the seeds of tests/fuzz/corpus/NAME. FUZZ_INPUTS
# in total, the same ones every time unless FUZZ_SEED says otherwise.

fuzz_one() {
  local target=$1 runs=$2 name=${1##*/}
  name=${name%_fuzz}
  local work=build/fuzz/found/$name seeds=tests/fuzz/corpus/$name log=build/logs/fuzz_$name.log
  rm -rf "$work" && mkdir -p "$work" build/fuzz/artifacts
  [ -d "$seeds" ] || { printf 'RESULT fail %s: no seed corpus in %s\n' "$name" "$seeds"; return; }
  if "$target" -runs="$runs" -seed="${FUZZ_SEED:-1}" -max_len=16384 -timeout=20 -rss_limit_mb=2048 \
    -print_final_stats=1 -artifact_prefix="build/fuzz/artifacts/$name-" "$work" "$seeds" >"$log" 2>&1; then
    printf 'INPUTS %s %s\n' "$name" "$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")"
    printf 'RESULT pass %s\n' "$name"
  else
    grep -E 'ERROR|SUMMARY|Test unit written' "$log" >&2
    printf 'RESULT fail %s: see %s\n' "$name" "$log"
  fi
}

fuzz_all() {
  local targets=() source
  for source in tests/fuzz/*_fuzz.cpp; do
    [ -e "$source" ] && targets+=("build/asan/tests/$(basename "$source" .cpp)")
  done
  [ ${#targets[@]} -gt 0 ] || { skipped "there are no fuzz targets yet"; return; }
  configure asan && build asan fuzz || return
  local runs=$((${FUZZ_INPUTS:-220000} / ${#targets[@]} + 1))
  printf '%s\n' "${targets[@]}" |
    xargs -P "$(nproc)" -I{} bash -c ". tests/steps/fuzz.sh; fuzz_one {} $runs" >build/logs/fuzz.results
  count_results build/logs/fuzz.results
  FUZZED=$(awk '$1 == "INPUTS" { sum += $3 } END { print sum + 0 }' build/logs/fuzz.results)
  cat build/logs/fuzz.results
  [ "$FUZZED" -ge 200000 ] || [ -n "${FUZZ_INPUTS:-}" ] || failed "only $FUZZED inputs in all"
}
step_fuzz() {
  FUZZED=0
  run_step fuzz "libFuzzer under ASan and UBSan" fuzz_all
  say "fuzz: $FUZZED inputs in all"
}
