# Tests the agent in a real cluster: starts Kubernetes from Debian's packages (tests/kube/build), runs every
# case of tests/kube/cases, and stops it. Also builds the image that its pods run.

build_image() {
  local first second size
  deploy/image/build || return
  first=$(sha256sum <build/image/evenkeel.tar)
  deploy/image/build && second=$(sha256sum <build/image/evenkeel.tar)
  [ "$first" = "$second" ] && passed || failed "two calls, two archives"
  size=$(stat -c %s build/image/evenkeel.tar)
  [ "$size" -le 10000000 ] && passed || failed "the image has $size bytes, 10 MB are the limit"
  build/image/root/usr/bin/evenkeel check deploy/kustomize/base/nodeslo.yaml >/dev/null && passed || failed "the program does not run"
}
step_image() {
  IMAGE_TRIED=yes
  run_step image "the image: one static program" build_image
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
step_kube() {
  need_release
  run_step kube-build "Kubernetes 1.20.2 from Debian's packages, once" or_skipped nice tests/kube/build || return
  [ $SKIPPED -eq 0 ] || return
  need_image
  run_step kube "a real cluster on this machine" cluster_cases
}
