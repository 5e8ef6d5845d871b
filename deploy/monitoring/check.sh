#!/bin/sh
# Checks the rules of alerts and objectives and runs their tests with promtool: the one on PATH, or of PROMTOOL.
# Without one: go install -tags remove_all_sd github.com/prometheus/prometheus/cmd/promtool@latest
set -eu
cd "$(dirname "$0")"
promtool=${PROMTOOL:-promtool}
if ! command -v "$promtool" >/dev/null; then
  echo "promtool is not on PATH. Set PROMTOOL to its path, or build it: go install -tags remove_all_sd github.com/prometheus/prometheus/cmd/promtool@latest" >&2
  exit 1
fi
"$promtool" check rules alerts.yml objectives.yml
"$promtool" test rules alerts.test.yml objectives.test.yml
