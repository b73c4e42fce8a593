"""The pods of a node as a kubelet lists them, for what the agent cannot know from cgroups: names, requests, limits."""

import re

MIB = 1 << 20


def pod_list(node, name="service", labels=(), service_memory=0, batch_memory=0):
    """`service_memory`: what the service requests, in bytes; `batch_memory`: the limit of each batch pod. 0: none."""
    requests = {"requests": {"memory": str(service_memory)}} if service_memory else {}
    lent = {"kubernetes.io/batch-memory": str(batch_memory)}
    limits = {"requests": lent, "limits": lent} if batch_memory else {}
    batch = [pod(leaf, f"batch-{i}", {"koordinator.sh/qosClass": "BE"}, "BestEffort", limits) for i, leaf in enumerate(node.batch)]
    return {"kind": "PodList", "items": [pod(node.SERVICE, name, dict(labels), "Burstable", requests)] + batch}


def pod(leaf, name, labels, kube, resources):
    uid = re.search(r"/pod([0-9a-f-]{36})/", leaf).group(1)
    return {"metadata": {"uid": uid, "namespace": "shop", "name": name, "labels": labels},
            "spec": {"containers": [{"name": "main", "resources": resources}]},
            "status": {"phase": "Running", "qosClass": kube,
                       "containerStatuses": [{"name": "main", "containerID": "containerd://" + leaf.rsplit("/", 1)[1],
                                              "state": {"running": {}}}]}}
