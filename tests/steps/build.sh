# The build steps, and all steps that run ctest.

built() { [ -e "$ROOT/build/$1/.tests-built" ]; }

build_tests() {
  local preset=$1
  rm -f "build/$preset/.tests-built"
  configure "$preset" -DEVENKEEL_TESTS=ON && build "$preset" all && touch "build/$preset/.tests-built"
}

# build_meanwhile STEP: builds in the background, with the lowest priority, what that step of this run needs. The
# step waits for it, and builds itself what is then missing.
build_meanwhile() {
  [[ " ${STEPS[*]} " == *" $1 "* ]] && [ -z "${MEANWHILE:-}" ] || return 0
  { renice -n 19 "$BASHPID" && build_tests "$1"; } >"build/logs/$1-build.log" 2>&1 &
  MEANWHILE=$!
}

# One JUnit file -> RESULT lines.
junit_results() {
  perl -0777 -ne '
    while (/<testcase name="([^"]*)".*?status="([^"]*)"(.*?)<\/testcase>/sg) {
      my ($name, $status, $body) = ($1, $2, $3);
      $name =~ s/ *#.*//s;
      my $ending = $status eq "run" ? "       OK " : $status eq "fail" ? "  FAILED  " : "  SKIPPED ";
      $body .= ": Skipped\ndid not run\n" if $ending =~ /SKIP/ && $body !~ /: Skipped\n/;
      $body =~ s/^\[.*\n//mg;
      $body =~ s/&lt;/</g; $body =~ s/&gt;/>/g; $body =~ s/&quot;/"/g; $body =~ s/&amp;/&/g;
      print "[ RUN      ] $name\n$body\n[$ending] $name (0 ms)\n";
    }' "$1" | gtest_results
}

# run_ctest PRESET LABEL JOBS; "live" means all live tests, "live-agent" those of tests/agent. If only a few
# tests fail, they are retried alone; the report marks those that pass then as short of CPU.
run_ctest() {
  local preset=$1 label=$2 jobs=$3 junit=$ROOT/build/logs/$STEP.xml results=$ROOT/build/logs/$STEP.results
  rm -f "$junit"
  built "$preset" || { failed "build/$preset was not built"; return 1; }
  local ctest=(ctest --test-dir "build/$preset" -L "^$label(-|\$)" --output-on-failure
    --output-junit)
  "${ctest[@]}" "$junit" -j "$jobs"
  junit_results "$junit" >"$results"
  if few_failed "$results"; then
    "${ctest[@]}" "$junit.alone" --rerun-failed -j 1
    sed -i '/^RESULT fail/d' "$results"
    junit_results "$junit.alone" | sed 's/^RESULT pass/RESULT alone/' >>"$results"
  fi
  count_results "$results"
  return 0
}
# The same, but finding no test at all is a failure.
run_tests() {
  run_ctest "$@" || return
  [ $((PASSED + FAILED + SKIPPED)) -gt 0 ] || failed "no test was found"
}

step_build() { run_step build "g++ $(g++ -dumpfullversion 2>/dev/null), build/release" build_tests release; }

need_release() { [ "${RELEASE_TRIED:-}" ] || [[ " ${ROWS[*]} " == *" build "* ]] || { RELEASE_TRIED=yes; step_build; }; }

step_unit() { need_release; run_step unit "tests that need no kernel" run_tests release unit "$(nproc)"; }
step_house() { need_release; run_step house "the house rules" run_tests release unit-house 1; }

live_tests() {
  run_ctest release live 1
  run_scripts tests/live/*.sh
  [ $((PASSED + FAILED + SKIPPED)) -gt 0 ] || skipped "there are no live tests"
}
step_live() { need_release; run_step live "tests on this machine's kernel ($(uname -r))" live_tests; }

# A sanitizer report aborts the program, so that its parent notices as well.
sanitized() {
  export ASAN_OPTIONS=detect_stack_use_after_return=1:strict_string_checks=1 UBSAN_OPTIONS=print_stacktrace=1
  export TSAN_OPTIONS=halt_on_error=1
  [ -z "${MEANWHILE:-}" ] || wait "$MEANWHILE"
  build_tests "$1" && "${@:2}"
}
# A program with sanitizers takes longer to start than most tests take to run: each is split into only
# a few parts per processor. A report aborts the rest of that part, which counts as one failure.
unit_tests_in_parts() {
  local preset=$1 parts=$(($(nproc) * 4)) program part out
  for program in "build/$preset"/tests/*_tests; do
    for ((part = 0; part < parts; ++part)); do echo "$program $part"; done
  done >"build/logs/$STEP.parts"
  GTEST_TOTAL_SHARDS=$parts xargs -P "$(nproc)" -L 1 bash -c '
    export GTEST_SHARD_INDEX=$3 out=$1.${2##*/}.$3
    timeout 900 "$2" --gtest_filter="-$0" --gtest_color=no >"$out" 2>&1 </dev/null
    echo "status $?" >>"$out"' "$LIVE_TESTS" "build/logs/$STEP" <"build/logs/$STEP.parts"
  while read -r program part; do
    out=build/logs/$STEP.${program##*/}.$part
    cat "$out"
    gtest_results <"$out"
    grep -qE '^status [01]$' "$out" || echo "RESULT fail ${program##*/}: part $part ended with $(tail -1 "$out")"
    rm "$out"
  done <"build/logs/$STEP.parts" | tee "build/logs/$STEP.output"
  again_alone "$preset" "build/logs/$STEP.output"
  count_results "build/logs/$STEP.output"
  [ $((PASSED + FAILED + SKIPPED)) -gt 0 ] || failed "no test was found"
}
# again_alone PRESET RESULTS: replaces the results of a few failed tests by those of another run, alone. A
# sanitizer's report stays what it is.
again_alone() {
  local name names program
  few_failed "$2" && names=$(failed_tests "$2") || return 0
  sed -i '/^RESULT fail/d' "$2"
  for name in $names; do
    for program in "build/$1"/tests/*_tests; do
      "$program" --gtest_filter="$name" --gtest_list_tests | grep -q '^  ' || continue
      timeout 900 "$program" --gtest_filter="$name" --gtest_color=no >"build/logs/$STEP.alone" 2>&1 </dev/null
      cat "build/logs/$STEP.alone"
      gtest_results <"build/logs/$STEP.alone" | sed 's/^RESULT pass/RESULT alone/' >>"$2"
    done
    grep -q "^RESULT [a-z]* $name\(:\|\$\)" "$2" || echo "RESULT fail $name: ended without a result when it was run alone" >>"$2"
  done
}
step_asan() { run_step asan "clang++ with ASan and UBSan, unit tests" sanitized asan unit_tests_in_parts asan; }

# The threads of the demo's service run in a live test only, and only a live test starts it.
step_tsan() {
  run_step tsan "g++ with TSan, unit tests" sanitized tsan unit_tests_in_parts tsan
  run_step tsan-live "g++ with TSan, live tests of the whole program" sanitized tsan run_tests tsan live-agent 1
}

step_checks() { need_release; run_step checks "tests/checks" run_scripts tests/checks/*.sh; }

benches() {
  local bench log ran=0
  built release || { failed "build/release was not built"; return 1; }
  for bench in build/release/tests/*_bench; do
    [ -x "$bench" ] || continue
    ran=1
    printf '\n%s\n' "$bench"
    log=build/logs/${bench##*/}.txt
    timeout 600 "$bench" >"$log" 2>&1
    case $? in
      0) passed ;;
      77) skipped "$bench: $(tail -1 "$log")" ;;
      *) failed "$bench" ;;
    esac
    cat "$log"
  done
  [ $ran = 1 ] || skipped "there are no benches yet"
}
step_bench() {
  need_release
  run_step bench "what a tick costs" benches
  cat build/logs/bench.log
}
