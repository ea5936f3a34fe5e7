#!/usr/bin/env bash
# The interface of libweft.so is what tests/api/abi.txt keeps: names, codes and sizes. The version script, the header and the library
# must have these and no others. A name that is added goes into api/weft.map and, with --write, into abi.txt; none is taken away.
# usage: check_abi.sh LIBRARY SOURCE [--write]
set -euo pipefail
library=$1 source=$2
header=$source/api/weft.h
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# What the header declares: functions, and the numbers of the codes.
grep -oE '^[a-z].*\bweft_[a-z_]+\(' "$header" | grep -oE 'weft_[a-z_]+\($' | tr -d '(' | sort -u >"$folder/declared"
grep -oE '\bWEFT_FAILURE_[A-Z_]+ = [0-9]+' "$header" | sort -u >"$folder/codes"
# What the version script exports, and what the library does.
sed -n 's/^ *\(weft_[a-z_]*\);$/\1/p' "$source/api/weft.map" | sort -u >"$folder/listed"
nm --dynamic --defined-only --format=posix --with-symbol-versions "$library" |
    awk '$2 != "A" { sub(/@+/, " ", $1); print $1 }' | sort -u >"$folder/exported"

status=0
for option in $(sed -n 's/^WEFT_API_OPTION(\([a-z_]*\),.*/\1/p' "$source/api/options.def"); do
    grep -qE "^ \*     (.*, )?$option\b" "$header" || { echo "api/weft.h does not name option $option"; status=1; }
done
diff -u "$folder/declared" "$folder/listed" || { echo "api/weft.map has not the names of api/weft.h"; status=1; }
awk '{ print $1 }' "$folder/exported" | diff -u "$folder/listed" - || { echo "$library has not the names of api/weft.map"; status=1; }
soname=$(readelf -d "$library" | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p')
{ echo "$soname"; cat "$folder/exported" "$folder/codes"; } >"$folder/abi"
if [ "${3:-}" = --write ]; then
    cp "$folder/abi" "$source/tests/api/abi.txt"
fi
diff -u "$source/tests/api/abi.txt" "$folder/abi" || { echo "the interface is not the one in tests/api/abi.txt"; status=1; }
exit $status
