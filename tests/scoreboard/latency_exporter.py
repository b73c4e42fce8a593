"""Serves the request times of an nginx access log ($request_time, in seconds, last in each line) as a Prometheus histogram."""

import bisect
import http.server
import sys
import threading
import time

BOUNDS = [.001, .002, .003, .005, .0075, .01, .015, .02, .025, .03, .04, .05, .075, .1, .15, .25, .5, 1, 2.5, 5]


class Histogram:
    def __init__(self):
        self.counts, self.sum = [0] * (len(BOUNDS) + 1), 0.0

    def follow(self, path):
        with open(path) as log:
            rest = ""
            while True:
                piece = log.readline()
                if not piece:
                    time.sleep(0.05)
                    continue
                rest += piece
                if rest.endswith("\n"):
                    seconds = float(rest.split()[-1])
                    self.counts[bisect.bisect_left(BOUNDS, seconds)] += 1
                    self.sum += seconds
                    rest = ""

    def text(self):
        lines, total = ["# TYPE http_request_duration_seconds histogram"], 0
        for bound, count in zip([str(bound) for bound in BOUNDS] + ["+Inf"], list(self.counts)):
            total += count
            lines.append(f'http_request_duration_seconds_bucket{{le="{bound}"}} {total}')
        lines += [f"http_request_duration_seconds_sum {self.sum}", f"http_request_duration_seconds_count {total}"]
        return "\n".join(lines) + "\n"


def main():
    path, port = sys.argv[1], int(sys.argv[2])
    histogram = Histogram()
    threading.Thread(target=histogram.follow, args=(path,), daemon=True).start()

    class Page(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            body = histogram.text().encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/plain; version=0.0.4")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    http.server.HTTPServer(("127.0.0.1", port), Page).serve_forever()


main()
