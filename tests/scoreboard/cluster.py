"""The cgroups of real pods, which a kubelet and a container runtime made: `scoreboard --cluster` puts service and batch work
into them, and the agent takes its pods from the kubelet. Needs a cluster that tests/kube/up started, and its environment."""

import json
import os
import subprocess
import tempfile

import services
from node import Node, is_v2, read, v1_roots

PODS = """
apiVersion: v1
kind: Pod
metadata: {name: %s, labels: {scoreboard: "yes"%s}}
spec:
  hostNetwork: true
  terminationGracePeriodSeconds: 1
  containers: [{name: main, image: "k8s.local/busybox:1.35", imagePullPolicy: Never, command: [sleep, infinity]%s}]
---
"""
BATCH = ', "koordinator.sh/qosClass": BE'
KUBECONFIG = """
current-context: agent
contexts: [{{name: agent, context: {{cluster: here, user: agent}}}}]
clusters: [{{name: here, cluster: {{server: "{KUBE_API}", certificate-authority: {KUBE_CA}}}}}]
users: [{{name: agent, user: {{tokenFile: {KUBE_TOKEN_FILE}}}}}]
"""


def kubectl(*arguments, text=None):
    return subprocess.run(["kubectl", *arguments], input=text, capture_output=True, text=True, check=True).stdout


def service_pod(service):
    """The name of the pod for it: those with a CPU limit have pods of their own."""
    return f"service-{service.quota_percent}" if service and service.quota_percent else "service"


def pods_text(batch):
    resources = {"service": ", resources: {requests: {cpu: %dm}}" % (500 * os.cpu_count())}
    for service in services.ALL:
        if service.quota_percent:
            resources[service_pod(service)] = ", resources: {requests: {cpu: 300m}, limits: {cpu: %dm}}" % (10 * service.quota_percent)
    return "".join(PODS % (name, "", each) for name, each in resources.items()) + "".join(PODS % (name, BATCH, "") for name in batch)


class Cluster:
    """The pods, until `close`."""

    def __init__(self, batch_pods=2):
        self.batch = [f"batch-{i}" for i in range(batch_pods)]
        kubectl("apply", "-f", "-", text=pods_text(self.batch))
        kubectl("wait", "--for=condition=Ready", "--timeout=90s", "pod", "-l", "scoreboard=yes")
        self.kubeconfig = tempfile.NamedTemporaryFile("w", suffix=".kubeconfig")
        self.kubeconfig.write(KUBECONFIG.format(**os.environ))
        self.kubeconfig.flush()

    def close(self):
        kubectl("delete", "pods", "-l", "scoreboard=yes", "--wait")

    def node(self, service=None):
        """`service`: that will run there."""
        return ClusterNode(self, service_pod(service))


class ClusterNode(Node):
    BESTEFFORT = "kubepods/besteffort"
    has_kubelet = True

    def __init__(self, cluster, service):
        if is_v2():
            raise RuntimeError("--cluster needs the v1 hierarchies")
        self.v2 = False
        self.roots = v1_roots(having="kubepods")
        leaves = [self.container(name) for name in [service] + cluster.batch]
        self.SERVICE, self.batch = leaves[0], leaves[1:]
        self.own = {leaf: set(self.processes(leaf)) for leaf in leaves}
        self.kubeconfig = cluster.kubeconfig.name

    def agent_arguments(self, _pods_file=None):
        """The kubelet lists the pods."""
        return ["--pods", "kubelet", "--kubelet-url", os.environ["KUBE_KUBELET"], "--kubelet-ca", os.environ["KUBE_CA"],
                "--kubeconfig", self.kubeconfig, "--node-name", os.environ["KUBE_NODE"]]

    @staticmethod
    def container(name):
        pod = json.loads(kubectl("get", "pod", name, "-o", "json"))
        qos = pod["status"]["qosClass"].lower()
        of_qos = "" if qos == "guaranteed" else f"/{qos}"
        return f"kubepods{of_qos}/pod{pod['metadata']['uid']}/" + pod["status"]["containerStatuses"][0]["containerID"].split("//")[1]

    def processes(self, leaf):
        return read(f"{self.roots['cpu']}/{leaf}/cgroup.procs").split()

    def kill(self, directory):
        self.kill_all(lambda: [pid for leaf in self.own if leaf.startswith(directory)
                               for pid in self.processes(leaf) if pid not in self.own[leaf]])

    def clear(self):
        """The pods stay as they are; only what was put into them ends."""
        self.kill("kubepods")
