# Builds Kubernetes 1.37.2 from its Go module with the machine's Go. Sourced by tests/kube/build, in its work
# directory, which also gets Go's module cache.

fetch() {
  use_go 1.26 "Kubernetes $KUBE_VERSION"
  mkdir -p module && cp "$KUBE_VERSION_DIR/go.mod" module/
  export GOFLAGS=-mod=mod
  (cd module && go mod download k8s.io/kubernetes) || cannot "the Go module k8s.io/kubernetes cannot be downloaded"
}
prepare() {
  cd module
  VERSION_PACKAGES=k8s.io
  PAUSE_SOURCE=$(go list -m -f '{{.Dir}}' k8s.io/kubernetes)/build/pause/linux/pause.c
}
