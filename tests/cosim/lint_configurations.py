#!/usr/bin/env python3
"""Has Verilator read the RTL of random legal configurations, with the flags that the RTL is built with: each of its warnings ends a build.

usage: lint_configurations.py CONFIG_PACKAGE SOURCE_DIR GENERATED_DIR SEED COUNT VERILATOR FLAG...

Parameters lie in their ranges in isa/config.def; CONFIG_PACKAGE (hw/config_package.c) refuses what isa/rules.def does, and another is drawn.
Each configuration is read in the bench with the memories of hw/rtl, in the bench with the stand-ins of hw/tb/stand_ins, and as weft_axi_machine.
"""
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

# The parameters that isa/rules.def wants to be powers of two.
POWERS = {'block', 'act_bytes', 'wgt_bytes', 'acc_bytes', 'par_bytes', 'act_banks', 'act_rams', 'wgt_banks', 'acc_banks', 'par_banks',
          'memory_width', 'memory_burst', 'fetch_buffer'}


def read_ranges(source):
    text = (source / 'isa/config.def').read_text()
    return [(name, int(low), int(high)) for name, low, high in re.findall(r'^WEFT_PARAMETER\((\w+), (\d+), (\d+),', text, re.M)]


def draw(ranges, name, numbers):
    values = {'name': name}
    for parameter, low, high in ranges:
        if parameter in POWERS:
            values[parameter] = 1 << numbers.randint(low.bit_length() - 1, high.bit_length() - 1)
        else:
            values[parameter] = numbers.choice([low, high, numbers.randint(low, high)])
    return values


def make_package(tool, ranges, name, numbers, folder):
    """Draws until a configuration is legal; writes it and its package to the folder."""
    for _ in range(100000):
        path = folder / 'configuration.json'
        path.write_text(json.dumps(draw(ranges, name, numbers), indent=1))
        made = subprocess.run([tool, path, 'package'], capture_output=True, text=True, check=False)
        if made.returncode == 0:
            package = folder / 'weft_config_pkg.sv'
            package.write_text(made.stdout)
            return package
    sys.exit(f'lint_configurations: 100,000 random configurations are illegal, the last one because of: {made.stderr}')


def main():
    tool, source, generated, seed, count, *verilator = sys.argv[1:]
    source = pathlib.Path(source)
    ranges = read_ranges(source)
    bench = ['--top-module', 'weft_bench', source / 'hw/tb/weft_bench.vlt', f'{generated}/weft_isa_pkg.sv']
    machine = ['--top-module', 'weft_axi_machine', source / 'hw/rtl/lint.vlt', f'{generated}/weft_isa_pkg.sv']
    tops = [(['-DWEFT_BENCH_BANKS', *bench], 'hw/tb/weft_bench.sv'), (['-DWEFT_CLOCK_GATES', '-y', source / 'hw/tb/stand_ins', *bench], 'hw/tb/weft_bench.sv'),
            (machine, 'hw/rtl/weft_axi_machine.sv')]
    numbers = random.Random(int(seed))
    refused = 0
    with tempfile.TemporaryDirectory() as folder:
        for i in range(int(count)):
            package = make_package(tool, ranges, f'random_{seed}_{i}', numbers, pathlib.Path(folder))
            for options, top in tops:
                read = subprocess.run([verilator[0], '--lint-only', *verilator[1:], *options, '-y', source / 'hw/rtl', '-y', generated,
                                       package, source / top], capture_output=True, text=True, check=False)
                if read.returncode != 0:
                    refused += 1
                    print(f'Verilator refuses {top} of this configuration:\n{(package.parent / "configuration.json").read_text()}\n'
                          f'{read.stderr}')
                    break
    print(f'{count} configurations of seed {seed}, {refused} of them refused')
    return 1 if refused else 0


sys.exit(main())
