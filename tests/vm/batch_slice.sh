# Functions that the cases under systemd share: creates a batch pod as the kubelet's systemd driver does, and
# reads its quota. Sourced.
besteffort=/sys/fs/cgroup/kubepods.slice/kubepods-besteffort.slice
pod=kubepods-besteffort-pod11111111_2222_3333_4444_555555555555.slice
# A service without requests in the same slice: beside it cpu.idle of the batch pod has an effect.
front=kubepods-besteffort-pod66666666_2222_3333_4444_555555555555.slice
front_in_list="
- metadata: {uid: 66666666-2222-3333-4444-555555555555, namespace: shop, name: front, labels: {koordinator.sh/qosClass: LS}}
  spec: {containers: [{name: a}]}
  status: {phase: Running, qosClass: BestEffort, containerStatuses: [{name: a, containerID: 'containerd://f', state: {running: {}}}]}"

say() { printf '%s\n' "$*"; }
fail() {
  say "$*"
  systemctl --no-pager status evenkeel.service || true
  tail -n 40 /run/evenkeel.log || true
  say "$*"
  exit 1
}
# Without another program, whose start takes as long as a tick in an emulated machine.
quota() { local value; read -r value _ <$besteffort/cpu.max && printf '%s\n' "$value"; }
is_bounded() { [ "$(quota)" != max ]; }
is_free() { [ "$(quota)" = max ]; }
is_active() { [ "$(systemctl show -P ActiveState evenkeel.service)" = active ]; }
# within SECONDS WHAT COMMAND...: waits until the command succeeds; fails after that time.
within() {
  local until=$((SECONDS + $1)) what=$2
  shift 2
  until "$@"; do
    [ $SECONDS -lt $until ] || fail "not in time: $what"
    sleep 0.2
  done
}

# As the package does: the unit does not start without its group.
make_group() { systemd-sysusers "$PWD/systemd/sysusers.conf" || fail "systemd-sysusers"; }
# install_unit: the program, the unit and its group.
install_unit() {
  install -D -m 755 build/release/evenkeel /usr/local/bin/evenkeel
  install -D -m 644 systemd/evenkeel.service /etc/systemd/system/evenkeel.service
  make_group
}

# remove_unit: the stopped unit, its drop-ins, its configuration and its state, for the script that comes next.
remove_unit() {
  rm -rf /etc/systemd/system/evenkeel.service{,.d} /etc/evenkeel /var/lib/evenkeel /run/evenkeel.log
  systemctl daemon-reload
}

# From Linux 6.6 on suppression sets no quota without request sizes, for which the unit needs a drop-in.
is_eevdf() { printf '6.6\n%s\n' "$(uname -r)" | sort -VC; }
have_containers() { [ -d $besteffort/$pod/cri-containerd-b.scope ] && [ -d $besteffort/$front/cri-containerd-f.scope ]; }
# start_batch: starts the pod without a limit; the agent's log will be in /run/evenkeel.log.
start_batch() {
  local slice
  install -D -m 644 /dev/stdin /etc/systemd/system/evenkeel.service.d/log.conf <<'UNIT'
[Service]
StandardOutput=append:/run/evenkeel.log
StandardError=inherit
UNIT
  ! is_eevdf || install -m 644 -t /etc/systemd/system/evenkeel.service.d systemd/drop-ins/request-size.conf
  for slice in kubepods kubepods-besteffort ${pod%.slice} ${front%.slice}; do
    printf '[Slice]\nCPUWeight=1\n' >/etc/systemd/system/$slice.slice
  done
  systemctl daemon-reload
  systemd-run --quiet --scope --slice=$pod --unit=cri-containerd-b.scope sleep infinity &
  systemd-run --quiet --scope --slice=$front --unit=cri-containerd-f.scope sleep infinity &
  within 60 "both containers run" have_containers
  is_free || fail "the quota was bounded before the agent ran: $(cat $besteffort/cpu.max)"
}
