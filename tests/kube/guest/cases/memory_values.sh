# A kubelet with MemoryQoS writes memory.min, memory.low and memory.high itself. Where it protects more, or throttles
# earlier, than memory-qos would, its value stays; where the agent asks for more, its own holds, `evenkeel explain` says what
# the kubelet's was, and the stop brings that back.
. tests/kube/guest/node.sh

# value NUMBER FILE: of the container that the kubelet gave a value; the sandbox has none.
value() { sort -n <(cat "$(cgroup_of "$1")"/cri-containerd-*.scope/"$2") | grep -v max | tail -1; }
has() { [ "$(value "$1" "$2")" = "$3" ]; }
stands() { has "$1" "$2" "$3" || fail "$2 of pod $1 is $(value "$1" "$2"), not $3"; }
configure() {
  cat >$NODE_LOG/nodeslo.yaml <<Y
resourceQOSStrategy: {lsClass: {memoryQOS: {enable: true, minLimitPercent: $1, lowLimitPercent: $2, throttlingPercent: $3, wmarkRatio: 0}}}
Y
}
MIB=$((1024 * 1024))
# The kubelet: request + 0.8 x (limit - request), in whole pages.
high=$(((64 * 10 + 8 * 64) * MIB / 10 / 4096 * 4096))

basic_pods
remember_settings
stands 1 memory.low $((64 * MIB))
stands 1 memory.high $high
stands 2 memory.min $((64 * MIB))

say "the agent asks for less: a quarter protected, throttled from 95 %"
configure 25 25 95
start_agent
soon 60 "the policy acts" has 1 memory.min $((16 * MIB))
sleep 5
stands 1 memory.low $((64 * MIB))
stands 1 memory.high $high
stands 2 memory.min $((64 * MIB))
explain default/service-guest >$NODE_LOG/explained
for kept in "memory.low stays $((64 * MIB)), memory-qos wants $((16 * MIB))" "memory.high stays $high, memory-qos wants "; do
  grep -q "$kept.*: its owner's own value goes further" $NODE_LOG/explained || fail "explain is silent: $kept"
done
[ "$(cat $PODS/memory.min)" -ge $((128 * MIB)) ] || fail "memory.min of all pods was lowered: $(cat $PODS/memory.min)"

say "the agent asks for more: 125 % protected, throttled from 50 %"
configure 50 125 50
systemctl kill --signal=HUP agent.service
soon 60 "what is protected is raised" has 1 memory.low $((80 * MIB))
soon 60 "it is throttled earlier" has 1 memory.high $((96 * MIB))
stands 2 memory.min $((64 * MIB))
explain default/service-guest >$NODE_LOG/explained
grep memory $NODE_LOG/explained
grep -q "memory.low is $((80 * MIB)), was $((64 * MIB)), by memory-qos" $NODE_LOG/explained || fail "the kubelet's memory.low is not named"
grep -q "memory.high is $((96 * MIB)), was $high, by memory-qos" $NODE_LOG/explained || fail "the kubelet's memory.high is not named"

stop_agent
check_settings
say "every value is the kubelet's"
