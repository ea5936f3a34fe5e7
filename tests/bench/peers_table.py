"""Weft beside its peers, as Markdown: what scripts/peers prints and README.md holds."""
import peers

BEGIN = ("<!-- What scripts/peers printed, from tests/bench/peers.json and networks.def; "
         "scripts/peers --readme writes it anew. -->")
END = "<!-- The end of what scripts/peers printed. -->"


def seconds(value):
    """Two digits that count."""
    if value >= 9.95:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 0.995 else f"{value:.2g}"


def short(value):
    """1,234,567 as 1.2 million."""
    for unit, name in ((1e9, "billion"), (1e6, "million"), (1e3, "thousand")):
        if value >= unit:
            return f"{value / unit:.2g} {name}" if value < 100 * unit else f"{value / unit:.0f} {name}"
    return f"{value:.0f}"


def times(theirs, ours):
    """Seconds, and how many times ours they are."""
    if theirs is None:
        return "-"
    ratio = theirs / ours
    return f"{seconds(theirs)} ({ratio:.1f})" if ratio < 9.95 else f"{seconds(theirs)} ({ratio:,.0f})"


def row(cells):
    return "| " + " | ".join(cells) + " |\n"


def table(head, rows):
    return row(head) + "|" + "---|" * len(head) + "\n" + "".join(rows)


def estimate(found, cycles):
    """Vela's cycles, and how many times Weft's they are; these are 0 where all of it is on the host."""
    if "refused" in found:
        return "refused"
    if cycles == 0:
        return f"{found['cycles']:,}"
    return f"{found['cycles']:,} ({found['cycles'] / cycles:.1f})"


def vela_host(found):
    """The operators left to the CPU: those of both machines where they differ."""
    counts = [f"{f['cpu_operators']} of {f['cpu_operators'] + f['npu_operators']}"
              for f in found.values() if "refused" not in f]
    return ", ".join(dict.fromkeys(counts)) or "-"


def host(found):
    count = found["host_operators"]
    return (f"{count} of {found['operators']}, {100 * found['host_macs_share']:.1f} %"
            if count else f"0 of {found['operators']}")


def network_row(name, found, ideal, cycles):
    ours, theirs = found["weft"], found["vela"]
    took = found["seconds"]
    compiled = [seconds(took["weft_compile"]), times(took["vela_compile"], took["weft_compile"])]
    return row([name, f"{ideal:,}", f"{cycles:,}", *(estimate(theirs[m], cycles) for m in peers.VELA_FLAGS),
                host(ours), vela_host(theirs), *compiled])


def simulator_row(name, found, cycles):
    took, theirs = found["seconds"], found["scale_sim"]
    cells = [name, f"{cycles:,}", seconds(took["weft_run_alone"]), short(cycles / took["weft_run_alone"]),
             seconds(took["weft_run"])]
    if "refused" in theirs:
        return row(cells + ["refused", "-", "-", "-"])
    return row(cells + [f"{theirs['cycles']:,} ({theirs['cycles_with_first_loads']:,})", seconds(took["scale_sim_alone"]),
                        short(theirs["cycles"] / took["scale_sim_alone"]), times(took["scale_sim"], took["weft_run"])])


def flags(machine):
    return "`" + " ".join(peers.VELA_FLAGS[machine]) + "`"


def notes_on_vela(found):
    return f"""\
*Ideal*: all 256 multipliers busy in every cycle. *Weft*: exact cycles of the cycle simulator, and so of the RTL. *U55-256*, *U65-256*: what
Vela {found['versions']['ethos-u-vela']} estimates (`cycles_total` of its summary), in brackets how many times Weft's cycles. *Host*: operators left to the processor, of
all after each compiler's own fusing and splitting, and for Weft their share of the multiplications; no cycle of them is in the cycles.
*Seconds*: processor time of `weft compile` for ref16 and of `vela` for U55-256, in brackets how many times Weft's; of Vela's,
some 0.2 s are the start of Python. Vela's flags, and why:

- U55-256: {flags('U55-256')}.
  The Ethos-U55 with as many multipliers as ref16, in a system of Arm's own description (500 MHz). Everything lies in one SRAM, of whatever
  size a network needs, with 8 bytes a cycle, as many as ref16's memory port moves, after 32 cycles, where ref16 waits 100: the kindest memory.
- U65-256: {flags('U65-256')}.
  As many multipliers, too, with memory as ref16 has it: weights and tensors in DRAM (7.5 bytes a cycle after 500 cycles), and a cache of
  512 KB on chip, where ref16 has 464 KB.

What they count is not the same. Weft's cycles are those of one program on one machine: its instructions are fetched over the same memory
port, units wait for each other, and the RTL takes as many. Vela simulates nothing: it adds up formulas for each operator, of a machine whose
RTL is not public; a real Ethos-U may take more or fewer. Its memories and clocks are others, and cycles say nothing about megahertz. Vela
has a small softmax on the NPU, which Weft leaves to the host; Weft leaves out channels that nothing needs (vww: half of its
multiplications) and products with padding, which Vela counts.
"""


def notes_on_scale_sim(found):
    return f"""\
*Alone* is the simulation without the start of its process, *command* the processor time of all of it: `weft run X.weft --timing-only`, which
also reads the file and proves the program free of faults, and Python with SCALE-Sim {found['versions']['scalesim']} (in brackets how many times Weft's).
SCALE-Sim gets each layer with multiplications as a product of matrices (M pixels, N channels, K inputs of each; a depthwise convolution is
one product for each channel), on an array of 16 x 16 that keeps its weights (`Dataflow = ws`), with 256, 128 and 64 KB for inputs, weights
and results as ref16's ACT, WGT and ACC, and 8 elements a cycle from and to memory (`InterfaceBandwidth = USER`; `Bandwidth` and both
`SRAMBankBandwidth` 8); layouts in memory, sparsity and Ramulator are off. Traces are off, too, through its library: its command writes
them whatever `-s` says.

Its cycles leave out the first loads of each layer (in brackets: with them), the latency of memory, instructions, biases, requantisation,
activations, sums and pools, and what layers could overlap; inputs are whole matrices, each pixel as often as windows have it. Weft's are
those of the whole network. Weft's simulator computes when each instruction starts and ends, without data; SCALE-Sim makes the address of
every operand in every cycle, in Python, and looks it up. Larger networks would take it minutes to an hour at this speed, and are left out.
"""


def notes_on_machine(found):
    machine = found["machine"]
    busy = ", so other work kept them busy: compare these times with each other alone" if machine["load"] > 0.5 else ""
    return (f"Times: one run of `scripts/peers`, the best of {found['repeat']}, Weft's and Vela's in turn, and SCALE-Sim's once, on "
            f"{machine['cores']} cores of {machine['processor']}.\nThe load was {machine['load']:.1f} at the start{busy}.\n")


def refusals(found):
    """A line for everything that was refused."""
    lines = []
    for name, network in found["networks"].items():
        parts = {**network["vela"], "SCALE-Sim": network.get("scale_sim", {})}
        lines += [f"- {name}: {part['refused']}" for part in parts.values() if "refused" in part]
    return "Refused:\n\n" + "\n".join(lines) + "\n\n" if lines else ""


def text(found, ideal, cycles):
    """The tables of a run; ideal and Weft's cycles of each network are given."""
    networks = found["networks"]
    first = table(["network", "ideal", "Weft", *peers.VELA_FLAGS, "host: Weft", "host: Vela", "seconds: Weft", "seconds: Vela"],
                  [network_row(name, network, ideal[name], cycles[name]) for name, network in networks.items()])
    second = table(["simulator", "Weft: cycles", "seconds alone", "cycles a second", "command", "SCALE-Sim: cycles", "seconds alone",
                    "cycles a second", "command"],
                   [simulator_row(name, network, cycles[name]) for name, network in networks.items()
                    if "scale_sim" in network])
    simulators = f"{second}\n{notes_on_scale_sim(found)}\n" if "scale_sim" in str(networks) else ""
    return f"{first}\n{refusals(found)}{notes_on_vela(found)}\n{simulators}{notes_on_machine(found)}"


def replaced(readme, block):
    """README.md with another block between its marks."""
    before, begin, rest = readme.partition(BEGIN + "\n")
    _, end, after = rest.partition(END + "\n")
    if not begin or not end or BEGIN in rest or END in after:
        raise peers.PeerError("README.md has no block of scripts/peers, or several")
    return before + begin + block + end + after
