"""Clients of the endpoint: some read, some drip, some go away, and now and then very many ask at once."""

import random
import socket
import threading
import time

PAGES = ["/metrics", "/healthz", "/readyz", "/v1/explain", "/v1/audit", "/v1/snapshot", "/v1/capabilities", "/v1/proof", "/nothing",
         "/v1/explain?pod=" + "a" * 5000]
HALF_A_REQUEST = b"GET /metrics HT"
FLOOD_SECONDS = 2


def request_of(page):
    return f"GET {page} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode()


class Clients:
    def __init__(self, port):
        self.port, self.open = port, []

    def begin(self, request):
        """A client that has sent this, if the agent was there to take it. Never waits long: the agent may be stopped or gone."""
        client = socket.socket()
        client.settimeout(0.3)
        try:
            client.connect(("127.0.0.1", self.port))
            client.sendall(request)
        except OSError:
            pass
        return client

    def ask(self, page):
        """Whether the answer was read to its end."""
        with self.begin(request_of(page)) as client:
            try:
                while client.recv(65536):
                    pass
                return True
            except OSError:
                return False

    def one(self):
        what = random.random()
        if what < 0.6:
            self.ask(random.choice(PAGES))
        elif what < 0.8:
            self.open.append(self.begin(HALF_A_REQUEST))  # and no more
        else:
            self.begin(bytes(random.randrange(256) for _ in range(200))).close()
        while len(self.open) > 60:
            self.open.pop(0).close()

    def flood(self):
        """Four that ask without end, beside 40 of which half never finish their request, and half never read the answer."""
        slow = [self.begin(request) for request in [HALF_A_REQUEST, request_of("/metrics")] * 20]
        fast = [threading.Thread(target=self.ask_until, args=(time.monotonic() + FLOOD_SECONDS,)) for _ in range(4)]
        for thread in fast:
            thread.start()
        for thread in fast:
            thread.join()
        for client in slow:
            client.close()

    def ask_until(self, end):
        while time.monotonic() < end:
            if not self.ask("/metrics"):
                time.sleep(0.05)

    def close(self):
        for client in self.open:
            client.close()
