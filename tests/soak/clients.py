"""Clients of the endpoint: some read, some drip, some go away."""

import random
import socket

PAGES = ["/metrics", "/healthz", "/readyz", "/v1/explain", "/v1/audit", "/v1/snapshot", "/v1/capabilities", "/v1/proof", "/nothing",
         "/v1/explain?pod=" + "a" * 5000]


class Clients:
    def __init__(self, port):
        self.port, self.open = port, []

    def one(self):
        """Never waits: the agent may be stopped or gone."""
        client = socket.socket()
        client.settimeout(0.3)
        try:
            client.connect(("127.0.0.1", self.port))
            what = random.random()
            if what < 0.6:
                client.sendall(f"GET {random.choice(PAGES)} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
                while client.recv(65536):
                    pass
            elif what < 0.8:
                client.sendall(b"GET /metrics HT")  # and no more
                self.open.append(client)
                client = None
            else:
                client.sendall(bytes(random.randrange(256) for _ in range(200)))
        except OSError:
            pass
        finally:
            if client:
                client.close()
        while len(self.open) > 60:
            self.open.pop(0).close()

    def close(self):
        for client in self.open:
            client.close()
