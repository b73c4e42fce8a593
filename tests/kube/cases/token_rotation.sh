# The token is replaced as the kubelet does it (a new directory behind the same link) and the old one is
# revoked: no request fails. If it is revoked before the replacement, this is reported once, until the next
# token arrives.
. tests/kube/case.sh

account=/api/v1/namespaces/evenkeel/serviceaccounts/evenkeel/token
volume=$WORK/volume
KUBE_TOKEN_FILE=$volume/token
clean_up() { kubectl -n evenkeel delete secret --ignore-not-found first second third fourth >/dev/null 2>&1 || true; }

# token NAME: a token that is valid as long as the secret of that name exists.
token() {
  kubectl -n evenkeel create secret generic "$1" >/dev/null
  kubectl create --raw "$account" -f - <<JSON | grep -o '"token":"[^"]*"' | cut -d'"' -f4
{"apiVersion":"authentication.k8s.io/v1","kind":"TokenRequest",
 "spec":{"audiences":null,"expirationSeconds":3600,"boundObjectRef":{"apiVersion":"v1","kind":"Secret","name":"$1"}}}
JSON
}
put_token() {
  mkdir -p "$volume/..$1"
  printf '%s' "$2" >"$volume/..$1/token"
  ln -s "..$1" "$volume/..new"
  mv -T "$volume/..new" "$volume/..data"
  [ -e "$volume/token" ] || ln -s ..data/token "$volume/token"
}
with_token() { curl -s -o /dev/null -w '%{http_code}' --noproxy '*' --max-time 10 --cacert "$KUBE_CA" -H "Authorization: Bearer $1" "$2"; }
# Both servers cache a token for ten seconds.
refused() { [ "$(with_token "$1" "$KUBE_API/api/v1/nodes/$KUBE_NODE") $(with_token "$1" "$KUBE_KUBELET/pods")" = "401 401" ]; }
revoke() { kubectl -n evenkeel delete secret "$1" >/dev/null; }
answers() { metric "evenkeel_server_requests_total{server=\"$1\",status=\"200\"}"; }
more_answers() { metric_above "evenkeel_server_requests_total{server=\"$1\",status=\"200\"}" $(($2 + 2)); }
failures() { printf '%s %s\n' "$(metric 'evenkeel_input_failures_total{input="pods"}')" "$(metric 'evenkeel_input_failures_total{input="node"}')"; }
both_fail() { ! good pods && ! good node; }
# Waits for three more answers of each server.
goes_on() {
  local kubelet api
  kubelet=$(answers kubelet) api=$(answers api)
  soon 60 "the kubelet goes on answering $1" more_answers kubelet "$kubelet"
  soon 60 "the API server goes on answering $1" more_answers api "$api"
}

pods batch
configuration='extensions: {colocation: {enable: true}}'
printf '%s\n' "$configuration" >"$WORK/nodeslo.yaml"
old=$(token first)
[ -n "$old" ] || cannot "this API server makes no tokens"
put_token first "$old"
cluster_agent --pods-interval 1s --node-interval 1s
soon 30 "pods and Node are known" good pods node
lines=$(wc -l <"$WORK/agent.log")

before=first
for name in second third; do
  say "the token is replaced, the old one revoked: $name"
  put_token $name "$(token $name)"
  goes_on "after the replacement"
  revoke $before
  soon 60 "the old token is refused" refused "$old"
  goes_on "after the revocation"
  old=$(cat "$KUBE_TOKEN_FILE") before=$name
done
[ "$(failures)" = "0 0" ] || fail "requests have failed (pods, node): $(failures)"
! page metrics | grep 'evenkeel_server_requests_total.*status="401"' || fail "a token was refused"
[ "$(wc -l <"$WORK/agent.log")" -eq "$lines" ] || fail "there was something to say"

say "revoked before there is another one"
revoke third
soon 60 "both servers refuse it" both_fail
sleep 5
put_token fourth "$(token fourth)"
soon 60 "pods and Node are known again" good pods node
goes_on "with the new token"
tail -n +$((lines + 1)) "$WORK/agent.log"
for input in pods node; do
  said=$(tail -n +$((lines + 1)) "$WORK/agent.log" | grep -c "$input" || true)
  [ "$said" -le 4 ] || fail "$said lines about $input: the log does not keep to changes"
done
stop_agent
