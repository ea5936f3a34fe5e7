#!/usr/bin/env bash
# The device-tree binding: a schema as the kernel's are, and its example is one of it; examples that are wrong are not.
# usage: check_binding.sh SOURCE_DIR
set -euo pipefail
for tool in dt-doc-validate dtc; do
    command -v $tool >/dev/null || { echo "skipped: no $tool; scripts/setup system installs dt-schema"; exit 77; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
mkdir -p schemas/misc # as the kernel has it: names say the place
cp "$1/linux/weft,accelerator.yaml" schemas/misc
binding=schemas/misc/weft,accelerator.yaml
dt-doc-validate "$binding" >messages 2>&1 || { cat messages; exit 1; }
[ ! -s messages ] || { cat messages; exit 1; }
dt-mk-schema -j "$PWD/schemas" >schema.json

# The interrupt's type is a macro of the kernel's.
dt-extract-example "$binding" | sed '/^#include\|^ *#include/d; s/IRQ_TYPE_LEVEL_HIGH/4/' >example.dts

# judge FILE: what dt-validate says of the accelerator in it.
judge() {
    dtc -q -O dtb -o "$1.dtb" "$1"
    dt-validate -s schema.json "$1.dtb" >said 2>&1 || { cat said; exit 1; }
    grep accelerator said || true
}
[ -z "$(judge example.dts)" ] || { judge example.dts; exit 1; }
for wrong in 's/reg = <0x40000000 0x1000>;//' 's/resets =/polling; resets ='/; do
    sed "$wrong" example.dts >wrong.dts
    cmp -s example.dts wrong.dts && { echo "'$wrong' changes nothing"; exit 1; }
    [ -n "$(judge wrong.dts)" ] || { echo "'$wrong' is not noticed"; exit 1; }
done
echo "the binding is a schema, its example one of it, wrong ones are not"
