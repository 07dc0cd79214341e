"""Compares the simulator with Valgrind's own cachegrind: with the same caches, each count is the same.

Both run here without tacho. A process's stack begins below its environment and arguments, and the contents of
its caches depend on the stack's address: so both get the same environment to the byte, VALGRIND_LIB included.

cachegrind runs with --vex-guest-chase=no, which the simulator sets itself. Otherwise Valgrind evaluates the second
part of a condition `a && b` before it knows the first, if that is harmless, and drops the result if the first is
false: cachegrind counts those instructions, though the program never executes them."""
import os
import platform
import random
import re
import subprocess
import unittest

from tacho_cli import SIMULATOR, Scratch, example, needs_simulator, run, workload

SAME = {"Ir": "instructions", "I1mr": "l1i-misses", "ILmr": "l2-fetch-misses",
        "D1mr": "l1d-load-misses", "DLmr": "l2-load-misses",
        "D1mw": "l1d-store-misses", "DLmw": "l2-store-misses"}
CACHES = ("--cache-sim=yes", "--I1=32768,8,64", "--D1=32768,8,64", "--LL=1048576,16,64")  # data/models/cachegrind.toml


def leb128(data):
    value = shift = 0
    for byte in data:
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            yield value
            value = shift = 0


def totals(records):
    """The sums of all slices of one process, by column. docs/explanation/simulator.md has the format."""
    names, sums = [], []
    while records:
        assert records[:4] == b"TSR1"
        kind, length = (int.from_bytes(records[at:at + 4], "little") for at in (8, 12))
        body, records = records[16:16 + length], records[16 + length:]
        if kind == 1:
            names = body.decode().split("\0")[:-1]
            sums = [0] * len(names)
        else:
            for i, value in enumerate(leb128(body)):
                sums[i % len(names)] += value
    return dict(zip(names, sums))


@needs_simulator
class Cachegrind(Scratch):
    def setUp(self):
        super().setUp()
        self.library = self.directory / "lib"
        self.library.mkdir()
        own, = SIMULATOR.glob("tacho-*")
        core = (SIMULATOR / own.name.replace("tacho-", "vgpreload_core-")).with_suffix(".so")
        for file in (own, *core.resolve().parent.iterdir()):
            (self.library / file.name).symlink_to(file.resolve())

    def valgrind(self, *args):
        environment = {"PATH": os.environ["PATH"], "LC_ALL": "C", "VALGRIND_LIB": str(self.library)}
        log = self.directory / "log"
        subprocess.run(["valgrind", "--vgdb=no", "--command-line-only=yes", f"--log-file={log}", *args],
                       env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True, timeout=120)

    def cachegrind(self, *command, chase="no"):
        out = self.directory / "cachegrind.out"
        self.valgrind("--tool=cachegrind", *CACHES, f"--cachegrind-out-file={out}", f"--vex-guest-chase={chase}",
                      *command)
        names, values = (re.search(rf"^{key}: (.*)", out.read_text(), re.MULTILINE)[1].split()
                         for key in ("events", "summary"))
        return dict(zip(names, map(int, values)))

    def model(self):
        """The file that tacho writes for the model `cachegrind`: a stand-in for valgrind copies it."""
        model = self.directory / "model"
        stand_in = self.directory / "bin" / "valgrind"
        stand_in.parent.mkdir(exist_ok=True)
        stand_in.write_text(f'#!/bin/sh\nfor arg; do case $arg in --model=*) cp "${{arg#--model=}}" {model};; esac; done\n')
        stand_in.chmod(0o755)
        run("stat", "--pmu", "simulated:cachegrind", "-e", "cycles", "--", "true",
            env={"PATH": f"{stand_in.parent}:{os.environ['PATH']}"})
        return model

    def simulator(self, *command):
        records = self.directory / "records"
        records.write_bytes(b"")
        self.valgrind("--tool=tacho", f"--model={self.model()}", f"--records={records}", *command)
        return totals(records.read_bytes())

    def test_every_count_equals_cachegrinds(self):
        text = self.directory / "text"
        numbers = random.Random(1)
        text.write_text("".join(f"{numbers.random()}\n" for _ in range(3000)))
        for command in ([example("naive"), "100"], ["sort", text], ["gzip", "-c", text]):
            with self.subTest(command[0]):
                theirs, ours = self.cachegrind(*command), self.simulator(*command)
                self.assertEqual({name: ours[name] for name in SAME.values()},
                                 {ours_name: theirs[name] for name, ours_name in SAME.items()})
                # cachegrind counts an instruction that loads from and stores to one address as one load, and a
                # locked one, of which libc has a few, as two loads.
                self.assertGreater(ours["stores"], theirs["Dw"])
                self.assertLessEqual(ours["loads"], theirs["Dr"])
                self.assertAlmostEqual(ours["loads"] / theirs["Dr"], 1, delta=1e-3)

    def test_every_count_equals_cachegrinds_where_memory_is_far(self):
        """32-bit numbers of lines can't tell the addresses of each row apart."""
        for addresses in (("c000000000", "8000000000"), ("7f0000000000", "400000000000"),
                          ("c000000000", "8000000000", "4000000000")):
            with self.subTest(addresses):
                command = (workload("far_memory"), *addresses)
                theirs, ours = self.cachegrind(*command), self.simulator(*command)
                self.assertEqual({name: ours[name] for name in SAME.values()},
                                 {ours_name: theirs[name] for name, ours_name in SAME.items()})

    @unittest.skipUnless(platform.machine() == "x86_64", "the workload has instructions of x86-64")
    def test_locked_and_repeated_instructions_are_no_branches(self):
        names = ("instructions", "loads", "stores", "branches")
        for kind, truth in (("locked", (4, 2, 2, 1)), ("swapped", (3, 1, 1, 1))):
            with self.subTest(kind):
                runs = [self.simulator(workload("not_branches"), kind, count) for count in ("1000", "2000")]
                self.assertEqual(tuple((runs[1][name] - runs[0][name]) / 1000 for name in names), truth)
        # The last round of the string instruction only finds that nothing is left.
        runs = [self.simulator(workload("not_branches"), "repeated", count) for count in ("1000", "2000")]
        self.assertEqual(tuple((runs[1][name] - runs[0][name]) / 1000 for name in names), (16, 10, 10, 1))
        self.assertLess(runs[1]["branch-misses"] - runs[0]["branch-misses"], 10)

    @unittest.skipUnless(platform.machine() == "x86_64", "the workload has instructions of x86-64")
    def test_instructions_that_a_condition_skips_are_not_counted(self):
        def per_turn(count):
            return (count("200000") - count("100000")) / 100_000
        loop = workload("both_conditions")
        self.assertEqual(per_turn(lambda n: self.simulator(loop, n)["instructions"]), 4)
        self.assertEqual(per_turn(lambda n: self.cachegrind(loop, n)["Ir"]), 4)
        self.assertEqual(per_turn(lambda n: self.cachegrind(loop, n, chase="yes")["Ir"]), 6)


if __name__ == "__main__":
    unittest.main()
