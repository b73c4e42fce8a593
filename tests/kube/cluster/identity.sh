# Creates the agent's namespace, service account and rights exactly as deploy/ grants them, and writes its
# token to a file for an agent that runs as a process on the host. Sourced by tests/kube/up.

token_secret() { kubectl -n evenkeel get serviceaccount evenkeel -o jsonpath='{.secrets[0].name}' | grep .; }

make_identity() {
  within 60 "the default service account exists" kubectl get serviceaccount default
  kubectl apply -f "$KUBE_ROOT/deploy/kustomize/base/namespace.yaml" >/dev/null
  grant_rights
  within 60 "the agent has a token" token_secret
  (umask 077 && kubectl -n evenkeel get secret "$(token_secret)" -o jsonpath='{.data.token}' | base64 -d >"$KUBE_RUN/token")
}
