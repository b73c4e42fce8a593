# Runs steps, counts results and prints the table. A step adds to PASSED, FAILED, SKIPPED through
# passed, failed and skipped, or just returns: zero is one pass, anything else one failure.

begin_report() {
  ROWS=() NOTES=() TOTAL_PASSED=0 TOTAL_FAILED=0 TOTAL_SKIPPED=0 BEGAN=$SECONDS
}

passed() { PASSED=$((PASSED + ${1:-1})); }
failed() { FAILED=$((FAILED + 1)); NOTES+=("FAILED  $STEP: $*"); }
skipped() { SKIPPED=$((SKIPPED + 1)); NOTES+=("skipped $STEP: $*"); }

# run_step NAME TITLE COMMAND...: logs the command's output to build/logs/NAME.log and shows its end after a
# failure. The command runs in this shell, so that it can count.
run_step() {
  STEP=$1 LOG=$ROOT/build/logs/$1.log
  local title=$2 began=$SECONDS
  shift 2
  PASSED=0 FAILED=0 SKIPPED=0
  say "$STEP: $title"
  "$@" >"$LOG" 2>&1
  local status=$?
  [ $status -ne 77 ] || [ $SKIPPED -eq 0 ] || status=0 # or_skipped has said why
  if [ $status -ne 0 ] && [ $FAILED -eq 0 ]; then failed "see build/logs/$STEP.log"; fi
  if [ $status -eq 0 ] && [ $((PASSED + FAILED + SKIPPED)) -eq 0 ]; then passed; fi
  [ $FAILED -eq 0 ] || { tail -n 60 "$LOG" | sed 's/^/   | /' >&2; }
  local row
  printf -v row '%-18s %7d %7d %8d %7d s' "$STEP" $PASSED $FAILED $SKIPPED $((SECONDS - began))
  ROWS+=("$row")
  TOTAL_PASSED=$((TOTAL_PASSED + PASSED)) TOTAL_FAILED=$((TOTAL_FAILED + FAILED))
  TOTAL_SKIPPED=$((TOTAL_SKIPPED + SKIPPED))
  say "$STEP: $PASSED passed, $FAILED failed, $SKIPPED skipped in $((SECONDS - began)) s"
  [ $FAILED -eq 0 ]
}

end_report() {
  printf '\n%-18s %7s %7s %8s %9s\n' step passed failed skipped time
  printf '%s\n' "${ROWS[@]}"
  printf '%-52s %d s\n' total $((SECONDS - BEGAN))
  if [ ${#NOTES[@]} -gt 0 ]; then printf '\n'; printf '%s\n' "${NOTES[@]}" | sort | uniq -c | sed 's/^ *1 //'; fi
  printf '\n%d passed, %d failed, %d skipped\n' $TOTAL_PASSED $TOTAL_FAILED $TOTAL_SKIPPED
  [ $TOTAL_FAILED -eq 0 ]
}

# Runs a script and counts its exit status: 0 passed, 77 skipped (its last line is the reason).
run_script() {
  local script=$1 output status
  output=$(timeout "${SCRIPT_SECONDS:-900}" bash "$script" 2>&1 </dev/null)
  status=$?
  printf -- '--- %s\n%s\n' "$script" "$output"
  case $status in
    0) passed ;;
    77) skipped "$script: ${output##*$'\n'}" ;;
    *) failed "$script: exit status $status: ${output##*$'\n'}" ;;
  esac
}
# Runs such a command within a step.
or_skipped() {
  local status
  "$@"
  status=$?
  [ $status -ne 77 ] || skipped "$(tail -1 "$LOG")"
  return $status
}
run_scripts() {
  local script
  for script in "$@"; do [ -e "$script" ] && run_script "$script"; done
  return 0
}

# Tests on the real kernel, with the same filter as in tests/CMakeLists.txt.
LIVE_TESTS='Live*:*Live.*:*.Live*'

# GoogleTest output -> lines "RESULT pass|fail|skip NAME[: REASON]". The reason of a skipped test is in the
# line after "Skipped", that of a failed one in the lines after the first "Failure".
gtest_results() {
  awk '
    { sub(/\r$/, "") }
    /^\[ RUN / { reason = ""; lines = 0 }
    /^\[/ || /: Failure$/ { lines = 0 }
    lines > 0 && NF { sub(/^ +/, ""); reason = reason " " $0; --lines }
    /: Skipped$/ && reason == "" { getline reason }
    /: Failure$/ && reason == "" { reason = $0; sub(/^.*\//, "", reason); sub(/: Failure$/, "", reason); lines = 4 }
    /^\[.*\] .* \([0-9]+ ms\)$/ {
      verdict = /^\[       OK/ ? "pass" : /^\[  FAILED/ ? "fail" : /^\[  SKIPPED/ ? "skip" : ""
      name = $0; sub(/^\[[^]]*\] /, "", name); sub(/[, ].*/, "", name)
      if (verdict != "") print "RESULT " verdict " " name (verdict != "pass" && reason != "" ? ": " substr(reason, 1, 300) : "")
    }'
}

# few_failed RESULTS [MOST]: some tests failed, but so few (3, or MOST) that the machine may be the cause.
few_failed() {
  local count
  count=$(grep -c '^RESULT fail' "$1")
  [ "$count" -ge 1 ] && [ "$count" -le "${2:-3}" ]
}

# failed_tests RESULTS: prints the names of the GoogleTests and scripts that failed. Fails if something else did: a
# program that crashed.
failed_tests() {
  local names
  names=$(sed -n 's/^RESULT fail \([^ :]*\).*/\1/p' "$1")
  ! grep -qvE '^([A-Za-z0-9_/]+\.[A-Z][A-Za-z0-9_/]*|tests/[a-z0-9_/]+\.sh)$' <<<"$names" && printf '%s\n' "$names"
}

# count_results FILE: counts lines "RESULT pass|alone|fail|skip NAME [reason]".
count_results() {
  local word verdict rest
  while read -r word verdict rest; do
    [ "$word" = RESULT ] || continue
    case $verdict in
      pass) passed ;;
      alone) passed && NOTES+=("alone   $STEP: $rest: failed at first, passed when asked alone") ;;
      fail) failed "$rest" ;;
      skip) skipped "$rest" ;;
    esac
  done < <(tr -d '\r' <"$1")
}
