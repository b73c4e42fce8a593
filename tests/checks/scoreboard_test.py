"""The scoreboard without any load: its tables from rounds that are made up, its contenders on a node of plain files."""

import os
import signal
import subprocess
import sys
import tempfile
import types
import unittest

sys.path.insert(0, "tests/scoreboard")
import batches  # noqa: E402
import contenders  # noqa: E402
import disk as disks  # noqa: E402
import node as nodes  # noqa: E402
import pods  # noqa: E402
import report  # noqa: E402
import services  # noqa: E402
from values import Values  # noqa: E402

ALL = {each.name: each for each in contenders.contenders()}
REDIS, GZIP = (next(each for each in services.ALL if each.name == name) for name in ["redis", "nginx-gzip"])


def rounds(p99, late=20.0, stolen=0.0, work=100.0, late_p999=40.0):
    return [{"p50_us": p99 / 2, "p99_us": p99 + i, "p999_us": 2 * p99, "sent_p50_us": 1, "sent_p99_us": p99 / 10, "sent_p999_us": 7,
             "late_p99_us": late, "late_p999_us": late_p999, "per_second": 4000, "unanswered": 0, "stolen_percent": stolen, "work_per_second": work,
             "written": {}} for i in range(5)]


class PlainNode(nodes.Node):
    """The directories of a node as plain ones, with the files that a kernel would have there, all with the same content."""

    def __init__(self, top, v2, files):
        names = ["cpu", "cpuset", "memory", "io"] if v2 else ["cpu", "cpuacct", "cpuset", "memory", "blkio"]
        self.v2, self.batch = v2, [f"{self.BESTEFFORT}/pod{i}/c" for i in range(2)]
        self.roots = {name: top if v2 else f"{top}/{name}" for name in names}
        for controller, each in files.items():
            for leaf in [self.SERVICE] + self.batch:
                parts = leaf.split("/")
                for n in range(len(parts) + 1):
                    directory = "/".join([self.roots[controller]] + parts[:n])
                    os.makedirs(directory, exist_ok=True)
                    for name, text in each.items():
                        nodes.write(f"{directory}/{name}", text)

    def contents(self, controller, name, places):
        return [nodes.read(self.file(controller, place, name)).strip() for place in places]


V1 = {"cpu": {"cpu.shares": "1024", "cpu.idle": "0", "cpu.cfs_quota_us": "-1", "cpu.cfs_burst_us": "0"},
      "memory": {"memory.limit_in_bytes": "9223372036854771712"}, "blkio": {"blkio.bfq.weight": "100"}}
V2 = {"cpu": {"cpu.weight": "39", "cpu.idle": "0", "cpu.max": "max 100000", "cpu.max.burst": "0"},
      "memory": {"memory.low": "0", "memory.max": "max", "memory.reclaim": ""},
      "io": {"io.weight": "default 100", "io.bfq.weight": "default 100", "io.cost.qos": ""}}


class WithDirectory(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.top = directory.name


class Tables(unittest.TestCase):
    ways = [ALL[name] for name in ["alone", "unmanaged", "installed", "io-weight"]]

    def setUp(self):
        self.cell = {"alone": rounds(100, work=0), "unmanaged": rounds(200), "installed": rounds(400, work=50)}

    def expect(self, *parts, cell="redis beside spin"):
        table = "\n".join(report.table(cell, self.cell, self.ways))
        for part in parts:
            self.assertIn(part, table)

    def test_ratios_scores_and_lateness(self):
        self.expect("| installed | 200 | 402 | 800 | 3.94 (", " | 1.99 (", " | 50.0 | 25 % | +294 % | 50 % | 0 |",
                    "4000 requests a second were answered. Lateness of the load generator: its p99 was 20 µs, at most 20 µs, and "
                    "that at p99.9 40 µs, at most 40 µs.")
        goals = "\n".join(report.goals({"redis beside spin": self.cell}))
        self.assertIn("| p99 not above unmanaged | 0 of 1 cells | redis beside spin: 1.99 (", goals)
        self.assertIn("where the p99 is not below it | 0 of 1 cells | redis beside spin: 50 % |", goals)
        self.assertIn("| p99 below unmanaged, where one lever's is | 0 of 0 cells |  |", goals)
        ratio = report.ratios({"redis beside spin": self.cell})["redis beside spin"]["installed"]
        self.assertEqual((ratio["unmanaged"]["p50_us"][0], ratio["alone"]["p999_us"][0]), (2, 4))

    def test_what_a_lever_reaches_is_a_goal(self):
        self.cell.update({"short": rounds(100), "installed": rounds(200)})
        told = lambda: report.goals({"redis beside spin": self.cell})[-2]
        self.assertIn("0 of 1 cells | redis beside spin: `short` 0.50 (", told())
        self.cell["installed"] = rounds(110, work=50)
        self.assertIn("| 1 of 1 cells |  |", told())
        self.assertIn("where the p99 is not below it | 0 of 0 cells |", report.goals({"redis beside spin": self.cell})[-3])

    def test_no_difference_late_rounds_and_dropped_rounds(self):
        self.cell["installed"] = rounds(200)
        self.expect("no difference (")
        self.cell["installed"] = rounds(400, late=500)
        self.expect("| 40 † |", "at most 500 µs")
        self.cell["installed"] = rounds(400, stolen=3)
        self.expect("| installed | all rounds dropped |", "at most 20 µs")

    def test_a_late_generator_at_p999_spoils_the_p999_alone(self):
        self.cell["installed"] = rounds(400, late_p999=5000)
        self.expect("| installed | 200 | 402 | 7 † | 3.94 (", " | 1.99 (", " † | 100.0 | ", "and that at p99.9 40 µs, at most 5000 µs.")

    def test_a_lever_appears_only_in_its_cells_and_what_is_missing_is_said(self):
        results = {"redis beside spin": self.cell, "redis beside fsync": {**self.cell, "io-weight": rounds(150)}}
        options = types.SimpleNamespace(rounds=5, seconds=4, skipped=["redis beside cache: no disk"])
        text = report.markdown(results, self.ways, options)
        self.assertNotIn("| redis beside spin | io-weight |", text)
        self.assertIn("| redis beside fsync | io-weight | 0.75 (", text)
        self.assertEqual(text.count("\n| io-weight |"), 2)  # its row in the one table, and what it is
        self.assertTrue(text.endswith("Not measured:\n\n- redis beside cache: no disk\n"))


class Pgbench(unittest.TestCase):
    def test_its_lateness_is_what_no_busy_connection_explains(self):
        # Client 0: due at 0, begun 40 us late, done at 240 us. Due again at 140 us, begun at 260 us: 100 us of these 120 it
        # waited for its own answer. Client 1 was free all the time.
        rows = services.pgbench_rows(["0 1 240 0 100 240 40", "0 2 320 0 100 460 120", "1 1 300 0 100 500 90",
                                      "0 3 skipped 0 100 700 200"])
        self.assertEqual([row[1:] for row in rows], [(240, 200, 40), (320, 300, 20), (300, 210, 90)])
        figures = services.pgbench_figures(rows, 0, 1)
        self.assertEqual((figures["late_p99_us"], figures["p99_us"], figures["sent_p99_us"], figures["answered"]), (90, 320, 300, 3))


class Undone(WithDirectory):
    def test_every_value_stands_again(self):
        before = {"cpu.shares": "2\n", "cpu.idle": "0\n", "cpu.max": "max 100000\n", "io.weight": "default 100\n8:0 50\n",
                  "scheduler": "none [mq-deadline] bfq\n"}
        for name, text in before.items():
            nodes.write(f"{self.top}/{name}", text)
        values = Values()
        for name in before:
            values.set(f"{self.top}/{name}", "7")
        nodes.write(f"{self.top}/cpu.shares", "1024\n")  # what the kernel does when a directory is idle no longer
        values.restore()
        self.assertEqual(nodes.read(f"{self.top}/cpu.shares"), "2\n")
        self.assertEqual(nodes.read(f"{self.top}/cpu.max"), "max 100000\n")
        self.assertEqual(nodes.read(f"{self.top}/scheduler"), "mq-deadline\n")
        self.assertEqual(values.before, [])

    def test_a_directory_that_is_gone_is_left_out(self):
        values = Values()
        nodes.write(f"{self.top}/gone", "1")
        nodes.write(f"{self.top}/stays", "1")
        for name in ["stays", "gone"]:
            values.set(f"{self.top}/{name}", "2")
        os.unlink(f"{self.top}/gone")
        values.restore()
        self.assertEqual(nodes.read(f"{self.top}/stays"), "1\n")


class Systemd(WithDirectory):
    def applied(self, v2, files):
        node, values = PlainNode(self.top, v2, files), Values()
        ALL["systemd"].apply(node, values, types.SimpleNamespace(disk_name=None))
        return node, values

    def test_v2_weights_and_memory_protection_from_the_top_down(self):
        node, values = self.applied(True, V2)
        path = contenders.service_path(node)
        self.assertEqual((path[0], path[-1]), (nodes.TOP, node.SERVICE))
        self.assertEqual(node.contents("memory", "memory.low", path), [str(512 << 20)] * len(path))
        self.assertEqual(node.contents("memory", "memory.low", [node.BESTEFFORT]), ["0"])
        for name in ["io.weight", "io.bfq.weight"]:
            self.assertEqual(node.contents("io", name, [node.BESTEFFORT]), ["default 10"])
        self.assertEqual(node.contents("cpu", "cpu.idle", [node.BESTEFFORT]), ["1"])
        self.assertEqual(ALL["systemd"].skips(node), [])
        values.restore()
        self.assertEqual(node.contents("memory", "memory.low", path), ["0"] * len(path))
        self.assertEqual(node.contents("io", "io.weight", [node.BESTEFFORT]), ["default 100"])

    def test_v1_gets_what_systemd_writes_there(self):
        node, _ = self.applied(False, V1)
        self.assertEqual(node.contents("cpu", "cpu.shares", [node.BESTEFFORT]), ["2"])
        self.assertEqual(node.contents("cpu", "cpu.idle", [node.BESTEFFORT]), ["0"])
        self.assertEqual(node.contents("blkio", "blkio.bfq.weight", [node.BESTEFFORT]), ["10"])
        self.assertEqual(ALL["systemd"].skips(node), ["memory.low is on cgroup v2 only", "the kernel has no blkio.weight here"])

    def test_a_kernel_without_the_files(self):
        node, _ = self.applied(True, {"cpu": {"cpu.weight": "1"}})
        self.assertEqual(ALL["systemd"].skips(node),
                         [f"the kernel has no {name} here" for name in ["cpu.idle", "memory.low", "io.bfq.weight", "io.weight"]])


class Levers(WithDirectory):
    def beside(self, service, kind):
        return {name for name, each in ALL.items() if each.beside(service, kind)}

    def test_each_is_measured_beside_what_it_is_meant_for(self):
        cpu, memory, disk = ({"burst", "quota-burst"}, {"memory-qos", "push-back"}, {"bfq", "io-weight", "io-cost", "io-limit"})
        special = cpu | memory | disk | {"background-reclaim", "page-cache-limit", "systemd+bfq"}
        self.assertEqual(len(ALL), len(contenders.contenders()))
        self.assertEqual(self.beside(REDIS, "spin") & special, set())
        self.assertEqual(self.beside(GZIP, "spin") & special, cpu)
        self.assertEqual(self.beside(REDIS, "grow") & special, memory | {"background-reclaim"})
        self.assertEqual(self.beside(REDIS, "fsync") & special, disk | {"systemd+bfq"})
        self.assertEqual(self.beside(REDIS, "cache") & special, memory | disk | {"page-cache-limit", "systemd+bfq"})
        for kind in batches.KINDS:
            self.assertLessEqual({"alone", "unmanaged", "systemd", "installed"}, self.beside(REDIS, kind))

    def test_what_it_lacks_is_said(self):
        v1, v2 = PlainNode(f"{self.top}/1", False, V1), PlainNode(f"{self.top}/2", True, V2)
        self.assertEqual(ALL["memory-qos"].missing(v1, None), "the kernel has no memory.low here")
        self.assertEqual(ALL["io-cost"].missing(v1, "vda"), "the kernel has no io.cost.qos here")
        self.assertEqual(ALL["io-limit"].missing(v2, None), "its directory is not on one disk")
        self.assertEqual(ALL["bfq"].missing(v2, "no-such-disk"), "no-such-disk has no scheduler bfq")
        self.assertEqual(ALL["quota"].missing(v2, None), "")
        for name in ["memory-qos", "background-reclaim", "push-back", "page-cache-limit", "io-cost", "io-limit"]:
            self.assertEqual(ALL[name].missing(v2, "vda"), "", name)
        bare = PlainNode(f"{self.top}/3", True, {"cpu": {"cpu.weight": "1"}})
        self.assertEqual(ALL["quota"].missing(bare, None), "the kernel has no cpu.max here")

    def test_every_configuration_is_one(self):
        if not os.access("build/release/evenkeel", os.X_OK):
            self.skipTest("build/release is not built")
        for name, each in ALL.items():
            if each.nodeslo:
                nodes.write(f"{self.top}/nodeslo.yaml", each.nodeslo.replace("DISK", "vda"))
                checked = subprocess.run(["build/release/evenkeel", "check", f"{self.top}/nodeslo.yaml"], capture_output=True, text=True)
                self.assertEqual(checked.returncode, 0, f"{name}: {checked.stdout}{checked.stderr}")

    def test_the_agent_hears_what_memory_the_pods_ask_for(self):
        uid, node = "b" * 8 + "-0000-4000-8000-" + "b" * 12, types.SimpleNamespace(SERVICE=nodes.Node.SERVICE, batch=[])
        node.batch = [f"{nodes.Node.BESTEFFORT}/pod{uid}/{'b' * 64}"]
        service, batch = pods.pod_list(node, service_memory=512, batch_memory=1024)["items"]
        self.assertEqual(service["spec"]["containers"][0]["resources"], {"requests": {"memory": "512"}})
        self.assertEqual(batch["spec"]["containers"][0]["resources"]["limits"], {"kubernetes.io/batch-memory": "1024"})
        self.assertEqual((batch["metadata"]["uid"], batch["status"]["qosClass"]), (uid, "BestEffort"))


class BatchWork(WithDirectory):
    def test_growing_pods_have_a_memory_limit_for_the_round(self):
        for v2, files, name in [(False, V1, "memory.limit_in_bytes"), (True, V2, "memory.max")]:
            node, values = PlainNode(f"{self.top}/{name}", v2, files), Values()
            places = node.batch + contenders.batch_pods(node)
            before = node.contents("memory", name, places)
            limit = nodes.batch_memory_limit()
            node.limit_memory(values, limit)
            self.assertEqual(node.contents("memory", name, places), [str(limit)] * 4)
            values.restore()
            self.assertEqual(node.contents("memory", name, places), before)
        self.assertTrue(0 < limit <= 1 << 30 and limit % (1 << 20) == 0)

    def test_what_the_kernel_kills_at_its_limit_starts_again(self):
        count = f"{self.top}/count"
        once = f"bash -c 'echo >>{count}; [ $(wc -l <{count}) -ge 3 ] || kill -{int(signal.SIGKILL)} $$; exit 5'"
        ended = subprocess.run(batches.again_when_killed(once), capture_output=True)
        self.assertEqual(nodes.read(count), "\n\n\n")
        self.assertEqual(ended.returncode, 5)  # so an error of its own is not hidden

    def test_services_that_wait_for_the_disk_have_their_own_cells(self):
        aof = next(each for each in services.ALL if each.name == "redis-aof")
        self.assertEqual(aof.not_beside("fsync"), "")
        self.assertEqual(aof.not_beside("spin"), "measured only beside fsync, cache, grow")
        self.assertEqual(REDIS.not_beside("spin"), "")


class Disk(unittest.TestCase):
    def test_memory_is_no_disk(self):
        self.assertTrue(disks.in_memory("/dev/shm"))
        self.assertIsNone(disks.below("/dev/shm"))


class Arguments(unittest.TestCase):
    def test_those_of_the_guests_name_what_there_is(self):
        said = subprocess.run(["bash", "-c", '. tests/steps/scoreboard.sh; echo $KERNELS_ARGS; echo $KERNELS_STALL_ARGS'],
                              capture_output=True, text=True, check=True).stdout.splitlines()
        known = {"--services": {each.name for each in services.ALL}, "--batch": set(batches.KINDS), "--contenders": set(ALL)}
        for words in map(str.split, said):
            for flag, names in known.items():
                self.assertLessEqual(set(words[words.index(flag) + 1].split(",")), names)

    def test_what_a_guest_could_not_measure_is_read_from_its_last_start(self):
        serial = "skipped redis beside cache: old\r\nvmrun: the guest ended early\r\nskipped contender bfq: nullb0 has no scheduler bfq\r\n"
        said = subprocess.run(["bash", "-c", ". tests/steps/scoreboard.sh; not_measured /dev/stdin"], input=serial, capture_output=True,
                              text=True, check=True).stdout
        self.assertEqual(said, "contender bfq: nullb0 has no scheduler bfq\n")


unittest.main()
