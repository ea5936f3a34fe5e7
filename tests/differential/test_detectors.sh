#!/usr/bin/env bash
# tests/differential/detectors.py where LiteRT is there (scripts/setup python). Exits with 77, which ctest counts as skipped, elsewhere.
# usage: test_detectors.sh WEFT BUILD_DIR
set -euo pipefail
python=$2/venv/bin/python
if [ ! -x "$python" ]; then
    echo "skipped: no $python; scripts/setup python makes it"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$python" "$(dirname "$0")/detectors.py" "$1" "$work"
