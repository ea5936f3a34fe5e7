#!/bin/sh
# Fails when a library shows a name that does not begin with weft_, or needs one that nobody has who links with it and libc, libm,
# libz, libprotobuf-c, libdl and libstdc++. usage: check_symbols.sh ARCHIVE...
status=0
for archive in "$@"; do
    shown=$(nm --extern-only --defined-only --format=posix "$archive" | awk 'NF > 2 { print $1 }')
    wrong=$(echo "$shown" | grep -v '^weft_')
    if [ -n "$wrong" ]; then
        echo "$archive shows names without weft_:"
        echo "$wrong"
        status=1
    fi
    missing=$(nm --undefined-only --format=posix "$archive" | awk '$1 ~ /^weft_/ { print $1 }' | sort -u)
    if [ -n "$missing" ]; then
        echo "$archive needs what it does not have:"
        echo "$missing"
        status=1
    fi
    [ "$(echo "$shown" | grep -c '^weft_[a-z]')" -gt 100 ] || { echo "$archive shows hardly a name"; status=1; }
done
exit $status
