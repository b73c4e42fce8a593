# Creates the agent's namespace, service account and rights exactly as deploy/ grants them, and writes its
# token to a file for an agent that runs as a process on the host. Sourced by tests/kube/up.

make_identity() {
  within 60 "the default service account exists" kubectl get serviceaccount default
  kubectl apply -f "$KUBE_ROOT/deploy/kustomize/base/namespace.yaml" >/dev/null
  grant_rights
  (umask 077 && token_of evenkeel >"$KUBE_RUN/token")
}
