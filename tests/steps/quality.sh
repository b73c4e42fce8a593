# Form: clang-format, clang-tidy.

room_sources() { find qos cgroup collectors agent -name '*.cpp' | sort; }

format_check() {
  local files
  mapfile -t files < <(find qos cgroup collectors agent tests \( -name '*.cpp' -o -name '*.h' \) | sort)
  clang-format --dry-run -Werror "${files[@]}" || return
  passed ${#files[@]}
}
step_format() { run_step format "clang-format has nothing to change" format_check; }

# A verdict holds until the file, a header of the project or the rules change.
lint_one() {
  local source=$1 stamp=build/tidy/${1//\//_}.ok
  if clang-tidy -p build/clang --quiet "$source" >"$stamp.log" 2>/dev/null; then
    touch "$stamp"
    printf 'RESULT pass %s\n' "$source"
  else
    cat "$stamp.log" >&2
    printf 'RESULT fail %s\n' "$source"
  fi
}

# TIDY_SECONDS limits the whole step; sources that it does not reach are skipped and named. Newest sources first.
lint() {
  local newest source due=() until=$((SECONDS + ${TIDY_SECONDS:-100}))
  mkdir -p build/tidy
  configure clang -DEVENKEEL_TESTS=OFF || return
  newest=$(find qos cgroup collectors agent .clang-tidy \( -name '*.h' -o -name .clang-tidy \) -printf '%T@ %p\n' |
    sort -n | tail -1 | cut -d' ' -f2)
  for source in $(room_sources | xargs ls -t); do
    local stamp=build/tidy/${source//\//_}.ok
    if [ -e "$stamp" ] && [ "$stamp" -nt "$source" ] && [ "$stamp" -nt "$newest" ]; then passed; else due+=("$source"); fi
  done
  while [ ${#due[@]} -gt 0 ] && [ $SECONDS -lt $until ]; do
    local batch=("${due[@]:0:16}")
    due=("${due[@]:16}")
    printf '%s\n' "${batch[@]}" | xargs -P "$(nproc)" -I{} bash -c '. tests/steps/quality.sh; lint_one {}' \
      >build/logs/tidy.results
    count_results build/logs/tidy.results
  done
  for source in "${due[@]}"; do skipped "$source: the time budget (TIDY_SECONDS) was over"; done
}
step_tidy() { run_step tidy "clang-tidy, warnings are errors" lint; }
