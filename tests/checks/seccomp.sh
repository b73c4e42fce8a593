# The seccomp profile of the DaemonSet refuses nothing that the program does, and refuses what it does not need: tests/seccomp.
set -euo pipefail
. tests/support/needs_cgroups.sh
for program in build/release/evenkeel build/static/evenkeel; do
  [ ! -x "$program" ] || python3 tests/seccomp/busy "$program"
done
