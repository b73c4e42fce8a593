# Creates the agent's namespace, service account and rights exactly as deploy/ grants them, and writes its
# token to a file for an agent that runs as a process on the host. Sourced by tests/kube/up.

token_secret() { kubectl -n evenkeel get serviceaccount evenkeel -o jsonpath='{.secrets[0].name}' | grep .; }

make_identity() {
  local deploy=$KUBE_ROOT/deploy/kustomize/base
  within 60 "the default service account exists" kubectl get serviceaccount default
  kubectl apply -f "$deploy/namespace.yaml" -f "$deploy/rights.yaml" >/dev/null
  within 60 "the agent has a token" token_secret
  (umask 077 && kubectl -n evenkeel get secret "$(token_secret)" -o jsonpath='{.data.token}' | base64 -d >"$KUBE_RUN/token")
}
