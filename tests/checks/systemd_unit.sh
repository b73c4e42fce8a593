# Checks that systemd accepts the unit file, also with each drop-in, that the unit's exposure stays at or below 2.5, and
# that it keeps its limits.
set -euo pipefail
command -v systemd-analyze >/dev/null || { echo "systemd-analyze is not installed"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# `verify` needs an existing program; its installed path does not matter here.
unit=$work/evenkeel.service
program=$PWD/build/release/evenkeel
[ -x "$program" ] || program=/bin/true
sed "s|=/usr/local/bin/evenkeel|=$program|" systemd/evenkeel.service >"$unit"

systemd-analyze verify --man=no --recursive-errors=no "$unit" 2>&1 | tee "$work/verify"
[ ! -s "$work/verify" ] || { echo "systemd-analyze verify has complaints"; exit 1; }

systemd-analyze security --offline=yes --threshold=25 --no-pager "$unit" | tail -1
kept=$(sed -n 's/^CapabilityBoundingSet=//p' "$unit")
for capability in $kept; do
  grep -q "^# $capability: " "$unit" || { echo "$capability is kept without a comment that says why"; exit 1; }
done

# A leak must not cost the node its memory or its processes.
for limit in MemoryMax=256M TasksMax=64 LimitNOFILE=65536; do
  grep -qx "$limit" "$unit" || { echo "the unit does not have $limit"; exit 1; }
done
# Details of pods are for the group, what the agent keeps on disk for root.
for line in Group=evenkeel RuntimeDirectoryMode=0750 StateDirectoryMode=0700 UMask=0077; do
  grep -qx "$line" "$unit" || { echo "the unit does not have $line"; exit 1; }
done

# Each drop-in is legal together with the unit and says what it is for; its exposure is printed.
mkdir "$unit.d"
for file in systemd/drop-ins/*.conf; do
  cp "$file" "$unit.d/one.conf"
  systemd-analyze verify --man=no --recursive-errors=no "$unit" 2>&1 | tee "$work/verify"
  [ ! -s "$work/verify" ] || { echo "systemd-analyze verify has complaints about $file"; exit 1; }
  head -1 "$file" | grep -q '^# ' || { echo "$file does not say what it is for"; exit 1; }
  printf '%s: %s\n' "${file##*/}" "$(systemd-analyze security --offline=yes --no-pager "$unit" 2>/dev/null | tail -1)"
done
