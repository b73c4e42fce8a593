# The Debian package under a real systemd: installed, it runs and changes nothing; configured, it works;
# installed again, it keeps the configuration; removed, it has restored everything; purged, nothing is left.
set -euo pipefail
[ "${EVENKEEL_IN_VM:-}" = systemd ] || { echo "this is for the guest: tests/vm/vmrun --systemd"; exit 77; }
deb=build/package/evenkeel.deb
[ -e $deb ] || { echo "$deb was not built: deploy/deb/build"; exit 77; }
! dpkg-query -W evenkeel >/dev/null 2>&1 || { echo "the package is installed on this machine"; exit 77; }
. tests/vm/batch_slice.sh
config=/etc/evenkeel/nodeslo.yaml
traces() {
  ls -d /etc/evenkeel /var/lib/evenkeel /usr/bin/evenkeel /usr/share/evenkeel /usr/share/doc/evenkeel \
    /usr/lib/sysusers.d/evenkeel.conf /usr/share/man/man1/evenkeel* /usr/share/bash-completion/completions/evenkeel /usr/lib/systemd/system/evenkeel.service \
    /etc/systemd/system/evenkeel.service /etc/systemd/system/*.wants/evenkeel.service \
    /var/lib/systemd/deb-systemd-helper-*/*evenkeel* /var/lib/dpkg/info/evenkeel.* 2>/dev/null
}
# Every dpkg call reads the whole database, which is large and slow to read here: reduces it to the package's
# dependencies.
cut_database() {
  local package depends
  depends=$(dpkg-deb -f $deb Depends | sed 's/([^)]*)//g; s/,//g')
  mkdir -p /run/dpkg/info /run/dpkg/updates /run/dpkg/triggers
  echo 1 >/run/dpkg/info/format
  dpkg-query -s $depends >/run/dpkg/status
  for package in $depends; do touch /run/dpkg/info/$package.list /run/dpkg/info/$package:amd64.list; done
  mount --bind /run/dpkg /var/lib/dpkg
}
cut_database
# Removed in the guest's memory only: the host's own agent files, and what keeps a container from starting
# services.
rm -rf /var/lib/evenkeel /etc/evenkeel /usr/sbin/policy-rc.d
groupdel evenkeel 2>/dev/null || true
start_batch
[ -z "$(traces)" ] || fail "there before the package: $(traces)"

say "install"
dpkg -i $deb || fail "dpkg -i"
within 60 "the agent runs" is_active
[ "$(systemctl is-enabled evenkeel.service)" = enabled ] || fail "the unit is not enabled"
[ "$(evenkeel --version)" = "$(dpkg-query -W -f='${Version}' evenkeel)" ] || fail "the version is not the program's"
[ "$(stat -c %G /run/evenkeel)" = evenkeel ] || fail "the endpoint's directory is not the group's"
evenkeel check $config >/dev/null || fail "the configuration is not legal"
dpkg --verify evenkeel | grep . && fail "files are not as packaged"
is_free || fail "an agent without configuration has bounded best effort"

say "configure"
printf 'resourceUsedThresholdWithBE: {enable: true, cpuSuppressPolicy: cfsQuota, cpuSuppressThresholdPercent: 50}\n' >$config
within 60 "best effort is bounded" is_bounded

say "install again"
dpkg -i $deb || fail "dpkg -i again"
grep -q cfsQuota $config || fail "the configuration was replaced"
within 60 "the agent runs again" is_active
within 60 "best effort is bounded again" is_bounded

say "remove, purge"
dpkg --remove evenkeel || fail "dpkg --remove"
is_free || fail "removed, but cpu.max is $(cat $besteffort/cpu.max)"
[ -e $config ] || fail "the configuration went with the removal"
dpkg --purge evenkeel || fail "dpkg --purge"
[ -z "$(traces)" ] || fail "left: $(traces)"
! systemctl cat evenkeel.service >/dev/null 2>&1 || fail "systemd still knows the unit"
getent group evenkeel >/dev/null || fail "the group went with the package, although it may have members and files"
say "nothing is left but the group"
