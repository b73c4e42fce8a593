# A few runs of each kind of tests/faults: calls that fail one after the other leave no value behind.
set -euo pipefail
. tests/support/needs_cgroups.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
gcc -O1 -Wall -Wextra -Werror -shared -fPIC -o "$work/fail.so" tests/faults/fail.c -ldl
sweep() { python3 tests/faults/sweep --binary build/release/evenkeel --library "$work/fail.so" "$@"; }
sweep --runs 16
sweep --restore --runs 4
sweep --loop --runs 2
sweep --allocations --runs 4
sweep --pairs 4 --seed 1
sweep --cluster --runs 1
sweep --kernel --runs 1 || [ $? -eq 77 ] # it may not have a network of its own
