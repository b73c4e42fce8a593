# The unit's own sandbox, and what each drop-in opens: `evenkeel capabilities` runs inside of it. Without drop-ins all that
# works without a sandbox works, except for what a drop-in is for; with it that works, too. The last three drop-ins show
# only in a connection to another address, in a link to a disk and in a pod whose processes do not run as root.
set -euo pipefail
[ "${EVENKEEL_IN_VM:-}" = systemd ] || { echo "this is for the guest: tests/vm/vmrun --systemd"; exit 77; }
[ -x build/release/evenkeel ] || { echo "build/release/evenkeel was not built"; exit 77; }
. tests/vm/batch_slice.sh
unit=/run/systemd/system/evenkeel-probe.service
mkdir -p $unit.d /run/probe
install_unit
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

# connects [DROP-IN]: from inside of the sandbox, to an address that is not this machine's.
connects() {
  rm -f $unit.d/*.conf
  [ $# -eq 0 ] || cp "systemd/drop-ins/$1.conf" $unit.d/
  printf '[Service]\nExecStart=\nExecStart=/usr/bin/perl -MIO::Socket::INET -e "exit !IO::Socket::INET->new(PeerAddr=>q(10.9.9.2:80),Timeout=>5)"\n' \
    >$unit.d/connect.conf
  systemctl daemon-reload
  systemctl start evenkeel-probe.service
}
ip netns add far
ip link add near type veth peer name far netns far
ip addr add 10.9.9.1/24 dev near && ip link set near up
ip -n far addr add 10.9.9.2/24 dev far && ip -n far link set far up
ip netns exec far perl -MIO::Socket::INET -e 'my $s = IO::Socket::INET->new(LocalAddr => "10.9.9.2:80", Listen => 5) or die; while ($s->accept) {}' &
within 30 "the other address answers" perl -MIO::Socket::INET -e 'exit !IO::Socket::INET->new(PeerAddr => "10.9.9.2:80", Timeout => 1)'
! connects || fail "another address can be reached without the drop-in remote, which is of no use then"
connects remote || fail "another address cannot be reached with the drop-in remote"
say "remote: necessary and enough for a connection to another address"

disk=/dev/loop0 link=/dev/disk/by-id/evenkeel-probe
# inside COMMAND: runs it in the sandbox with the drop-in of the last sees_link.
inside() {
  printf '[Service]\nExecStart=\nExecStart=%s\n' "$1" >$unit.d/inside.conf
  systemctl daemon-reload
  systemctl start evenkeel-probe.service
}
# sees_link [DROP-IN]
sees_link() {
  rm -f $unit.d/*.conf
  [ $# -eq 0 ] || cp "systemd/drop-ins/$1.conf" $unit.d/
  inside "/usr/bin/readlink $link"
}

# A right of the base. Delegated cgroups belong to other users.
owned=/sys/fs/cgroup/probe-owned
mkdir $owned
chown nobody $owned/cgroup.freeze
rm -f $unit.d/*.conf
inside "/bin/sh -c 'echo 0 >$owned/cgroup.freeze'" || fail "the base cannot write to another user's cgroup"
printf '[Service]\nCapabilityBoundingSet=~CAP_DAC_OVERRIDE\n' >$unit.d/without.conf
! inside "/bin/sh -c 'echo 0 >$owned/cgroup.freeze'" || fail "CAP_DAC_OVERRIDE is of no use: the write succeeds without it"
rm $unit.d/without.conf
rmdir $owned
say "CAP_DAC_OVERRIDE: necessary and enough to write to another user's cgroup"

[ -b $disk ] || fail "the guest has no $disk"
# As udev does, which does not run here.
mkdir -p "${link%/*}"
ln -sfn ../../loop0 $link
! sees_link || fail "a persistent name of a disk is seen without the drop-in disk-names, which is of no use then"
sees_link disk-names || fail "no persistent name of a disk is seen with the drop-in disk-names"
! inside "/usr/bin/head -c 1 $disk" || fail "with the drop-in disk-names a disk can be opened"
! inside "/usr/bin/touch /dev/shm/evenkeel-probe" || fail "with the drop-in disk-names /dev can be written"
rm $link
say "disk-names: necessary and enough for a persistent name, and no more"

# is_asked [DROP-IN]: whether a batch pod of another user gets SIGTERM before it is ended for memory.
is_asked() {
  rm -f /run/probe/asked /etc/systemd/system/evenkeel.service.d/right.conf
  [ $# -eq 0 ] || cp "systemd/drop-ins/$1.conf" /etc/systemd/system/evenkeel.service.d/right.conf
  systemctl daemon-reload
  systemd-run --quiet --scope --slice=$pod --unit=cri-containerd-c.scope --uid=nobody \
    sh -c 'trap "echo asked >/run/probe/asked; exit" TERM; while :; do sleep 0.2; done' &
  within 60 "the container runs" [ -d $besteffort/$pod/cri-containerd-c.scope ]
  systemctl start evenkeel.service
  within 120 "the pod is ended" [ ! -d $besteffort/$pod/cri-containerd-c.scope ]
  systemctl stop evenkeel.service
  [ -e /run/probe/asked ]
}
chmod 777 /run/probe
install -D -m 644 /dev/stdin /etc/evenkeel/nodeslo.yaml <<'YAML'
resourceUsedThresholdWithBE: {enable: true, memoryEvictThresholdPercent: 1, memoryEvictLowerPercent: 0, cpuSuppressThresholdPercent: 100}
extensions: {evenkeel: {featureGates: {BEMemoryEvict: true}, killWithoutApi: true}}
YAML
cat >/etc/evenkeel/pods.yaml <<'YAML'
items:
- metadata: {uid: 11111111-2222-3333-4444-555555555555, namespace: batch, name: job, labels: {koordinator.sh/qosClass: BE}}
  spec: {terminationGracePeriodSeconds: 2, containers: [{name: a}]}
  status: {phase: Running, qosClass: BestEffort, containerStatuses: [{name: a, containerID: 'containerd://c', state: {running: {}}}]}
YAML
mkdir -p /etc/systemd/system/evenkeel.service.d
printf '[Service]\nEnvironment=EVENKEEL_PODS=file:/etc/evenkeel/pods.yaml\nStandardOutput=append:/run/evenkeel.log\nStandardError=inherit\n' \
  >/etc/systemd/system/evenkeel.service.d/pods.conf
systemctl daemon-reload
! is_asked || fail "a pod of another user is asked to end without the drop-in kill-without-api, which is of no use then"
is_asked kill-without-api || fail "a pod of another user is not asked to end with the drop-in kill-without-api"
say "kill-without-api: necessary and enough to ask a pod of another user to end"

# For the cases that come after this one.
rm -rf $unit $unit.d
remove_unit
ip netns del far
