"""Endpoints of a kubelet and of an API server that answer, fail, are silent, or send nonsense."""

import collections
import http.server
import json
import os
import random
import re
import ssl
import subprocess
import sys
import threading
import time

NODE = "here"  # the name of the node
METRICS = "/apis/slo.koordinator.sh/v1alpha1/nodemetrics"


class Threads(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        """A client that goes away is nothing to tell."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


class Server:
    """On 127.0.0.1 with TLS. A kind of server overrides `body`."""

    MOODS = ["answers"] * 6 + ["error", "nonsense", "cut", "slow", "endless", "refused"]

    def __init__(self, directory):
        """Its certificate and the token for it are written into the directory, which is made."""
        os.makedirs(directory, exist_ok=True)
        self.certificate, self.token = f"{directory}/server.crt", f"{directory}/token"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "30",
                        "-keyout", f"{directory}/server.key", "-out", self.certificate, "-subj", "/CN=server",
                        "-addext", "subjectAltName=IP:127.0.0.1"], check=True, capture_output=True)
        with open(self.token, "w") as file:
            file.write("token")
        self.mood = "answers"
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):  # noqa: N802
                try:
                    outer.serve(self)
                except OSError:
                    pass

            def do_POST(self):  # noqa: N802
                try:
                    outer.take(self, self.rfile.read(int(self.headers.get("Content-Length", 0))))
                except OSError:
                    pass

            do_PATCH = do_POST  # noqa: N815

            def log_message(self, *arguments):
                pass

        self.server = Threads(("127.0.0.1", 0), Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate, f"{directory}/server.key")
        # The handshake is made by the thread of the connection, so that a client that does not shake hands blocks nobody else.
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True, do_handshake_on_connect=False)
        self.url = f"https://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def misbehave(self):
        self.mood = random.choice(self.MOODS)

    def serve(self, request):
        mood = self.mood
        if mood == "refused":
            return request.send_error(401)
        if mood == "error":
            return request.send_error(503)
        if mood == "slow":
            time.sleep(3)
        body = self.body(request.path)
        if body is None:
            return request.send_error(404)
        body = body.encode("utf-8", "surrogateescape")
        if mood == "nonsense":
            body = bytes(random.randrange(256) for _ in range(2000))
        request.send_response(200)
        request.send_header("Content-Type", "application/json")
        if mood == "endless":
            request.end_headers()
            for _ in range(400):
                request.wfile.write(b"x" * 65536)
            return None
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body[:len(body) // 2] if mood == "cut" else body)
        return None

    def body(self, path):
        """What it answers to this request; None: there is no such page."""
        raise NotImplementedError

    def take(self, request, body):
        """Answers to what a client sends."""
        request.send_error(405)

    def kubeconfig(self, server=None):
        """For clients of this server, or of another one with the same certificate and token."""
        return json.dumps({
            "current-context": "c", "contexts": [{"name": "c", "context": {"cluster": "k", "user": "u"}}],
            "clusters": [{"name": "k", "cluster": {"server": server or self.url, "certificate-authority": self.certificate}}],
            "users": [{"name": "u", "user": {"tokenFile": self.token}}]})

    def close(self):
        self.server.shutdown()


class Kubelet(Server):
    answer = '{"items":[]}'

    def body(self, path):
        return self.answer


class ApiServer(Server):
    """Has the node's NodeSLO object, which is listed and watched, and the Node; takes evictions."""

    WATCH_SECONDS = 8  # the agent trusts a watch after 5 s
    FORBIDDEN_SHARE = 0.3  # of the evictions, by a disruption budget

    def __init__(self, directory):
        super().__init__(directory)
        self.now = (1, None)  # version and spec of the object; None: there is no object
        self.evicted = []  # names of the pods that are to go
        self.evictions = collections.Counter()  # by how they were answered

    def configure(self, spec):
        self.now = (self.now[0] + 1, spec)

    def serve(self, request):
        if "watch=true" in request.path and self.mood == "answers":
            return self.watched(request)
        return super().serve(request)

    def take(self, request, body):
        """An eviction, which a disruption budget may forbid."""
        pod = re.fullmatch(r"/api/v1/namespaces/[^/]+/pods/([^/]+)/eviction", request.path)
        status = 404 if not pod else 503 if self.mood != "answers" else 429 if random.random() < self.FORBIDDEN_SHARE else 201
        self.evictions[str(status)] += 1  # as text, as a file of JSON has it
        if status != 201:
            return request.send_error(status)
        self.evicted.append(pod[1])
        request.send_response(status)
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body)
        return None

    def body(self, path):
        if path == "/api/v1":
            return json.dumps({"resources": [{"name": "pods/eviction", "group": "policy", "version": "v1", "kind": "Eviction"}]})
        if path.startswith("/api/v1/nodes/"):
            amounts = {"cpu": str(os.cpu_count()), "memory": "4Gi"}
            return json.dumps({"kind": "Node", "metadata": {"name": NODE}, "status": {"capacity": amounts, "allocatable": amounts}})
        if not path.startswith("/apis/slo.koordinator.sh/v1alpha1/nodeslos"):
            return None
        version, spec = self.now
        return json.dumps({"kind": "NodeSLOList", "metadata": {"resourceVersion": str(version)},
                           "items": [] if spec is None else [self.object(version, spec)]})

    def watched(self, request):
        """One event at most, then the watch ends."""
        request.send_response(200)
        request.send_header("Content-Type", "application/json")
        request.end_headers()
        asked = re.search(r"resourceVersion=(\d+)", request.path)
        until = time.monotonic() + self.WATCH_SECONDS
        while asked and int(asked[1]) == self.now[0] and time.monotonic() < until:
            time.sleep(0.1)
        version, spec = self.now
        if asked and int(asked[1]) != version:
            event = {"type": "DELETED" if spec is None else "MODIFIED", "object": self.object(version, spec or {})}
            request.wfile.write((json.dumps(event) + "\n").encode())

    @staticmethod
    def object(version, spec):
        return {"apiVersion": "slo.koordinator.sh/v1alpha1", "kind": "NodeSLO",
                "metadata": {"name": NODE, "resourceVersion": str(version)}, "spec": spec}


def merge(into, patch):
    """A JSON merge patch. Of lists the API server would merge some; the agent's are never half of one."""
    for key, value in patch.items():
        if value is None:
            into.pop(key, None)
        elif isinstance(value, dict):
            merge(into.setdefault(key, {}), value)
        else:
            into[key] = value
    return into


class Keeper(ApiServer):
    """Keeps what it is told of the Node, and counts what it has done."""

    FORBIDDEN_SHARE = 0

    def __init__(self, directory):
        super().__init__(directory)
        self.kept, self.done = {}, collections.Counter()

    def start_again(self, spec):
        node = json.loads(super().body(f"/api/v1/nodes/{NODE}"))
        node["metadata"]["uid"] = "00000000-0000-4000-8000-000000000000"
        self.kept = {f"/api/v1/nodes/{NODE}": node,
                     f"{METRICS}/{NODE}": {"metadata": {"name": NODE}, "spec": {}}}
        self.done.clear()
        self.configure(spec)

    def body(self, path):
        kept = self.kept.get(path.split("?")[0])
        return json.dumps(kept) if kept else super().body(path)

    def watched(self, request):
        self.done["watch"] += 1
        return super().watched(request)

    def take(self, request, body):
        path = request.path.split("?")[0].removesuffix("/status")
        if path.endswith("/eviction"):
            self.done["eviction"] += 1
            return super().take(request, body)
        try:
            told = json.loads(body)
        except ValueError:  # cut off
            return request.send_error(400)
        if request.command == "POST":
            self.done["event"] += 1
            return self.answer(request, 201, told)
        self.done["nodemetric" if path.startswith(METRICS) else "node"] += 1
        return self.answer(request, 200, merge(self.kept[path], told))

    @staticmethod
    def answer(request, status, value):
        body = json.dumps(value).encode()
        request.send_response(status)
        request.send_header("Content-Type", "application/json")
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body)
