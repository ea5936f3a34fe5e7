#!/bin/sh
# Fails when a file includes a header of a folder that its own may not use.
# usage: check_includes.sh SOURCE_DIR
cd "$1" || exit 2
status=0

# check FOLDER ALLOWED...: files of FOLDER include project headers of FOLDER and ALLOWED only.
check() {
    folder=$1
    pattern=$(printf '%s\n' "$@" | paste -sd'|')
    wrong=$(find "$folder" -maxdepth "${depth:-9}" \( -name '*.c' -o -name '*.h' -o -name '*.cpp' \) -exec \
        grep -HnE '^#include "[a-z_]+/' {} + | grep -vE "#include \"($pattern)/")
    if [ -n "$wrong" ]; then
        echo "$folder may include only: $*"
        echo "$wrong"
        status=1
    fi
}

check base
check isa base
check sim/timing isa base
check sim/exec isa base
check sim/trace sim/timing isa base
depth=1 check sim sim/timing sim/exec isa base
unset depth
check compiler sim/timing isa base
check driver compiler sim isa base
check cli driver compiler sim isa base
exit $status
