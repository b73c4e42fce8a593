# The unit's own sandbox, and what each drop-in opens: `evenkeel capabilities` runs inside of it. Without drop-ins all that
# works without a sandbox works, except for what a drop-in is for; with it that works, too.
set -euo pipefail
[ "${EVENKEEL_IN_VM:-}" = systemd ] || { echo "this is for the guest: tests/vm/vmrun --systemd"; exit 77; }
[ -x build/release/evenkeel ] || { echo "build/release/evenkeel was not built"; exit 77; }
. tests/vm/batch_slice.sh
unit=/run/systemd/system/evenkeel-probe.service
mkdir -p $unit.d /run/probe
install -D -m 755 build/release/evenkeel /usr/local/bin/evenkeel
# The same unit, but it ends: no notification, no watchdog, no restart.
sed -E '/^(Type|NotifyAccess|ExecStart|ExecStopPost|ExecReload|WatchdogSec|Restart.*|TimeoutStopSec)=/d' systemd/evenkeel.service |
  sed 's|^\[Service\]|&\nType=oneshot\nTimeoutStartSec=300\nExecStart=/usr/local/bin/evenkeel capabilities\nStandardOutput=truncate:/run/probe/out|' >$unit

# probe [DROP-IN]: the names of what works, one per line, into /run/probe/works.
probe() {
  rm -f $unit.d/*.conf
  [ $# -eq 0 ] || cp "systemd/drop-ins/$1.conf" $unit.d/
  systemctl daemon-reload
  systemctl start evenkeel-probe.service || fail "evenkeel capabilities failed with the drop-in '${1:-none}'"
  working </run/probe/out >/run/probe/works
}
working() { sed -nE 's/^([a-z0-9-]+) +works.*/\1/p' | sort; }
works() { grep -qx -- "$1" "/run/probe/${2:-works}"; }

build/release/evenkeel capabilities | working >/run/probe/free
probe
cp /run/probe/works /run/probe/base
opened=
for pair in name-writers:fanotify network:network-classes run-queue:bpf-run-queue core-sched:core-sched \
  request-size:request-size system-settings:vm-settings; do
  drop_in=${pair%:*} capability=${pair#*:}
  opened+=" $capability"
  works $capability free || { say "$drop_in: not shown, this kernel has no $capability"; continue; }
  ! works $capability base || fail "$capability works without the drop-in $drop_in, which is of no use then"
  probe $drop_in
  works $capability || fail "$capability does not work with the drop-in $drop_in: $(grep "^$capability " /run/probe/out)"
  say "$drop_in: necessary and enough for $capability"
done
# These belong to the drop-ins above, too: run-queue, and system-settings where debugfs is mounted.
for capability in $(cat /run/probe/free); do
  case " $opened bpf-counters perf-cycles sched-features " in *" $capability "*) continue ;; esac
  works $capability base || fail "$capability works without the sandbox, and needs no drop-in, but the unit forbids it"
done
say "without drop-ins: $(wc -l </run/probe/base) capabilities of $(wc -l </run/probe/free)"
