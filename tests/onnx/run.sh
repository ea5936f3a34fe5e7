#!/usr/bin/env bash
# Runs a script of this folder where Python, numpy and the models are; 77: they are not.
# usage: run.sh PYTHON SHARED SCRIPT WEFT ARGUMENT...
set -euo pipefail
python=$1 shared=$2 script=$3 weft=$4
shift 4
[ -x "$python" ] || { echo "skipped: no $python (scripts/setup python)"; exit 77; }
[ -d "$shared" ] || { echo "skipped: no $shared"; exit 77; }
exec "$python" "$(dirname "$0")/$script" "$weft" "$shared" "$@"
