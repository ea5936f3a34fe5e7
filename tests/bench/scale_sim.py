"""Products of matrices on SCALE-Sim, which the Python of build/peers has.

usage: scale_sim.py CONFIG.cfg TOPOLOGY.csv LAYOUT.csv FOLDER
Prints a JSON object: cycles, stalls included; those with the loads before the first product of each
layer; and the processor seconds of the simulation alone. It calls the library, since the command of
3.0.0 writes every trace, whatever its option -s says.
"""
import csv
import json
import pathlib
import sys
import time

from scalesim.scale_sim import scalesim


def main():
    config, topology, layout, folder = sys.argv[1:]
    started = time.process_time()
    simulator = scalesim(save_disk_space=True, verbose=False, config=config, topology=topology,
                         layout=layout, input_type_gemm=True)
    simulator.run_scale(top_path=folder)
    seconds = time.process_time() - started
    report, = pathlib.Path(folder).glob("*/COMPUTE_REPORT.csv")
    with open(report, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, skipinitialspace=True))
    print(json.dumps({
        "layers": len(rows),
        "cycles": sum(int(row["Total Cycles"]) for row in rows),
        "cycles_with_first_loads": sum(int(row["Total Cycles (incl. prefetch)"]) for row in rows),
        "seconds": seconds}))


if __name__ == "__main__":
    main()
