#!/usr/bin/env bash
# The walk in docs/architecture.md: every function that it names is defined in the file that it names, in at most 20 lines.
# usage: check_walk.sh SOURCE_DIR
set -euo pipefail
cd "$1"
walk=$(sed -n '/^## A walk/,/^## One fact/s/^| `\([a-z0-9_]*\)()` | `\([^`]*\)` |.*/\1 \2/p' docs/architecture.md)
lines=$(wc -l <<< "$walk")
if [ "$lines" -lt 10 ] || [ "$lines" -gt 20 ]; then
    echo "check_walk: $lines lines, expected 10 to 20"
    exit 1
fi
while read -r function file; do
    # At its definition the name is in a line that is not indented and does not end with a semicolon.
    if ! grep -qE "^[a-z].*\b$function\(.*[^;]\$" "$file"; then
        echo "check_walk: $file does not define $function()"
        exit 1
    fi
done <<< "$walk"
echo "$lines functions found"
