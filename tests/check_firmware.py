#!/usr/bin/env python3
"""Builds the run time of firmware/ for every processor that it is for, and measures it.

usage: check_firmware.py SOURCE_DIR [--table]

For each compiler that is there: builds with warnings as errors; looks at what the objects need, which is memcpy(), memset() and
memmove() alone; links the run time with softmax and compares text and the deepest stack with their limits. --table prints the
sizes as docs/firmware.md has them; without it they are compared with that page, if the compilers are those that made it. Ends
with 77 when a compiler is missing and nothing is wrong.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

# Options that make the compiler this processor; the C library's header is ours (HEADER).
TARGETS = {
    "rv32imc": ["riscv64-unknown-elf-gcc", "-march=rv32imc", "-misa-spec=2.2", "-mabi=ilp32"],
    "rv32imac": ["riscv64-unknown-elf-gcc", "-march=rv32imac", "-misa-spec=2.2", "-mabi=ilp32"],
    "thumbv7em": ["arm-none-eabi-gcc", "-march=armv7e-m", "-mthumb", "-mfloat-abi=soft", "-fno-short-enums"],
    "x86-64": ["gcc", "-march=x86-64", "-mgeneral-regs-only", "-fno-stack-protector", "-fno-pie", "-fcf-protection=none"],
}
# Of what docs/firmware.md was measured with.
VERSIONS = {"riscv64-unknown-elf-gcc": "12.2.0", "arm-none-eabi-gcc": "12.2.1", "gcc": "12.2.0"}
OPTIONS = ["-std=c17", "-Os", "-ffreestanding", "-nostdlib", "-ffunction-sections", "-fdata-sections", "-Wall", "-Wextra",
           "-Wconversion", "-Wshadow", "-Wdouble-promotion", "-Werror", "-fcallgraph-info=su", "-I."]
HEADER = """#include <stddef.h>
void *memcpy(void *to, const void *from, size_t bytes);
void *memmove(void *to, const void *from, size_t bytes);
void *memset(void *to, int value, size_t bytes);
"""
# What the run time needs, where it is not measured.
OUTSIDE = """#include <string.h>
#define OUTSIDE __attribute__((section(".outside"), used))
OUTSIDE void *memcpy(void *to, const void *from, size_t bytes) { (void)from; (void)bytes; return to; }
OUTSIDE void *memmove(void *to, const void *from, size_t bytes) { (void)from; (void)bytes; return to; }
OUTSIDE void *memset(void *to, int value, size_t bytes) { (void)value; (void)bytes; return to; }
OUTSIDE void _start(void) { }
"""
RUN_TIME = ["firmware/weft_firmware.c"]
SOFTMAX = ["kernels/qnn_softmax.c", "kernels/exponential.c"]
OTHERS = {"check": ["firmware/check.c", "firmware/crc32.c"], "texts": ["firmware/status_text.c"], "defaults": ["firmware/defaults.c"]}
MOST_TEXT = 2560  # bytes, of run time and softmax on rv32imc
MOST_STACK = 1024
ALLOWED = {"memcpy", "memset", "memmove"}
ROOTS = ["init", "run", "start", "poll", "interrupt", "abort", "reset"]


def run(command, **options):
    return subprocess.run(command, check=True, text=True, capture_output=True, **options).stdout


class Target:
    """One processor's compiler and what it makes."""

    def __init__(self, name, source, folder):
        self.name = name
        self.compiler = TARGETS[name]
        self.prefix = self.compiler[0][:-3]
        self.source = source
        self.folder = folder / name
        self.folder.mkdir()
        (self.folder / "string.h").write_text(HEADER)
        (self.folder / "outside.c").write_text(OUTSIDE)

    def compile(self, path):
        out = self.folder / (pathlib.Path(path).stem + ".o")
        if not out.exists():
            made = subprocess.run([*self.compiler, *OPTIONS, f"-isystem{self.folder}", "-c", str(path), "-o", str(out)],
                                  cwd=self.source, text=True, capture_output=True)
            if made.returncode != 0:
                sys.exit(f"check_firmware: {path} for {self.name}:\n{made.stderr}")
        return out

    def text(self, sources):
        """Bytes of text and constants of the linked sources, without what is not used."""
        objects = [self.compile(path) for path in sources]
        outside = self.compile(self.folder / "outside.c")
        keep = [f"-Wl,-u,{name}" for path in objects for name in self.symbols(path, "--defined-only")]
        image = self.folder / "image"
        run([*self.compiler, "-nostdlib", "-static", "-Wl,--gc-sections", "-Wl,--no-warn-rwx-segments", *keep, *objects, outside,
             "-o", image])
        sizes = run([self.prefix + "size", "-A", image])
        wanted = re.findall(r"^\.(?:text|rodata|srodata)\S*\s+(\d+)", sizes, re.MULTILINE)
        return sum(int(size) for size in wanted)

    def symbols(self, path, which):
        lines = run([self.prefix + "nm", "--format=posix", "--extern-only", which, path]).splitlines()
        return [line.split()[0] for line in lines if len(line.split()) > 1]

    def needs(self, sources):
        objects = [self.compile(path) for path in sources]
        defined = {name for path in objects for name in self.symbols(path, "--defined-only")}
        return {name for path in objects for name in self.symbols(path, "--undefined-only")} - defined

    def deepest(self, sources, root):
        """Bytes of stack of a function and the deepest of what it calls in these sources."""
        frames, calls = {}, {}
        for path in sources:
            graph = (self.folder / (pathlib.Path(path).stem + ".ci")).read_text()
            unit = pathlib.Path(path).name
            for title, label in re.findall(r'node: \{ title: "([^"]+)" label: "([^"]+)"', graph):
                size = re.search(r"\\n(\d+) bytes", label)
                if size:
                    frames[title] = int(size.group(1))
            for caller, callee in re.findall(r'edge: \{ sourcename: "([^"]+)" targetname: "([^"]+)"', graph):
                calls.setdefault(caller, set()).add(callee)
            assert any(unit in title or title.startswith("weft_") for title in frames), unit

        def depth(name, above):
            assert name not in above, f"{name} calls itself"
            return frames.get(name, 0) + max((depth(next, above | {name}) for next in calls.get(name, ())), default=0)

        assert root in frames, f"{self.name}: there is no frame of {root}"
        return depth(root, frozenset())


def measure(target):
    """A line of the table; ends the program when something is over its limit."""
    for sources in [RUN_TIME, SOFTMAX, *OTHERS.values()]:
        wrong = {name for name in target.needs(sources) if name not in ALLOWED}
        if wrong:
            sys.exit(f"check_firmware: {target.name}: {', '.join(sources)} need {', '.join(sorted(wrong))}")
    both = target.text(RUN_TIME + SOFTMAX)
    stack = max(target.deepest(RUN_TIME, "weft_firmware_" + name) for name in ROOTS)
    stack += target.deepest(SOFTMAX, "weft_kernel_qnn_softmax")
    if target.name == "rv32imc" and both > MOST_TEXT:
        sys.exit(f"check_firmware: run time and softmax have {both} bytes of text on rv32imc, at most {MOST_TEXT}")
    if stack > MOST_STACK:
        sys.exit(f"check_firmware: {target.name}: {stack} bytes of stack, at most {MOST_STACK}")
    return (f"| {target.name} | {target.text(RUN_TIME):,} | {both:,} | {target.text(OTHERS['check']):,} | "
            f"{target.text(OTHERS['texts']):,} | {stack} |")


def main():
    source = pathlib.Path(sys.argv[1]).resolve()
    page = (source / "docs/firmware.md").read_text() if "--table" not in sys.argv else ""
    missing = False
    with tempfile.TemporaryDirectory() as folder:
        for name, (compiler, *_) in TARGETS.items():
            if shutil.which(compiler) is None:
                print(f"skipped: {name}: there is no {compiler}; scripts/setup system installs it")
                missing = True
                continue
            line = measure(Target(name, source, pathlib.Path(folder)))
            print(line)
            same = run([compiler, "-dumpfullversion"]).strip() == VERSIONS[compiler]
            if page and same and line not in page:
                sys.exit("check_firmware: docs/firmware.md has other sizes: tests/check_firmware.py . --table")
    return 77 if missing else 0


sys.exit(main())
