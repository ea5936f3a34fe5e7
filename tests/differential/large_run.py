"""Operators of any size (large.py) on several configurations: what is refused, what differs, what
takes long to compile."""
import collections
import itertools
import pathlib
import re
import sys
import time

import large
import large_named
from oracle import Oracle
from runner import Runner, write_case
from undefined import answer_of
from values import Values

BATCH = 20             # cases for one process of replay
MOST_COMPILE = 20      # seconds that compiling may take
MOST_SECONDS = 240     # seconds that compiling and running may take


class LargeRun:
    def __init__(self, arguments, folder):
        self.arguments = arguments
        self.oracle = Oracle(seconds=120)
        if not self.oracle.is_reference():
            sys.exit("run.py: this LiteRT does not run its reference kernels")
        options = ["--keep-regions", "--report", "--seconds", str(MOST_SECONDS)]
        self.runners = {config: Runner(arguments.replay, config, arguments.target,
                                       pathlib.Path(folder), options)
                        for config in arguments.config}
        self.compared = 0
        self.rejected = collections.Counter()
        self.found = collections.defaultdict(list)  # kind -> [(case, configuration)]
        self.reasons = collections.Counter()
        self.seconds = []  # (seconds, case, configuration)

    # ---- making cases ----

    def cases(self):
        """Name, model and source of values of every case; not all of them are made at once."""
        a = self.arguments
        if a.first == 0 and not a.only:
            for i, (name, make) in enumerate(large_named.ALL.items()):
                values = Values([a.seed, 5, i])
                yield name, make(values), values
        names = a.only.split(",") if a.only else list(large.ALL)
        for index in range(a.first, a.first + a.large):
            values = Values([a.seed, 4, index])
            name = names[index % len(names)]
            yield f"{name.lower()}-{index}", large.ALL[name](values), values

    def add(self, name, model, values):
        inputs = [values.data(t.dtype, t.shape, t.middle())
                  for t in (model.tensors[i] for i in model.inputs)]
        answer = answer_of(self.oracle, model, inputs)
        if isinstance(answer, str):
            self.rejected[answer.splitlines()[0][-80:]] += 1
            return
        outputs = answer[0]
        self.compared += 1
        content = model.to_bytes()
        first = next(iter(self.runners.values()))
        first.add(name, content, inputs, outputs)
        self.shapes[name] = " ".join("x".join(map(str, t.shape)) for t in model.tensors
                                     if t.data is None)
        self.contents[name] = (content, inputs, outputs)

    # ---- judging them ----

    def note(self, kind, case, config, text):
        self.found[kind].append((case, config))
        self.noted[kind, case].setdefault(config, text)

    def print_notes(self):
        """A line for each case, with the first reason of the first configuration."""
        for (kind, case), texts in self.noted.items():
            print(f"{kind.upper()} {case} on {' '.join(texts)}: {next(iter(texts.values()))} "
                  f"[{self.shapes[case]}]", flush=True)

    def judge(self, config, wrong, lines):
        for line in lines:
            took = re.match(r"(\S+) takes (\S+) s on ", line)
            left = re.match(r"(\S+) leaves (\S+) on (\S+): (.*)", line)
            if took:
                self.seconds.append((float(took[2]), took[1], config))
                if float(took[2]) > MOST_COMPILE:
                    self.note("slow", took[1], config, f"{took[2]} s")
            elif left and left[3] != "host":
                self.reasons[left[4]] += 1
                if not any(text in left[4] for text in large.NOT_FOR_WANT_OF_ROOM):
                    self.note("refused", left[1], config, f"{left[2]}: {left[4]}")
        for case, text in wrong.items():
            if "elements differ" in text:
                self.note("different", case, config, text)
                self.keep(case)
            else:
                self.note("slow" if "does not end" in text else "crashed" if "any target" in text
                          or "crashes" in text or "aborted" in text else "refused",
                          case, config, text)

    def keep(self, case):
        folder = pathlib.Path(self.arguments.save) / f"{case}-{self.arguments.seed}"
        write_case(folder, *self.contents[case])
        print(f"     saved {folder}", flush=True)

    def batch(self, cases):
        self.shapes, self.contents, self.noted = {}, {}, collections.defaultdict(dict)
        for name, model, values in cases:
            self.add(name, model, values)
        first = next(iter(self.runners.values()))
        for config, runner in self.runners.items():
            runner.names = first.names
            self.judge(config, *runner.run_and_keep())
        first.forget()
        self.print_notes()

    def report(self, started):
        a = self.arguments
        print(f"seed {a.seed}, numbers {a.first} to {a.first + a.large - 1}: {self.compared} "
              f"operators on {' '.join(self.runners)}, LiteRT rejected "
              f"{sum(self.rejected.values())}; {time.monotonic() - started:.0f} s")
        for kind in ("refused", "different", "slow", "crashed"):
            found = set(self.found[kind])
            by = collections.Counter(config for _, config in found)
            print(f"{kind}: {len({case for case, _ in found})} operators",
                  *(f"{config} {n}" for config, n in sorted(by.items())))
        self.seconds.sort(reverse=True)
        print("slowest to compile:", ", ".join(f"{case} on {config} {seconds:.1f} s" for
                                               seconds, case, config in self.seconds[:5]))
        for title, counts in (("left to the host", self.reasons), ("rejected", self.rejected)):
            for reason, count in counts.most_common(12):
                print(f"    {title}: {count} x {reason}")


def run(arguments, folder):
    """Returns 1 when an operator is refused, unless that is allowed, differs, crashes or is slow to
    compile, else 0."""
    started = time.monotonic()
    session = LargeRun(arguments, folder)
    cases = session.cases()
    while batch := list(itertools.islice(cases, BATCH)):
        session.batch(batch)
    session.report(started)
    session.oracle.close()
    return 1 if any(session.found.values()) else 0
