"""Reads a digit, and asks what another machine would take. usage: digits.py [MODEL] (default: the embedded network)

Run it in the root of the tree after `pip install .`.
"""

import sys

import numpy as np

import weft

model = sys.argv[1] if len(sys.argv) > 1 else "models/digits/digits.tflite"

# A seven, drawn with two strokes.
picture = np.zeros((16, 16), np.float32)
picture[3:5, 4:12] = 1
for row in range(5, 14):
    picture[row, 12 - row // 2 : 14 - row // 2] = 1

module = weft.compile(model)
tensor = module.inputs[0]
result = module.run(tensor.quantize(picture).reshape(tensor.shape))
chances = result.dequantized().ravel()
print(f"a {chances.argmax()}, {100 * chances.max():.0f} %, after {result.cycles:,} cycles of {module.config.name}")

for layer in module.report().layers:
    print(f"{layer['number']:4} {layer['op']:18} {layer['tensor']:14} {layer.get('cycles', 'host'):>6}")

for changes in ({"memory_latency": 20}, {"memory_latency": 400}, {"memory_width": 16}, {"act_bytes": 32768}):
    machine = weft.Config.ref16().replace(**changes)
    cycles = weft.compile(model, machine).cycles
    print(f"with {changes}: {cycles:,} cycles, {100 * cycles / result.cycles - 100:+.1f} %")
