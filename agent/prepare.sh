# Shell functions that agent/run and tests/run share: Debian packages and builds. Sourced, not executed. Expects ROOT.
# Does not use git or python (a bare machine has neither).

BUILD_PACKAGES=(g++ cmake ninja-build pkg-config libexpected-dev libyaml-cpp-dev libsimdjson-dev
  libmicrohttpd-dev prometheus-cpp-dev libcli11-dev libcurl4-openssl-dev libssl-dev libpfm4-dev
  libbpf-dev bpftool clang)

say() { printf '== %s\n' "$*" >&2; }
die() { printf 'evenkeel: %s\n' "$*" >&2; exit 1; }

missing_packages() {
  local package
  for package in "$@"; do
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || printf '%s\n' "$package"
  done
}

# Third-party apt sources may be unreachable: a partly failed update is accepted if the installation then succeeds.
install_packages() {
  local apt=(apt-get -q -o DPkg::Lock::Timeout=600 -o Acquire::Retries=3)
  export DEBIAN_FRONTEND=noninteractive
  say "installing from Debian: $*"
  "${apt[@]}" update >&2 || say "apt-get update reported errors; trying to install anyway"
  "${apt[@]}" install -y --no-install-recommends "$@" >&2
}

# need_packages NAME...: installs what is missing; on failure says why and returns 1.
need_packages() {
  if ! command -v dpkg-query >/dev/null; then
    say "not a Debian system: assuming that the equivalents of these are installed: $*"
    return 0
  fi
  local missing
  mapfile -t missing < <(missing_packages "$@")
  [ ${#missing[@]} -eq 0 ] && return 0
  if [ "$(id -u)" -ne 0 ]; then
    say "missing packages; run as root or: sudo apt-get install --no-install-recommends ${missing[*]}"
    return 1
  fi
  install_packages "${missing[@]}" || { say "apt-get could not install: ${missing[*]}"; return 1; }
}

# configure PRESET [-DNAME=VALUE...]: runs only without a build directory or when a setting differs; ninja reruns
# cmake itself when a CMake file or the list of sources changes.
configure() {
  local preset=$1 dir=$ROOT/build/$1 setting
  shift
  if [ -e "$dir/build.ninja" ]; then
    local same=yes
    for setting in "$@"; do
      local name=${setting#-D}
      grep -q "^${name%%=*}:[A-Z]*=${name#*=}\$" "$dir/CMakeCache.txt" || same=no
    done
    [ $same = yes ] && return 0
  fi
  say "configuring build/$preset"
  (cd "$ROOT" && cmake --preset "$preset" "$@")
}

# build PRESET TARGET...
build() {
  local preset=$1
  shift
  cmake --build "$ROOT/build/$preset" --parallel "$(nproc)" --target "$@"
}
