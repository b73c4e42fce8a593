"""A kubelet's endpoint that answers, fails, is silent, or sends nonsense."""

import http.server
import random
import ssl
import subprocess
import threading
import time


class Kubelet:
    MOODS = ["answers"] * 6 + ["error", "nonsense", "cut", "slow", "endless", "refused"]

    def __init__(self, directory):
        """Its certificate and the token for it are written into the directory."""
        self.certificate, self.token = f"{directory}/kubelet.crt", f"{directory}/token"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "30",
                        "-keyout", f"{directory}/kubelet.key", "-out", self.certificate, "-subj", "/CN=kubelet",
                        "-addext", "subjectAltName=IP:127.0.0.1"], check=True, capture_output=True)
        with open(self.token, "w") as file:
            file.write("token")
        self.answer, self.mood = '{"items":[]}', "answers"
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):  # noqa: N802
                try:
                    outer.serve(self)
                except OSError:
                    pass

            def log_message(self, *arguments):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate, f"{directory}/kubelet.key")
        # The handshake is made by the thread of the connection, so that a client that does not shake hands blocks nobody else.
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True, do_handshake_on_connect=False)
        self.url = f"https://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def misbehave(self):
        self.mood = random.choice(self.MOODS)

    def serve(self, request):
        body, mood = self.answer.encode("utf-8", "surrogateescape"), self.mood
        if mood == "refused":
            return request.send_error(401)
        if mood == "error":
            return request.send_error(503)
        if mood == "slow":
            time.sleep(3)
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

    def close(self):
        self.server.shutdown()
