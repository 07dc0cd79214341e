"""Do the intervals of a simulated profile hold the exact shares? Those are callgrind's, which counts each instruction of
each function by itself: of gzip, sort and naive, each sampled with several periods."""
import collections
import os
import pathlib
import random
import re
import shutil
import subprocess
import tempfile
import unittest

from binomial import fewest_held
from tacho_cli import example, needs_simulator, run

PERIODS = tuple(7_001 + 211 * i for i in range(34))  # with few common factors; 102 runs of three programs
LEAST = 0.002  # of the instructions: what has less is seldom met
Z = 1.959964  # of 95 %


def shares_of(counts):
    return {name: count / sum(counts.values()) for name, count in counts.items()}


def exact_shares(directory, command):
    """Shares of instructions by object, and by object and function, as callgrind writes them (its manual, "Callgrind
    Format Specification")."""
    out = directory / "callgrind.out"
    subprocess.run(["valgrind", "-q", "--tool=callgrind", "--vex-guest-chase=no", f"--callgrind-out-file={out}", *command],
                   env={**os.environ, "LC_ALL": "C.UTF-8"},  # that of tacho: what sort does depends on it
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    objects, functions, names, now, called = collections.Counter(), collections.Counter(), {}, {}, False
    for line in out.read_text().splitlines():
        if name := re.fullmatch(r"(c?)(ob|fn)=\((\d+)\)(?: (.*))?", line):
            callee, kind, number, text = name.groups()
            if text:
                names[kind, number] = pathlib.Path(text).name if kind == "ob" else re.sub(r"'\d+$", "", text)  # 'recursion
            if not callee:
                now[kind] = names[kind, number]
        elif line.startswith("calls="):
            called = True
        elif re.match(r"[+\-*\d]", line):
            if not called:  # what a call cost is its callee's
                objects[now["ob"]] += int(line.split()[1])
                functions[now["ob"], now["fn"]] += int(line.split()[1])
            called = False
    return shares_of(objects), shares_of(functions)


@needs_simulator
class Accuracy(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="tacho-shares-")
        self.addCleanup(scratch.cleanup)
        self.directory = pathlib.Path(scratch.name)
        words = random.Random(1).choices([f"{i:x}" for i in range(500, 2_000)], k=12_000)
        (self.directory / "words").write_text("\n".join(words))

    def intervals(self, recording, sort, *columns):
        """Of each row; where a name has none, that of no sample (Wilson's)."""
        report = run("report", "-i", recording, "--sort", sort, "--json").json()
        unseen = (0, Z ** 2 / (report["events"][0]["samples"] + Z ** 2))
        return collections.defaultdict(lambda: unseen, {tuple(row[column] for column in columns): row["ci95"]
                                                        for row in report["rows"]})

    def test_intervals_hold_the_exact_shares(self):
        """At least 93 of 100, of objects and of functions."""
        words = str(self.directory / "words")
        recording = self.directory / "perf.data"
        held, of = collections.Counter(), collections.Counter()
        for command in (["gzip", "-c", words], ["sort", words], [example("naive"), "60"]):
            objects, functions = exact_shares(self.directory, [shutil.which(command[0]), *command[1:]])
            by_object, by_function = [], []
            for period in PERIODS:
                recorded = run("record", "-q", "--pmu", "simulated", "-e", "instructions", "-c", period, "-o", recording,
                               "--", *command)
                self.assertEqual(recorded.code, 0, recorded.stderr)
                by_object.append(self.intervals(recording, "module", "module"))
                by_function.append(self.intervals(recording, "function", "module", "signature"))
            # Where a function has two names, or none, callgrind and tacho may show it differently; and mempcpy goes on
            # within memmove, which is mempcpy to callgrind still.
            both = {name for name in set().union(*by_function) & set(functions) if "mempcpy" not in name[1]}
            for what, exact, found in (("objects", {(name,): share for name, share in objects.items()}, by_object),
                                       ("functions", {name: functions[name] for name in both}, by_function)):
                for name, share in exact.items():
                    if LEAST < share < 1 - LEAST:
                        for intervals in found:
                            low, high = intervals[name]
                            held[what] += low <= share <= high
                            of[what] += 1
        for what in held:
            print(f"{what}: held {held[what]} of {of[what]}")
            self.assertGreaterEqual(of[what], 300)
            self.assertGreaterEqual(held[what], fewest_held(of[what]))


if __name__ == "__main__":
    unittest.main()
