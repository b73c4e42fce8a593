# The node's CPUs, their pools and its NUMA nodes in its NodeResourceTopology: the agent reports what is missing until the
# permission and the resource exist, creates the object, keeps it up to date, and leaves what others write in it.
. tests/kube/case.sh

with_the_nodes_files

# annotation NAME: of the domain node.koordinator.sh unless it has another.
annotation() {
  local name=$1
  [[ $name == */* ]] || name=node.koordinator.sh/$name
  topology "{.metadata.annotations.${name//./\\.}}"
}
amount() { topology "{.zones[?(@.name==\"$1\")].resources[?(@.name==\"$2\")].$3}"; }
said() { says "event=topology-not-reported.*$1" <"$WORK/agent.log"; }
without_cpu_zero() { ! annotation cpu-shared-pools | says "\"cpuset\":\"0[,\"-]"; }
reported() { page readyz | says "^node-topology: last report "; }
lends() { [ "$(amount node-0 kubernetes.io/batch-cpu allocatable)" -gt 0 ]; } 2>/dev/null
node_annotation() { kubectl annotate node "$KUBE_NODE" --overwrite "node.koordinator.sh/$1" >/dev/null; }
clean_up() {
  kubectl annotate node "$KUBE_NODE" node.koordinator.sh/reservation- >/dev/null 2>&1
  kubectl delete -f tests/kube/crds/noderesourcetopologies.yaml --ignore-not-found >/dev/null
  grant_rights
}

cat >"$WORK/nodeslo.yaml" <<YAML
extensions: {colocation: {enable: true, cpuReclaimThresholdPercent: 200, memoryReclaimThresholdPercent: 200}}
YAML

say "what is missing is said"
cluster_agent --node-interval 1s --node-topology
soon 60 "the log says that the right is missing" said "403 .*cannot patch"
kubectl patch clusterrole evenkeel --type json --patch "$(cat deploy/kustomize/node-topology/rights.yaml)" >/dev/null
soon 60 "the log says that the resource is missing" said "the cluster has no NodeResourceTopology resource"
kubectl apply -f tests/kube/crds/noderesourcetopologies.yaml >/dev/null
kubectl wait --for=condition=Established --timeout=30s crd/noderesourcetopologies.topology.node.k8s.io >/dev/null

say "the object"
soon 60 "the object is there" topology_exists
owner=$(topology '{.metadata.ownerReferences[0].kind} {.metadata.ownerReferences[0].uid}')
[ "$owner" = "Node $(kubectl get node "$KUBE_NODE" -o jsonpath='{.metadata.uid}')" ] || fail "the owner: $owner"
ids=$(annotation cpu-topology | grep -o '"id":' | wc -l)
[ "$ids" = "$(grep -c ^processor /proc/cpuinfo)" ] || fail "$ids CPUs: $(annotation cpu-topology)"
annotation kubelet.koordinator.sh/cpu-manager-policy | says '{"policy":"none"}' || fail "the kubelet's policy is not said"
[ "$(annotation pod-cpu-allocs)" = "[]" ] || fail "allocations: $(annotation pod-cpu-allocs)"
[ "$(topology '{.topologyPolicies}')" = '["None"]' ] || fail "policies: $(topology '{.topologyPolicies}')"
[ "$(amount node-0 cpu capacity)" -ge 1 ] || fail "node-0 has no CPU"
[ "$(amount node-0 memory available)" -ge 1000000 ] || fail "node-0 has no memory"
for size in 1Gi:1048576 2Mi:2048; do
  kib=${size#*:}
  pages=$(cat "/sys/devices/system/node/node0/hugepages/hugepages-${kib}kB/nr_hugepages" 2>/dev/null || echo 0)
  [ "$(amount node-0 "hugepages-${size%:*}" capacity)" = $((pages * kib * 1024)) ] || fail "huge pages of ${size%:*}"
done
annotation cpu-basic-info | says "\"cpuModel\":\"$(sed -n 's/^model name\s*: //p' /proc/cpuinfo | head -1)\"" ||
  fail "the CPU's model: $(annotation cpu-basic-info)"
soon 30 "readyz knows of the reports" reported
soon 120 "node-0 lends CPU" lends

say "it follows the node"
before=$(topology '{.metadata.resourceVersion}')
node_annotation 'reservation={"reservedCPUs":"0"}'
soon 120 "CPU 0 is in no pool" without_cpu_zero
[ "$(annotation reservation)" = '{"reservedCPUs":"0"}' ] || fail "the reservation: $(annotation reservation)"
[ "$before" != "$(topology '{.metadata.resourceVersion}')" ] || fail "the version has not changed"

node_annotation 'reservation={"resources":{"cpu":"1"}}'
reserves_one() { [ "$(annotation reservation)" = '{"reservedCPUs":"0"}' ] && without_cpu_zero; }
soon 120 "one CPU, by its amount, is the first" reserves_one

say "what others write"
kubectl patch "$TOPOLOGIES" "$KUBE_NODE" --type json --patch '[
  {"op": "add", "path": "/metadata/labels/team", "value": "blue"},
  {"op": "add", "path": "/zones/-", "value": {"name": "card", "type": "GPU"}},
  {"op": "add", "path": "/zones/0/resources/-", "value": {"name": "example.com/gpu", "capacity": "1", "allocatable": "1", "available": "1"}}
]' >/dev/null
kubectl annotate node "$KUBE_NODE" node.koordinator.sh/reservation- >/dev/null
unreserved() { [ -z "$(annotation reservation)" ]; }
soon 120 "the reservation is over" unreserved
[ "$(topology '{.metadata.labels.team} {.zones[?(@.name=="card")].type}') $(amount node-0 example.com/gpu capacity)" = "blue GPU 1" ] ||
  fail "others' members are gone: $(topology '{.metadata.labels} {.zones}')"

say "a deleted object comes back"
kubectl delete "$TOPOLOGIES" "$KUBE_NODE" >/dev/null
node_annotation 'reservation={"reservedCPUs":"0"}' # which it is patched for
soon 120 "the object is there again" topology_exists

say "not granted"
code=$(ask -o /dev/null -w '%{http_code}' "$KUBE_API/apis/topology.node.k8s.io/v1alpha1/noderesourcetopologies/$KUBE_NODE")
[ "$code" = 403 ] || fail "reading the object: $code"
code=$(ask -o /dev/null -w '%{http_code}' -X DELETE "$KUBE_API/apis/topology.node.k8s.io/v1alpha1/noderesourcetopologies/$KUBE_NODE")
[ "$code" = 403 ] || fail "deleting the object: $code"
stop_agent
topology_exists || fail "the object went with the agent"
