#!/usr/bin/env bash
# Builds the wheel, installs it in an environment of its own that has NumPy and pytest alone, and passes the tests there.
# usage: run.sh SOURCE_DIR BUILD_DIR [PYTEST_ARGUMENT...]. Exits with 77, which ctest counts as skipped, without build/python-tools.
set -euo pipefail
source=$1
build=$2
shift 2
tools=$source/build/python-tools
if ! cmp -s "$source/python/requirements.txt" "$tools/requirements.txt"; then
    echo "skipped: no build/python-tools (scripts/setup python)"
    exit 77
fi
mkdir -p "$build"
work=$(mktemp -d "$build/python-test.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$source"
# The wheel's own build stays, so that only what changed is built again.
if [ -z "${CMAKE_C_COMPILER_LAUNCHER:-}" ] && command -v ccache >/dev/null; then
    export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache
fi
export CMAKE_GENERATOR=Ninja
if ! "$tools/bin/python" -m pip wheel . --no-build-isolation --no-deps --wheel-dir "$work" \
    --config-settings build-dir="$build/wheel" >"$work/log" 2>&1; then
    cat "$work/log"
    exit 1
fi
"$tools/bin/python" -m venv "$work/venv"
"$work/venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-compile --no-index --find-links build/wheelhouse \
    "$work"/weft-*.whl pytest
packages=("$tools"/lib/python3*/site-packages)
export PYTHONDONTWRITEBYTECODE=1 WEFT_TOOLS=${packages[0]}
"$work/venv/bin/python" -m pytest --quiet python/tests "$@"
