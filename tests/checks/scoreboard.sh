# The scoreboard without any load: tables from rounds that are made up, contenders on a node of plain files.
set -euo pipefail
python3 -m py_compile tests/scoreboard/*.py tests/scoreboard/{scoreboard,objective,planted,waits}
python3 tests/checks/scoreboard_test.py
python3 tests/checks/scoreboard_kept_test.py
python3 tests/checks/scoreboard_cluster_test.py
