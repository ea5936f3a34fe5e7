"""Reads a Chrome trace as a viewer does, and checks that it holds together.

usage: check_trace.py TRACE.json STATISTICS.json

Slices of a thread nest; segments follow each other, with operators of the host between them, and everything of a
segment lies inside it; every arrow leads from the last cycle of an instruction to the first of another; the critical
path has every cycle, and the layers' cycles are those of the run. An assembled program has neither layers nor host.
"""
import collections
import json
import sys


def by_thread(slices):
    threads = collections.defaultdict(list)
    for event in slices:
        threads[event["pid"], event["tid"]].append(event)
    return threads


def end(event):
    return event["ts"] + event["dur"]


def check_nesting(slices, named):
    """In each thread a slice lies inside the one that is open, or begins behind it."""
    for thread, events in by_thread(slices).items():
        assert thread in named, f"thread {thread} has no name"
        open_slices = []
        for event in sorted(events, key=lambda e: (e["ts"], -e["dur"])):
            while open_slices and end(open_slices[-1]) <= event["ts"]:
                open_slices.pop()
            assert not open_slices or end(event) <= end(open_slices[-1]), f"{thread}: {event} leaves {open_slices[-1]}"
            open_slices.append(event)


def check_order(trace, slices, stats):
    """Segments and operators of the host follow each other in the order in which they are carried out."""
    segments = trace["otherData"]["segments"]
    shown = sorted((e for e in slices if e["cat"] == "segment"), key=lambda e: e["ts"])
    assert [(e["ts"] - 1, e["dur"]) for e in shown] == [(s["ts"], s["cycles"]) for s in segments], shown
    assert sum(s["cycles"] for s in segments) == stats["cycles"]
    hosts = sorted((e for e in slices if e["cat"] == "host"), key=lambda e: e["ts"])
    assert [e["name"] for e in hosts] == [op["op"] for op in stats["host_ops"]]
    layers = [sum(e["cat"] == "operator" and end(e) <= host["ts"] for e in slices) for host in hosts]
    assert all(found <= op["before"] for found, op in zip(layers, stats["host_ops"])), layers
    line = sorted(shown + hosts, key=lambda e: e["ts"])
    assert line[0]["ts"] == 1
    for before, after in zip(line, line[1:]):
        assert end(before) == after["ts"], (before, after)
    for event in slices:
        if event["cat"] != "host":
            assert any(s["ts"] < event["ts"] and end(event) <= s["ts"] + s["cycles"] + 1 for s in segments), event
    return segments


def check_flows(events, slices):
    """Arrows begin and end in slices of instructions; returns how many there are."""
    instructions = [e for e in slices if e["cat"] == "instruction"]
    last = {(e["tid"], end(e) - 1): e for e in instructions}
    first = {(e["tid"], e["ts"]): e for e in instructions}
    begins = {e["id"]: e for e in events if e["ph"] == "s"}
    ends = {e["id"]: e for e in events if e["ph"] == "f"}
    assert begins.keys() == ends.keys()
    assert len(begins) == sum(e["ph"] == "s" for e in events) == sum(e["ph"] == "f" for e in events)
    for number, begin in begins.items():
        finish = ends[number]
        giver, taker = last[begin["tid"], begin["ts"]], first[finish["tid"], finish["ts"]]
        assert begin["ts"] < finish["ts"] and finish["bp"] == "e" and begin["pid"] == finish["pid"], (begin, finish)
        assert giver["tid"] // 100 != taker["tid"] // 100, (giver, taker)  # of different units
    return len(begins)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        trace = json.load(file)
    with open(sys.argv[2], encoding="utf-8") as file:
        stats = json.load(file)
    stats.setdefault("host_ops", [])
    events = trace["traceEvents"]
    slices = [e for e in events if e["ph"] == "X"]
    assert all(e["ts"] >= 1 and e["dur"] >= 1 for e in slices)
    named = {(e["pid"], e["tid"]) for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
    check_nesting(slices, named)
    segments = check_order(trace, slices, stats)
    flows = check_flows(events, slices)
    path = sorted((e for e in slices if e["cat"] == "path"), key=lambda e: e["ts"])
    assert sum(e["dur"] for e in path) == stats["cycles"]
    layers = [e for e in slices if e["cat"] == "operator"]
    assert sum(e["args"]["cycles"] for e in layers) == (stats["cycles"] if "layers" in stats else 0)
    for key in ["version", "model_fingerprint", "config_fingerprint", "parameters"]:
        assert trace["otherData"][key] == stats[key], key
    print(f"{len(slices)} slices of {len(named)} threads nest; {len(segments)} segments and "
          f"{len(stats['host_ops'])} operators of the host in order; {flows} arrows")


main()
