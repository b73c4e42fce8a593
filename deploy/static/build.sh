# static_program LOG: builds build/static/evenkeel, one program that needs no shared library and so touches few pages; the
# image and the Debian package contain it. The copyright notices of its parts are in build/static/terms. Needs agent/prepare.sh.
# Sourced.
# date_by_commit: what is built from now on is dated by the commit, so that the same commit gives the same bytes.
STATIC_PACKAGES=("${BUILD_PACKAGES[@]}" dpkg-dev make binutils)
date_by_commit() {
  SOURCE_DATE_EPOCH=$(git -c safe.directory="$ROOT" log -1 --format=%ct 2>/dev/null || echo 0)
  export SOURCE_DATE_EPOCH
}
static_program() {
  local log=$1
  say "libraries (${log#"$ROOT"/})"
  deploy/static/libraries build/static-libraries >"$log" 2>&1 || die "they could not be built: $log"
  configure static >>"$log" || die "cmake: $log"
  say "building build/static/evenkeel"
  build static evenkeel >>"$log" 2>&1 || die "the build failed: $log"
  rm -rf build/static/terms && install -d -m 755 build/static/terms/libraries
  install -m 644 build/static-libraries/copyright/* build/static/terms/libraries
  install -m 644 deploy/deb/copyright build/static/terms
}
