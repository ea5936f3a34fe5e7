#!/usr/bin/env bash
# The structures of linux/weft_ioctl.h have the same layout in a program of 32 bits. usage: check_layout.sh SOURCE_DIR CLANG
set -euo pipefail
[ "$(uname -m)" = x86_64 ] || { echo "skipped: this is no x86-64"; exit 77; }
# The kernel's headers know both; they lie in the folder of the 64-bit architecture.
"$2" -m32 -std=c11 -Wall -Wextra -Werror -fsyntax-only -I"$1" -I/usr/include/x86_64-linux-gnu "$1/tests/linux/layout.c"
