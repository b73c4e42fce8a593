# package.sh [static]: checks the contents of the Debian package: owners, modes, configuration, scripts, a man page and a
# completion that know every flag. tests/vm/systemd/package.sh installs, runs and purges it. Without the argument it is
# the package with shared libraries, since the static program takes another ten minutes to build (tests/run image).
set -euo pipefail
kind=${1:-shared}
command -v dpkg-shlibdeps >/dev/null || [ "$(id -u)" -eq 0 ] || { echo "dpkg-dev is not installed"; exit 77; }
if [ "$kind" = static ]; then deploy/deb/build; else deploy/deb/build --shared; fi
deb=build/package/evenkeel.deb
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "$*"; exit 1; }

dpkg-deb -R $deb "$work/root"
control=$work/root/DEBIAN
for field in Package Version Architecture Maintainer Section Installed-Size; do
  grep -q "^$field: ." "$control/control" || fail "no $field"
done
terms=$work/root/usr/share/doc/evenkeel/libraries
if [ "$kind" = static ]; then
  ! grep '^Depends: .*\blib' "$control/control" || fail "the static program depends on a library"
  ! readelf -d "$work/root/usr/bin/evenkeel" | grep NEEDED || fail "the program needs shared libraries"
  [ -s "$terms/curl" ] && [ -s "$terms/libssl" ] || fail "the copyright notices of linked libraries are missing"
else
  grep -q '^Depends: .*libc6 (' "$control/control" || fail "the libraries are not among Depends"
  [ ! -e "$terms" ] || fail "copyright notices of libraries that are not in the package"
fi
[ "$(sed -n 's/^Version: //p' "$control/control")" = "$("$work/root/usr/bin/evenkeel" --version)" ] || fail "Version is not the program's"
(cd "$work/root" && md5sum --quiet -c DEBIAN/md5sums)
diff "$control/conffiles" <(cd "$work/root" && find etc -type f -printf '/%p\n') || fail "conffiles are not what is in /etc"
for script in postinst prerm postrm; do
  [ -x "$control/$script" ] || fail "$script cannot be executed"
  sh -n "$control/$script"
done
odd=$(dpkg-deb -c $deb | awk '$2 != "root/root" || $1 !~ /^(drwxr-xr-x|-rw-r--r--|-rwxr-xr-x)$/ || (/^-rwx/ && $6 != "./usr/bin/evenkeel")')
[ -z "$odd" ] || fail "owner or mode: $odd"
grep -q '^ExecStart=/usr/bin/evenkeel run' "$work/root/usr/lib/systemd/system/evenkeel.service" || fail "the unit names another program"
diff systemd/sysusers.conf "$work/root/usr/lib/sysusers.d/evenkeel.conf" || fail "the package does not make the group"
group=$(sed -n 's/^Group=//p' systemd/evenkeel.service)
grep -qx "g $group -" systemd/sysusers.conf || fail "the unit's group is '$group', another one is made"
grep -q 'systemd-sysusers evenkeel.conf' "$control/postinst" || fail "the group is not made before the unit starts"
diff -r systemd/drop-ins "$work/root/usr/share/evenkeel/drop-ins" || fail "the drop-ins are not in the package"

page=$work/page.1
gzip -dc "$work/root/usr/share/man/man1/evenkeel.1.gz" >"$page"
! command -v groff >/dev/null || [ -z "$(groff -man -Tutf8 -ww -z "$page" 2>&1)" ] || fail "$(groff -man -Tutf8 -ww -z "$page" 2>&1)"
# complete_words WORD...: what the completion offers for the last word.
complete_words() {
  PATH=$work/root/usr/bin:$PATH bash -c '. "$0"; COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _evenkeel; echo " ${COMPREPLY[*]} "' \
    "$work/root/usr/share/bash-completion/completions/evenkeel" evenkeel "$@"
}
flags=0
for verb in $(complete_words ""); do
  grep -q "^\.SS evenkeel $verb\$" "$page" || fail "the man page does not know $verb"
  for flag in $("$work/root/usr/bin/evenkeel" "$verb" --help | grep -oE '^  --[a-z-]+'); do
    flags=$((flags + 1))
    grep -q "^\.B ${flag//-/\\\\-}\b" "$page" || fail "the man page does not know $verb $flag"
    [[ $(complete_words "$verb" --) == *" $flag "* ]] || fail "the completion does not know $verb $flag"
  done
done
[ $flags -gt 20 ] || fail "only $flags flags were looked at"
echo "$flags flags in man page and completion"
