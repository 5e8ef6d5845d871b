#!/bin/sh
# Checks the rules of alerts and objectives and runs their tests with promtool: the one on PATH, or of PROMTOOL.
# Debian and Ubuntu have it in the package prometheus.
set -eu
cd "$(dirname "$0")"
promtool=${PROMTOOL:-promtool}
if ! command -v "$promtool" >/dev/null; then
  echo "promtool is not on PATH. Install the package prometheus, or set PROMTOOL to its path." >&2
  exit 1
fi
"$promtool" check rules alerts.yml objectives.yml
"$promtool" test rules alerts.test.yml objectives.test.yml
