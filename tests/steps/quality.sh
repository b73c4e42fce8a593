# Form: clang-format, clang-tidy.

room_sources() { find qos cgroup collectors agent -name '*.cpp' | sort; }

format_check() {
  local files
  mapfile -t files < <(find qos cgroup collectors agent tests \( -name '*.cpp' -o -name '*.h' \) | sort)
  clang-format --dry-run -Werror "${files[@]}" || return
  passed ${#files[@]}
}
step_format() { run_step format "clang-format has nothing to change" format_check; }

# clang-tidy spends most of its time on the libraries' headers, so a dozen sources share one translation unit. The
# sources of a unit come from different folders: each folder has its own namespace, so file-local names cannot collide.
lint_units() {
  room_sources | awk '
    { folder = $0; sub("/[^/]*$", "", folder)
      if (folder !~ "/" || folder == "qos/model" || folder == "cgroup/base") folder = "evenkeel"
      print count[folder]++, $0 }' | sort -s -n -k1,1 | awk '
    $1 != turn || held == 12 { unit++; held = 0; turn = $1 }
    { held++; printf "#include \"%s\"\n", $2 > sprintf("build/tidy/units/%03d.cpp", unit) }'
}

# A verdict holds until a source of the unit, a header of the project or the rules change.
lint_unit() {
  local unit=$1 newest=$2 source sources stamp changed=0
  stamp=build/tidy/$(basename "$unit" .cpp).ok
  mapfile -t sources < <(sed 's/#include "\(.*\)"/\1/' "$unit")
  for source in "${sources[@]}" "$newest"; do [ "$stamp" -nt "$source" ] || changed=1; done
  cmp -s "$unit" "$stamp" || changed=1
  # bugprone-suspicious-include is off because a unit includes sources.
  if [ $changed -eq 0 ] || clang-tidy -p build/clang --quiet --checks=-bugprone-suspicious-include \
    "$unit" >"$stamp.log" 2>/dev/null; then
    [ $changed -eq 0 ] || cp "$unit" "$stamp"
    printf 'RESULT pass %s\n' "${sources[@]}"
  else
    cat "$stamp.log" >&2
    printf 'RESULT fail %s\n' "${sources[*]}"
  fi
}

lint() {
  local newest
  rm -rf build/tidy/units
  mkdir -p build/tidy/units
  configure clang -DEVENKEEL_TESTS=OFF || return
  newest=$(find qos cgroup collectors agent .clang-tidy \( -name '*.h' -o -name .clang-tidy \) -printf '%T@ %p\n' |
    sort -n | tail -1 | cut -d' ' -f2)
  lint_units
  find build/tidy/units -name '*.cpp' | sort |
    xargs -P "$(nproc)" -I{} bash -c '. tests/steps/quality.sh; lint_unit {} '"$newest" >build/logs/tidy.results
  count_results build/logs/tidy.results
}
step_tidy() { run_step tidy "clang-tidy, warnings are errors" lint; }
