# The soak without its agent: the table that it prints now and then, and what counts as growth.
set -euo pipefail
python3 -m py_compile tests/soak/*.py tests/soak/soak
python3 tests/checks/soak_test.py
