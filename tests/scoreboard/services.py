"""Real services, each started in the service pod's cgroup and measured under an open-loop load."""

import glob
import json
import os
import random
import shutil
import socket
import subprocess
import time

from contenders import enter


class Service:
    name = ""
    program = ""  # that must be installed
    port = 0
    rate = 4000
    connections = 8
    path = "/"
    quota_percent = 0  # of one CPU; 0: the pod has no CPU limit

    def missing(self):
        return "" if shutil.which(self.program) else f"{self.program} is not installed"

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
    """Requests of about 1 ms under a CPU limit: what CPU burst is for."""
    name, port, rate = "nginx-gzip", 7104, 260
    gzip, size, quota_percent = "on", 60000, 60


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
        """pgbench -R: its latencies count from the scheduled time, its lateness is in the log."""
        prefix = f"/tmp/pgbench-{os.getpid()}-{seed}"
        subprocess.run(["chrt", "-f", "50", f"{self.bin}/pgbench", "-n", "-S", "-M", "prepared", "-c", "4", "-j", "1",
                        "-R", str(self.rate), "-T", str(int(warm_up + seconds + 1)), "-l", "--log-prefix", prefix,
                        f"--random-seed={seed}", "-h", "127.0.0.1", "-p", str(self.port), "-U", "postgres", "postgres"],
                       capture_output=True, check=True)
        rows = []
        for file in glob.glob(prefix + "*"):
            with open(file) as log:
                rows += [line.split() for line in log]
            os.unlink(file)
        rows = [(int(r[4]) + int(r[5]) / 1e6, float(r[2]), float(r[6])) for r in rows if len(r) > 6]
        first = min(row[0] for row in rows) + warm_up
        latency = sorted(row[1] for row in rows if row[0] >= first)
        sent = sorted(row[1] - row[2] for row in rows if row[0] >= first)
        late = sorted(row[2] for row in rows if row[0] >= first)
        at = lambda all, q: all[min(len(all) - 1, int(q * len(all)))]
        return {"answered": len(latency), "unanswered": 0, "per_second": len(latency) / seconds,
                "p50_us": at(latency, .5), "p99_us": at(latency, .99), "p999_us": at(latency, .999),
                "sent_p50_us": at(sent, .5), "sent_p99_us": at(sent, .99), "sent_p999_us": at(sent, .999),
                "late_p99_us": 0.0, "late_p999_us": at(late, .999)}


ALL = [Redis(), Memcached(), Nginx(), NginxGzip(), Postgres()]
