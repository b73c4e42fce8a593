# The overlays of deploy/kustomize that ask for another capability, namespace, mount or profile, one after the other: the
# agent's container starts with it on this node's runtime and has what it is for, which it does not have in the base.
# Not resctrl, which needs a mounted /sys/fs/resctrl.
. tests/kube/case.sh

in_agent() { kubectl -n evenkeel exec "$(agent_pod '{.items[0].metadata.name}')" -- "$@"; }
agent_process() { pgrep -n -f 'evenkeel run --report'; }
usable() { in_agent evenkeel capabilities | says "^$1  *works"; }
sees() { says " $1 " <"/proc/$(agent_process)/mountinfo"; }
may() { [ $((0x$(sed -n 's/^CapEff:\t//p' "/proc/$(agent_process)/status") >> $1 & 1)) -eq 1 ]; }
may_write() { in_agent evenkeel capabilities >/dev/null && ! says " $1 ro," <"/proc/$(agent_process)/mountinfo"; }
# Whether the agent's container has a seccomp profile, and not the runtime's, which lets every container lock memory.
has_own_profile() {
  local id container
  id=$(agent_pod '{.items[0].status.containerStatuses[0].containerID}')
  container=$(ctr containers info "${id##*://}") || return
  says '"seccomp"' <<<"$container" && ! says '"mlock"' <<<"$container"
}

# overlay NAME WHAT TEST...: the test fails in the base and succeeds with the overlay.
overlay() {
  local name=$1 what=$2
  shift 2
  deploy
  ! "$@" || fail "$what: also without the overlay $name"
  kubectl -n evenkeel patch daemonset evenkeel --type json -p "$(cat "deploy/kustomize/$name/daemonset.yaml")" >/dev/null
  soon 90 "the overlay $name: $what" "$@"
  soon 30 "the agent is ready with the overlay $name" deployed
  say "$name: $what"
  uninstall >/dev/null
}
overlay name-writers "processes behind foreign writes have names" usable fanotify
overlay network "CAP_NET_ADMIN" may 12
overlay core-sched "CAP_SYS_PTRACE" may 19
overlay request-size "CAP_SYS_NICE" may 23
# That its programs load is no question of rights here: the runtime's seccomp profile allows bpf(2) only from containerd 1.7 on.
overlay run-queue "CAP_BPF" may 39
overlay oom-score-adj "the processes of other containers can be reached" usable oom-score-adj
overlay pod-volumes "the kubelet's directory" sees /var/lib/kubelet
if [ -d /dev/disk ]; then
  overlay disk-names "the names of disks" sees /dev/disk
else
  say "disk-names: not tried, for this machine has no names of disks"
fi
overlay node-topology "the state of the kubelet's CPU manager" sees /var/lib/kubelet
# Where the kubelet looks (cluster/mounts.sh).
install -D -m 644 deploy/seccomp/evenkeel.json "$KUBE_RUN/node/lib/kubelet/seccomp/evenkeel.json"
overlay seccomp "a seccomp profile of its own" has_own_profile
overlay system-settings "/proc/sys is writable" may_write /proc/sys
