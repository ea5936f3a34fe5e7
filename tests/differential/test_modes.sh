#!/usr/bin/env bash
# MobileNetV2 of Keras as int16x8, dynamic range and float16: weft equals LiteRT. The models are made once, by
# build/venv-tensorflow (tensorflow-cpu 2.21.0); without it and without them, or without build/venv: skipped.
# usage: test_modes.sh WEFT SOURCE_DIR
set -euo pipefail
weft=$1
source=$2
models=$source/build/models/modes
if [ ! -x "$source/build/venv/bin/python" ]; then
    echo "skipped: there is no build/venv (scripts/differential makes it)"
    exit 77
fi
if [ ! -e "$models/float16.tflite" ]; then
    if [ ! -x "$source/build/venv-tensorflow/bin/python" ]; then
        echo "skipped: neither build/models/modes nor build/venv-tensorflow (docs/testing.md)"
        exit 77
    fi
    "$source/build/venv-tensorflow/bin/python" "$source/tests/differential/modes_make.py" "$models"
fi
cd "$source/tests/differential"
exec "$source/build/venv/bin/python" modes.py "$weft" "$models"/{int16x8,int16x8_float,dynamic,float16}.tflite
