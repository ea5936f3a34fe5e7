#!/usr/bin/env bash
# Judges what an image of kernels said (main_riscv.c): no call came to something else, but for floats of kernels that are listed.
# usage: check_report.sh REPORT LISTED
set -euo pipefail
report=$1
listed=$2
awk -v listed="$listed" '
    BEGIN {
        while ((getline line < listed) > 0) {
            if (line !~ /^#/) {
                split(line, words, " ")
                most[words[1]] = words[3]
            }
        }
    }
    # NAME: call N, status S, differ D, beyond B, most M
    / call [0-9]+, status / {
        name = $1
        sub(":", "", name)
        if (!(name in most) || $5 != "0," || $9 != "0," || $11 + 0 > most[name] + 0) {
            print "wrong: " $0
            wrong = 1
        }
        differs[name] = 1
        next
    }
    / came to something else$/ { ended = 1; print; next }
    { print "wrong: " $0; wrong = 1 }
    END {
        for (name in most) {
            if (!(name in differs)) {
                print "wrong: " name " is listed, and does not differ"
                wrong = 1
            }
        }
        exit wrong || !ended
    }' "$report"
