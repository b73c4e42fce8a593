"""Real services, each started in the service pod's cgroup and measured under an open-loop load."""

import contextlib
import glob
import json
import os
import random
import shutil
import socket
import subprocess
import time

from entry import enter


class Service:
    name = ""
    program = ""  # that must be installed
    port = 0
    rate = 4000
    connections = 8
    path = "/"
    quota_percent = 0  # of one CPU; 0: the pod has no CPU limit
    limit_share = 0  # of the CPU limit, that requests are to need: `rate` is only that at which their CPU time is measured
    kinds = None  # of batch work beside which it is measured; None: all

    def missing(self):
        return "" if shutil.which(self.program) else f"{self.program} is not installed"

    def not_beside(self, kind):
        """Why it is not measured beside this kind of batch work; empty: it is."""
        return "" if self.kinds is None or kind in self.kinds else "measured only beside " + ", ".join(self.kinds)

    def command(self, directory):
        raise NotImplementedError

    def prepare(self, directory):
        pass

    def start(self, node, directory, size_ms=None):
        self.prepare(directory)
        log = open(f"{directory}/{self.name}.log", "ab")
        process = subprocess.Popen(self.command(directory), stdout=log, stderr=log, cwd=directory,
                                   preexec_fn=lambda: enter(node, node.SERVICE, size_ms))
        for _ in range(200):
            try:
                socket.create_connection(("127.0.0.1", self.port), 0.2).close()
                break
            except OSError:
                time.sleep(0.05)
        else:
            raise RuntimeError(f"{self.name} does not answer; see {directory}/{self.name}.log")
        self.ready(directory)
        return process

    def ready(self, directory):
        pass

    @contextlib.contextmanager
    def running(self, node, directory, size_ms=None):
        """Its first process, which ends with the block."""
        process = self.start(node, directory, size_ms)
        try:
            yield process
        finally:
            process.terminate()
            process.wait()

    def load(self, tools, warm_up, seconds, seed):
        protocol = self.protocol()
        run = subprocess.run([f"{tools}/open_loop", protocol, str(self.port), str(self.rate),
                              str(self.connections), str(warm_up), str(seconds), str(seed), self.path],
                             capture_output=True, text=True)
        if run.returncode != 0:
            raise RuntimeError(f"{self.name}: the load generator failed: {run.stderr or run.stdout}")
        return json.loads(run.stdout)

    def protocol(self):
        return self.name


class Redis(Service):
    name, program, port = "redis", "redis-server", 7101

    def command(self, directory):
        return ["redis-server", "--port", str(self.port), "--save", "", "--appendonly", "no", "--dir", directory]


class RedisAof(Service):
    """Waits for the disk: one request in ten is a write, answered when it is synced to the append-only file."""
    name, program, port, rate = "redis-aof", "redis-server", 7108, 1000
    kinds = ["fsync", "cache", "grow"]

    def protocol(self):
        return "redis"

    def prepare(self, directory):
        shutil.rmtree(f"{directory}/redis-aof", ignore_errors=True)
        os.mkdir(f"{directory}/redis-aof")

    def command(self, directory):
        return ["redis-server", "--port", str(self.port), "--save", "", "--dir", f"{directory}/redis-aof", "--appendonly", "yes",
                "--appendfsync", "always", "--auto-aof-rewrite-percentage", "0"]


class Memcached(Service):
    name, program, port = "memcached", "memcached", 7102

    def command(self, directory):
        return ["memcached", "-u", "root", "-l", "127.0.0.1", "-p", str(self.port), "-t", "2"]


class Nginx(Service):
    name, program, port, rate = "nginx", "nginx", 7103, 2000
    gzip = "off"
    size = 4096

    def protocol(self):
        return "http"

    def prepare(self, directory):
        random.seed(1)
        words = ["".join(random.choices("abcdefghij", k=6)) for _ in range(500)]
        os.makedirs(f"{directory}/html", exist_ok=True)
        os.chmod(directory, 0o755)
        with open(f"{directory}/html/index.html", "w") as page:
            page.write(" ".join(random.choices(words, k=self.size // 7)))
        with open(f"{directory}/{self.name}.conf", "w") as config:
            config.write(f"""worker_processes 2; daemon off; pid {directory}/{self.name}.pid; user root;
error_log {directory}/{self.name}.err; events {{ worker_connections 1024; }}
http {{ access_log off; keepalive_requests 100000000; gzip {self.gzip}; gzip_comp_level 5; gzip_types *;
server {{ listen 127.0.0.1:{self.port}; location / {{ root {directory}/html; }} }} }}
""")

    def command(self, directory):
        return ["nginx", "-p", directory, "-c", f"{directory}/{self.name}.conf"]


class NginxGzip(Nginx):
    """Requests of about 2 ms of CPU time, and as many as nearly fill a CPU limit: what CPU burst is for."""
    name, port, rate = "nginx-gzip", 7104, 260
    gzip, size, quota_percent, limit_share = "on", 60000, 60, 0.9


class Postgres(Service):
    name, port, rate = "postgresql", 7105, 300

    def __init__(self):
        found = sorted(glob.glob("/usr/lib/postgresql/*/bin/pgbench"))
        self.bin = os.path.dirname(found[-1]) if found else ""

    def missing(self):
        return "" if self.bin else "postgresql is not installed"

    def as_postgres(self, *command, **options):
        return subprocess.run(["runuser", "-u", "postgres", "--", *command], capture_output=True, text=True,
                              check=True, **options)

    def prepare(self, directory):
        data = f"{directory}/pg"
        os.chmod(directory, 0o755)
        if not os.path.isdir(data):
            os.makedirs(data)
            shutil.chown(data, "postgres", "postgres")
            self.as_postgres(f"{self.bin}/initdb", "-D", data, "-A", "trust", cwd="/")
        self.data = data

    def command(self, directory):
        return ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups", f"{self.bin}/postgres", "-D",
                self.data, "-p", str(self.port), "-k", "/tmp", "-c", "shared_buffers=256MB", "-c", "fsync=off"]

    def ready(self, directory):
        for _ in range(100):
            if subprocess.run([f"{self.bin}/pg_isready", "-q", "-h", "127.0.0.1", "-p", str(self.port)]).returncode == 0:
                break
            time.sleep(0.1)
        filled = f"{directory}/pg.filled"
        if not os.path.exists(filled):
            subprocess.run([f"{self.bin}/pgbench", "-q", "-i", "-s", "10", "-h", "127.0.0.1", "-p", str(self.port),
                            "-U", "postgres", "postgres"], capture_output=True, check=True)
            open(filled, "w").close()

    def load(self, tools, warm_up, seconds, seed):
        """pgbench -R: its latencies count from the scheduled time."""
        prefix = f"/tmp/pgbench-{os.getpid()}-{seed}"
        subprocess.run(["chrt", "-f", "50", f"{self.bin}/pgbench", "-n", "-S", "-M", "prepared", "-c", "4", "-j", "1",
                        "-R", str(self.rate), "-T", str(int(warm_up + seconds + 1)), "-l", "--log-prefix", prefix,
                        f"--random-seed={seed}", "-h", "127.0.0.1", "-p", str(self.port), "-U", "postgres", "postgres"],
                       capture_output=True, check=True)
        rows = []
        for file in glob.glob(prefix + "*"):
            with open(file) as log:
                rows += pgbench_rows(log)
            os.unlink(file)
        return pgbench_figures(rows, warm_up, seconds)


def pgbench_rows(log):
    """(end in seconds, latency, latency without the lateness, lateness; all three in us) of each transaction in a log of
    pgbench -R, whose columns are client, transaction, latency, script, end (seconds and us), lag. The lag is how long after
    its scheduled time the transaction began. As long as the client still waited for an answer, that is the server's fault;
    the rest is pgbench's own lateness."""
    out, free_at = [], {}  # a client is free again when its transaction ends
    for line in log:
        columns = line.split()
        if len(columns) < 7 or not columns[2].isdigit():  # "skipped"
            continue
        client, latency, lag = columns[0], int(columns[2]), int(columns[6])
        end = int(columns[4]) * 1_000_000 + int(columns[5])
        scheduled = end - latency
        late = max(0, scheduled + lag - max(scheduled, free_at.get(client, scheduled)))
        out.append((end / 1e6, latency, latency - late, late))
        free_at[client] = end
    return out


def pgbench_figures(rows, warm_up, seconds):
    first = min(row[0] for row in rows) + warm_up
    columns = zip(*(row[1:] for row in rows if row[0] >= first))
    latency, sent, late = (sorted(column) for column in columns)
    at = lambda all, q: all[min(len(all) - 1, int(q * len(all)))]
    return {"answered": len(latency), "unanswered": 0, "per_second": len(latency) / seconds,
            "p50_us": at(latency, .5), "p99_us": at(latency, .99), "p999_us": at(latency, .999),
            "sent_p50_us": at(sent, .5), "sent_p99_us": at(sent, .99), "sent_p999_us": at(sent, .999),
            "late_p99_us": at(late, .99), "late_p999_us": at(late, .999)}


ALL = [Redis(), RedisAof(), Memcached(), Nginx(), NginxGzip(), Postgres()]
