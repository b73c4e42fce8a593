# Builds Kubernetes 1.37.2 from its Go module with the machine's Go. Sourced by tests/kube/build, in its work
# directory, which also gets Go's module cache.

fetch() {
  local go
  PATH+=:/usr/local/go/bin # where Go is put by its own instructions, and sudo does not look
  command -v go >/dev/null || cannot "Kubernetes $KUBE_VERSION needs Go 1.26 or later, and no Go is installed"
  go=$(GOTOOLCHAIN=local go env GOVERSION)
  printf 'go1.26\n%s\n' "$go" | sort -CV || cannot "Kubernetes $KUBE_VERSION needs Go 1.26 or later, not $go"
  mkdir -p module && cp "$KUBE_VERSION_DIR/go.mod" module/
  use_module
  (cd module && go mod download k8s.io/kubernetes) || cannot "the Go module k8s.io/kubernetes cannot be downloaded"
}
use_module() {
  export GOPATH=$PWD/path GOCACHE=$PWD/cache GOFLAGS=-mod=mod GOTOOLCHAIN=local CGO_ENABLED=0
}
prepare() {
  cd module
  VERSION_PACKAGES=k8s.io
  PAUSE_SOURCE=$(go list -m -f '{{.Dir}}' k8s.io/kubernetes)/build/pause/linux/pause.c
}
