"""The scoreboard's pods in a cluster, without one."""

import importlib.machinery
import importlib.util
import pathlib
import re
import sys
import tempfile
import types
import unittest
import unittest.mock

sys.path[:0] = ["tests/scoreboard", "tests/support"]
sys.dont_write_bytecode = True
import cgroup_tree  # noqa: E402
import cluster  # noqa: E402
import services  # noqa: E402

LOADER = importlib.machinery.SourceFileLoader("scoreboard", "tests/scoreboard/scoreboard")
SCOREBOARD = importlib.util.module_from_spec(importlib.util.spec_from_loader("scoreboard", LOADER))
LOADER.exec_module(SCOREBOARD)
REDIS, GZIP = (next(each for each in services.ALL if each.name == name) for name in ["redis", "nginx-gzip"])


class Pods(unittest.TestCase):
    def test_a_service_with_a_limit_has_a_pod_of_its_own(self):
        self.assertEqual([cluster.service_pod(each) for each in [None, REDIS, GZIP]], ["service", "service", "service-60"])
        text = cluster.pods_text(["batch-0"])
        self.assertEqual(re.findall(r"name: ([a-z0-9-]+), labels", text), ["service", "service-60", "batch-0"])
        self.assertIn("limits: {cpu: 600m}", text)
        self.assertIn('name: batch-0, labels: {scoreboard: "yes", "koordinator.sh/qosClass": BE}', text)

    def test_what_the_kubelet_limits_is_not_limited_again(self):
        written = []
        values = types.SimpleNamespace(set=lambda *arguments: written.append(arguments))
        node = types.SimpleNamespace(has_kubelet=True, v2=True, SERVICE="pod/main", file=lambda *parts: "/".join(parts))
        SCOREBOARD.limit(GZIP, "spin", node, values)
        self.assertEqual(written, [])
        node.has_kubelet = False
        SCOREBOARD.limit(GZIP, "spin", node, values)
        self.assertEqual(written, [("cpu/pod/cpu.max", "60000 100000"), ("cpu/pod/main/cpu.max", "60000 100000")])

    def test_processes_enter_the_unified_hierarchy_too(self):
        with tempfile.TemporaryDirectory() as root, unittest.mock.patch.object(cgroup_tree, "ROOT", root):
            for hierarchy in ["cpu", "memory", "unified"]:
                pathlib.Path(root, hierarchy, "kubepods").mkdir(parents=True)
            pathlib.Path(root, "blkio").mkdir()  # mounted, but no kubelet uses it
            self.assertEqual(list(cgroup_tree.v1_roots()), ["cpu", "memory", "blkio", "unified"])
            self.assertEqual(list(cgroup_tree.v1_roots(having="kubepods")), ["cpu", "memory", "unified"])

    def test_it_has_the_cells_of_a_service_with_a_limit(self):
        options = types.SimpleNamespace(cluster=True, no_disk="")
        self.assertEqual(SCOREBOARD.why_no_cell(GZIP, "spin", options), GZIP.missing())


unittest.main()
