"""A kubelet and an API server as a process of their own: serve_alone.py DIRECTORY NODESLO POD_LIST (JSON files).

Writes into the directory: `environment`, the agent's variables for a systemd unit, when both serve; then, as often as they
change, `done`, what the agent has asked the API server for, and `evicted`, the pods of the evictions that it granted, one
per line. The pods themselves are left as they are."""

import json
import os
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from servers import NODE, Keeper, Kubelet  # noqa: E402


def main():
    directory, nodeslo, pods = sys.argv[1:]
    kubelet, api = Kubelet(f"{directory}/kubelet"), Keeper(f"{directory}/api")
    with open(pods) as file:
        kubelet.answer = file.read()
    with open(nodeslo) as file:
        api.start_again(json.load(file))

    def write(name, text):
        with open(f"{directory}/{name}.new", "w") as file:
            file.write(text)
        os.rename(f"{directory}/{name}.new", f"{directory}/{name}")

    write("kubeconfig", api.kubeconfig())
    variables = {"PODS": "kubelet", "PODS_INTERVAL": "1s", "KUBELET_URL": kubelet.url, "KUBELET_CA": kubelet.certificate,
                 "KUBELET_TOKEN_FILE": kubelet.token, "KUBECONFIG": f"{directory}/kubeconfig", "NODESLO_SOURCE": "api",
                 "NODE_NAME": NODE, "NODE_INTERVAL": "1s", "REPORT": "node-status", "NODE_METRIC": "true", "EVENTS": "true"}
    write("environment", "".join(f"EVENKEEL_{name}={value}\n" for name, value in variables.items()))
    before = None
    while True:
        now = (sorted(api.done), list(api.evicted))
        if now != before:
            write("done", "".join(f"{word}\n" for word in now[0]))
            write("evicted", "".join(f"{name}\n" for name in now[1]))
        before = now
        time.sleep(0.2)


if __name__ == "__main__":
    main()
