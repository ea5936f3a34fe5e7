#!/usr/bin/env bash
# Builds Linux 6.1 as a program, FOLDER/linux, for scripts/uml; what is there and as it should be is left. usage: build_kernel.sh FOLDER
set -euo pipefail
folder=$1
here=$(cd "$(dirname "$0")" && pwd)
source=/usr/src/linux-source-6.1.tar.xz
stamp=$(cat "$here/build_kernel.sh" "$here/kernel.config" | sha256sum; stat -c %Y $source)
[ "$(cat "$folder/stamp" 2>/dev/null)" != "$stamp" ] || exit 0
rm -rf "$folder"
mkdir -p "$folder"
tar -xJf $source -C "$folder" --strip-components 1
cd "$folder"

# Two constants are too small here:
# - the state of the processor's vectors: 2696 bytes do not hold AMX, and the host takes all of it or nothing (EFAULT). Stacks of the
#   kernel have to hold it, too, so they are larger (kernel.config);
# - looks at the answer of a card: 40,000 are over in 40 ms, which a busy computer does not keep.
sed -i 's/DEFINE_LONGS(HOST_FP_SIZE, 2696)/DEFINE_LONGS(HOST_FP_SIZE, 11264)/' arch/x86/um/user-offsets.c
sed -i 's/^#define UM_VIRT_PCI_MAXDELAY 40000$/#define UM_VIRT_PCI_MAXDELAY 40000000/' arch/um/drivers/virt-pci.c
grep -q 11264 arch/x86/um/user-offsets.c
grep -q 40000000 arch/um/drivers/virt-pci.c

make -s ARCH=um tinyconfig
ARCH=um scripts/kconfig/merge_config.sh -m .config "$here/kernel.config"
make -s ARCH=um olddefconfig
# What cannot be had is left out without a word.
grep '^CONFIG' "$here/kernel.config" | while read -r line; do
    grep -qxF "$line" .config || { echo "the kernel has no $line"; exit 1; }
done
make -s ARCH=um -j"$(nproc)"
echo "$stamp" >stamp
