# Tests the agent in a real cluster: starts Kubernetes (tests/kube/build), runs every
# case of tests/kube/cases, and stops it. Also builds the static program, the image that its pods run and the package. And
# on a kubelet with the systemd driver, in a guest: tests/kube/guest.

build_image() {
  local first second size
  deploy/image/build || return
  first=$(sha256sum <build/image/evenkeel.tar)
  deploy/image/build && second=$(sha256sum <build/image/evenkeel.tar)
  [ "$first" = "$second" ] && passed || failed "two calls, two archives"
  size=$(stat -c %s build/image/evenkeel.tar)
  [ "$size" -le 5000000 ] && passed || failed "the image has $size bytes, 5 MB are the limit"
  build/image/root/usr/bin/evenkeel check deploy/kustomize/base/nodeslo.yaml >/dev/null && passed || failed "the program does not run"
  bash tests/checks/package.sh static && passed || failed "the package with the static program"
  EVENKEEL_BINARY=build/static/evenkeel build/release/tests/agent_tests --gtest_filter='LiveResident.*' >build/logs/resident.out
  [ $? -le 1 ] || failed "LiveResident ended with a signal, or is missing"
  gtest_results <build/logs/resident.out >build/logs/resident.results
  count_results build/logs/resident.results
}
step_image() {
  IMAGE_TRIED=yes
  need_release
  run_step image "the static program, its image and package" build_image
}
need_image() { [ "${IMAGE_TRIED:-}" ] || step_image; }

cluster_cases() {
  or_skipped tests/kube/up
  case $? in
    0) run_scripts tests/kube/cases/*.sh && tests/kube/down ;;
    77) ;;
    *) failed "the cluster did not come up" ;;
  esac
}
# cluster_steps NAME VERSION SOURCE
cluster_steps() {
  local -x EVENKEEL_KUBE_VERSION=$2
  run_step "$1-build" "Kubernetes $2 from $3, once" or_skipped nice tests/kube/build || return
  [ $SKIPPED -eq 0 ] || return
  need_release
  need_image
  run_step "$1" "a real cluster on this machine: Kubernetes $2" cluster_cases
}
step_kube() { cluster_steps kube 1.20.2 "Debian's packages"; }
births_on_v2() {
  local -x EVENKEEL_KUBE_VERSION=1.37.2
  or_skipped tests/kube/on-v2 bash -c 'tests/kube/up && bash tests/kube/cases/births.sh; status=$?; tests/kube/down; exit $status'
  case $? in 0) passed ;; 77) ;; *) failed "births on cgroup v2" ;; esac
}
step_kube-current() {
  EVENKEEL_KUBE_VERSION=1.37.2 run_step kube-current-koordinator "Koordinator from its Go module, once" or_skipped nice tests/kube/koordinator/build
  cluster_steps kube-current 1.37.2 "its Go module" || return
  run_step kube-current-v2 "births where the same kubelet has cgroup v2, on this machine" births_on_v2
}

# Emulated: some pods a minute, and a quarter of an hour for the values that are renewed each minute.
step_kubelet-v2() {
  local -x EVENKEEL_KUBE_VERSION=1.37.2 VM_MEMORY=${VM_MEMORY:-4096} VM_SECONDS=${VM_SECONDS:-7200}
  local -x VM_SILENT_SECONDS=${VM_SILENT_SECONDS:-3660} GUEST=tests/kube/guest/run
  run_step kubelet-v2-build "Kubernetes $EVENKEEL_KUBE_VERSION from its Go module, once" or_skipped nice tests/kube/build || return
  [ $SKIPPED -eq 0 ] || return
  need_release
  run_step kubelet-v2-images "the images of its pods" tests/kube/images || return
  run_step kubelet-v2-vm "a guest: QEMU, Debian's kernel" prepare_guest || return
  [ $SKIPPED -eq 0 ] || return
  run_step kubelet-v2 "a kubelet with the systemd driver in the guest" kubelet_in_guest
}
kubelet_in_guest() {
  run_guest kubelet-v2 --systemd env EVENKEEL_KUBE_VERSION="$EVENKEEL_KUBE_VERSION" EVENKEEL_KUBE_DIR="${EVENKEEL_KUBE_DIR:-$ROOT/build/kube}" \
    KUBE_GUEST_BIRTHS="${KUBE_GUEST_BIRTHS:-100}" KUBE_RESET_MINUTES="${KUBE_RESET_MINUTES:-10}"
  guest_ended kubelet-v2 $?
  count_results build/logs/kubelet-v2.results
}
