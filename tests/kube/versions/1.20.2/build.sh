# Builds Kubernetes 1.20.2 from Debian's source package with Debian's Go 1.19. Sourced by tests/kube/build, in
# its work directory.
. "$KUBE_ROOT/deploy/debian_source.sh"
TOOLS=(golang-1.19-go golang-1.19-src golang-github-modern-go-reflect2-dev)

fetch_source() {
  debian_source "$PWD" kubernetes || return
  ls kubernetes_*really$KUBE_VERSION*.orig.tar.* >/dev/null || cannot "Debian's kubernetes is not $KUBE_VERSION here"
  mkdir -p src.new && tar -C src.new --strip-components=1 -xf kubernetes_*.orig.tar.* && mv src.new src
}

# The one generated file that the tarball lacks; the report of its rule violations is checked in, so the input
# is known to be good.
generate_openapi() {
  local generator=$work/openapi-gen packages
  go build -o "$generator" k8s.io/kubernetes/vendor/k8s.io/kube-openapi/cmd/openapi-gen
  packages=$({ find pkg cmd plugin -name '*.go'; find -L vendor/k8s.io -maxdepth 12 -name '*.go'; } |
    grep -vE '^vendor/k8s.io/(code-generator|sample-apiserver)/' | xargs grep -lE '^// *\+k8s:openapi-gen=' |
    xargs -n1 dirname | LC_ALL=C sort -u | sed 's|^|k8s.io/kubernetes/|' | paste -sd,)
  "$generator" --logtostderr -i "$packages" -p k8s.io/kubernetes/pkg/generated/openapi -O zz_generated.openapi \
    -h vendor/k8s.io/code-generator/hack/boilerplate.go.txt -r "$work/violations" --output-base "$GOPATH/src"
  diff -q "$work/violations" api/api-rules/violation_exceptions.list
}

fetch() {
  [ -d src ] || fetch_source || cannot "the source package kubernetes cannot be downloaded"
  [ -d go ] || unpack go "${TOOLS[@]}" || cannot "Debian's Go 1.19 cannot be downloaded"
}
prepare() {
  work=$PWD
  # The vendored reflect2 1.0.1 links to a function of Go's runtime whose signature changed in Go 1.18; 1.0.2 does not.
  rm -f src/vendor/github.com/modern-go/reflect2/*.{go,s}
  cp go/usr/share/gocode/src/github.com/modern-go/reflect2/*.{go,s} src/vendor/github.com/modern-go/reflect2/
  # Go 1.19 refuses modules of that age ("updates to go.mod needed"), but accepts a GOPATH.
  mkdir -p path/src/k8s.io && ln -sfn "$PWD/src" path/src/k8s.io/kubernetes
  export GOROOT=$PWD/go/usr/lib/go-1.19 GOPATH=$PWD/path GOCACHE=$PWD/cache GOENV=off GOFLAGS='' GO111MODULE=off
  export GOPROXY=off GOSUMDB=off CGO_ENABLED=0 PATH=$GOROOT/bin:/usr/sbin:/usr/bin:/sbin:/bin
  cd "$GOPATH/src/k8s.io/kubernetes"
  [ -e pkg/generated/openapi/zz_generated.openapi.go ] || generate_openapi
  VERSION_PACKAGES=k8s.io/kubernetes/vendor/k8s.io
  PAUSE_SOURCE=$PWD/build/pause/linux/pause.c
}
