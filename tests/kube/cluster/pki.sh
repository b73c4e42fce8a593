# Creates one CA, a certificate for each server and client, and a token for the administrator. Sourced by
# tests/kube/up.

# certificate NAME SUBJECT USAGE [ALTERNATIVE-NAMES]
certificate() {
  local name=$1 subject=$2 usage=$3 names=${4:-}
  {
    printf 'basicConstraints=CA:FALSE\nkeyUsage=digitalSignature,keyEncipherment\nextendedKeyUsage=%s\n' "$usage"
    [ -z "$names" ] || printf 'subjectAltName=%s\n' "$names"
  } >"$name.ext"
  openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$name.key" -out "$name.csr" -subj "$subject"
  openssl x509 -req -in "$name.csr" -CA ca.crt -CAkey ca.key -CAcreateserial -out "$name.crt" -days 30 -extfile "$name.ext"
  rm "$name.csr" "$name.ext"
}

kubeconfig() {
  cat >"../$1.kubeconfig" <<YAML
apiVersion: v1
kind: Config
clusters: [{name: test, cluster: {server: "https://127.0.0.1:6443", certificate-authority: $PWD/ca.crt}}]
users: [{name: test, user: {client-certificate: $PWD/$1.crt, client-key: $PWD/$1.key}}]
contexts: [{name: test, context: {cluster: test, user: test}}]
current-context: test
YAML
}

make_certificates() {
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout ca.key -out ca.crt -days 30 \
    -subj /CN=evenkeel-test -addext keyUsage=critical,keyCertSign,digitalSignature
  certificate apiserver /CN=kube-apiserver serverAuth "IP:127.0.0.1,IP:10.0.0.1,DNS:localhost,DNS:kubernetes.default.svc"
  certificate kubelet-server /CN=kubelet-server serverAuth "IP:127.0.0.1,DNS:localhost"
  certificate kubelet-client /O=system:masters/CN=apiserver-to-kubelet clientAuth
  certificate kubelet "/O=system:nodes/CN=system:node:$KUBE_NODE" clientAuth
  certificate controllers /CN=system:kube-controller-manager clientAuth
  certificate scheduler /CN=system:kube-scheduler clientAuth
  certificate admin /O=system:masters/CN=admin clientAuth
  openssl genrsa -out sa.key 2048
  openssl rsa -in sa.key -pubout -out sa.pub
}

make_pki() {
  local name
  mkdir -p "$KUBE_RUN/pki"
  cd "$KUBE_RUN/pki"
  make_certificates >"$KUBE_RUN/log/pki.log" 2>&1
  for name in kubelet controllers scheduler admin; do kubeconfig $name; done
  cd "$KUBE_ROOT"
}
