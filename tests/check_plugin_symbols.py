#!/usr/bin/env python3
"""Every function that the headers of plugins declare must be one that weft shows, so that a library finds it.

usage: check_plugin_symbols.py WEFT COMPILER SOURCE_DIR BUILD_DIR
"""
import re
import subprocess
import sys

weft, compiler, source, build = sys.argv[1:]
text = subprocess.run([compiler, '-E', '-P', '-xc', '-', f'-I{source}', f'-I{build}/generated'],
                      input='#include "compiler/host/host.h"\n#include "compiler/plugin.h"\n',
                      capture_output=True, text=True, check=True).stdout
# A declaration begins a line and is neither a type, nor a function that is there already.
declared = set(re.findall(r'^(?!static|typedef| )[\w \n]+[ *\n](weft_\w+)\([^;{]*;', text, re.M))
shown = set(re.findall(r' T (weft_\w+)$', subprocess.run(['nm', '-D', weft], capture_output=True, text=True, check=True).stdout, re.M))
if len(declared) < 100:
    sys.exit(f'only {len(declared)} functions are declared: their form has changed')
missing = sorted(declared - shown)
if missing:
    sys.exit('weft does not show: ' + ' '.join(missing))
print(f'{len(declared)} functions')
