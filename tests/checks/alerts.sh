# Checks that the alert rules are valid, and that each fires in its case and not otherwise
# (tests/checks/alerts_test.yaml).
set -euo pipefail
. tests/checks/promtool
promtool=$(find_promtool) || exit 77
"$promtool" check rules deploy/prometheus/alerts.yaml
"$promtool" test rules tests/checks/alerts_test.yaml
for alert in $(sed -n 's/^ *- alert: //p' deploy/prometheus/alerts.yaml); do
  grep -q "alertname: $alert\$" tests/checks/alerts_test.yaml || { echo "no test for $alert"; exit 1; }
done
