# The scoreboard's tables from rounds that are made up: ratios and their intervals, what is dropped, how late the load was.
set -euo pipefail
PYTHONDONTWRITEBYTECODE=1 python3 - <<'PYTHON'
import sys

sys.path.insert(0, "tests/scoreboard")
import contenders
import report
import services


def rounds(p99, late=20.0, stolen=0.0, work=100.0):
    return [{"p50_us": p99 / 2, "p99_us": p99 + i, "p999_us": 2 * p99, "sent_p50_us": 1, "sent_p99_us": p99 / 10, "sent_p999_us": 1,
             "late_p99_us": late, "per_second": 4000, "unanswered": 0, "stolen_percent": stolen, "work_per_second": work,
             "written": {}} for i in range(5)]


def expect(text, *parts):
    for part in parts:
        assert part in text, f"{part!r} is not in:\n{text}"


ways = [each for each in contenders.contenders() if each.name in ("alone", "unmanaged", "installed")]
cell = {"alone": rounds(100, work=0), "unmanaged": rounds(200), "installed": rounds(400, work=50)}
table = "\n".join(report.table("redis beside spin", cell, ways))
expect(table, "| installed | 200 | 402 | 800 | 3.94 (", " | 1.99 (", " | 50.0 | 25 % | +294 % | 50 % | 0 |",
       "4000 requests a second were answered. Lateness of the load generator: its p99 was 20 µs, at most 20 µs.")
goals = "\n".join(report.goals({"redis beside spin": cell}))
expect(goals, "| p99 not above unmanaged | 0 of 1 cells | redis beside spin |")

cell["installed"] = rounds(200)
expect("\n".join(report.table("redis beside spin", cell, ways)), "no difference (")
cell["installed"] = rounds(400, late=500)
expect("\n".join(report.table("redis beside spin", cell, ways)), "| 40 † |", "at most 500 µs")
cell["installed"] = rounds(400, stolen=3)
expect("\n".join(report.table("redis beside spin", cell, ways)), "| installed | all rounds dropped |", "at most 20 µs")

# Client 0 of pgbench: due at 0, begun 40 us late, done at 240 us. Due again at 140 us, begun at 260 us: 100 us of these 120 it
# waited for its own answer. Client 1 was free all the time.
rows = services.pgbench_rows(["0 1 240 0 100 240 40", "0 2 320 0 100 460 120", "1 1 300 0 100 500 90", "0 3 skipped 0 100 700 200"])
assert [row[1:] for row in rows] == [(240, 200, 40), (320, 300, 20), (300, 210, 90)], rows
figures = services.pgbench_figures(rows, 0, 1)
assert (figures["late_p99_us"], figures["p99_us"], figures["sent_p99_us"], figures["answered"]) == (90, 320, 300, 3), figures
PYTHON
