"""Do the intervals of a simulated profile hold the exact shares? Those are callgrind's, which counts each instruction of
each object by itself: of gzip, sort and naive, each sampled with several periods."""
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

PERIODS = tuple(7_001 + 211 * i for i in range(20))  # with few common factors
LEAST = 0.002  # of the instructions: objects with less are seldom met


def exact_shares(directory, command):
    """Instructions by object, as callgrind writes them (its manual, "Callgrind Format Specification")."""
    out = directory / "callgrind.out"
    subprocess.run(["valgrind", "-q", "--tool=callgrind", "--vex-guest-chase=no", f"--callgrind-out-file={out}", *command],
                   env={**os.environ, "LC_ALL": "C.UTF-8"},  # that of tacho: what sort does depends on it
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    sums, names, now, called = collections.Counter(), {}, None, False
    for line in out.read_text().splitlines():
        if name := re.fullmatch(r"c?ob=\((\d+)\)(?: (.*))?", line):
            number, path = name.groups()
            if path:
                names[number] = pathlib.Path(path).name
            if line.startswith("ob="):
                now = names[number]
        elif line.startswith("calls="):
            called = True
        elif re.match(r"[+\-*\d]", line):
            if not called:  # what a call cost is its callee's
                sums[now] += int(line.split()[1])
            called = False
    return {name: count / sum(sums.values()) for name, count in sums.items()}


@needs_simulator
class Accuracy(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="tacho-shares-")
        self.addCleanup(scratch.cleanup)
        self.directory = pathlib.Path(scratch.name)
        words = random.Random(1).choices([f"{i:x}" for i in range(500, 2_000)], k=12_000)
        (self.directory / "words").write_text("\n".join(words))

    def test_intervals_hold_the_exact_shares(self):
        """At least 93 of 100."""
        words = str(self.directory / "words")
        held, of = 0, 0
        for command in (["gzip", "-c", words], ["sort", words], [example("naive"), "60"]):
            exact = exact_shares(self.directory, [shutil.which(command[0]), *command[1:]])
            for period in PERIODS:
                recording = self.directory / "perf.data"
                recorded = run("record", "-q", "--pmu", "simulated", "-e", "instructions", "-c", period, "-o", recording,
                               "--", *command)
                self.assertEqual(recorded.code, 0, recorded.stderr)
                rows = run("report", "-i", recording, "--sort", "module", "--json").json()["rows"]
                shares = {row["module"]: row["ci95"] for row in rows}
                for name, share in exact.items():
                    if LEAST < share < 1 - LEAST:
                        low, high = shares.get(name, (0, 0))
                        held += low <= share <= high
                        of += 1
        print(f"held {held} of {of}")
        self.assertGreaterEqual(of, 100)
        self.assertGreaterEqual(held, fewest_held(of))


if __name__ == "__main__":
    unittest.main()
