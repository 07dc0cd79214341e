"""Optimisers of programs take simulated branch stacks (docs/how-to/pgo.md): BOLT, clang with llvm-profgen, and clang with
autofdo. Each optimised program gives the same result and takes fewer branches, counted in the simulation."""
import pathlib
import shutil
import struct
import subprocess
import sys
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))

import perf_data  # noqa: E402
from perf_data import SAMPLE  # noqa: E402
from tacho_cli import SOURCE, Scratch, needs_simulator, run, workload  # noqa: E402

MMAP2 = 10
PAGE = 4096
ROUNDS = 100
PERIOD = 211  # branches between two samples: a prime, so that samples don't keep step with a loop


# BOLT's program is perf2bolt only under this name: as perf2bolt-19 it is llvm-bolt.
PERF2BOLT = "/usr/lib/llvm-19/bin/perf2bolt"
PACKAGES = {"perf": "linux-perf", PERF2BOLT: "bolt-19", "llvm-bolt-19": "bolt-19", "clang++-19": "clang-19",
            "llvm-profgen-19": "llvm-19", "create_llvm_prof": "autofdo"}


def needs(*programs):
    missing = sorted({PACKAGES[each] for each in programs if not shutil.which(each)})
    return unittest.skipIf(missing, f"not installed: {', '.join(missing)}")


def simulate(file, *args):
    result = run("record", "-q", "--pmu", "simulated:skylake", "-b", "-o", file, *args, timeout=120)
    assert result.code == 0, result.stderr
    return result.stdout


def branch_samples(file):
    """(process, address, [(from, to)…] newest first) of each sample of a recording with one event."""
    for kind, _, body in perf_data.records(file):
        if kind == SAMPLE:
            address, process, _ = struct.unpack_from("<QII", body)
            count, = struct.unpack_from("<Q", body, 32)  # behind the time and the period
            yield process, address, [struct.unpack_from("<QQ", body, 40 + 24 * i) for i in range(count)]


@needs_simulator
class Optimisers(Scratch):
    def setUp(self):
        super().setUp()
        self.program, self.better = (str(self.directory / name) for name in ("program", "better"))

    def tool(self, *command):
        done = subprocess.run(command, cwd=self.directory, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, f"{command}\n{done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def compile(self, output, *options):
        self.tool("clang++-19", "-std=c++17", "-O2", "-gdwarf-4", *options,
                  str(SOURCE / "tests" / "cli" / "workloads" / "rare_paths.cpp"), "-o", output)

    def record(self, program):
        file = str(self.directory / "perf.data")
        simulate(file, "-e", "branches", "-c", PERIOD, "--", program, ROUNDS)
        return file

    def taken(self, program):
        """How many branches a program takes in the simulation, and what it prints."""
        file = str(self.directory / "taken.data")
        printed = simulate(file, "-e", "branches", "-c", PERIOD, "--", program, ROUNDS)
        return sum(stack[0][0] == address for _, address, stack in branch_samples(file) if stack) * PERIOD, printed

    def assert_better(self):
        before, printed = self.taken(self.program)
        after, again = self.taken(self.better)
        self.assertEqual(again, printed)
        self.assertLess(after, 0.95 * before)

    def test_the_first_samples_of_each_process_have_branches(self):
        # By frequency the first period is 1: it ends with the first instruction of a process.
        file = str(self.directory / "perf.data")
        simulate(file, "--", "sh", "-c", "true & wait")
        first = {}
        for process, _, stack in branch_samples(file):
            first.setdefault(process, stack)
        self.assertEqual(len(first), 2)
        self.assertTrue(all(first.values()), first)

    def test_mappings_are_whole_pages(self):
        file = str(self.directory / "perf.data")
        simulate(file, "-c", 100_000, "--", workload("rare_paths"), 1)
        mapped = [struct.unpack_from("<QQQ", body, 8) for kind, _, body in perf_data.records(file) if kind == MMAP2]
        self.assertGreater(len(mapped), 3)
        for start, length, offset in mapped:
            self.assertEqual((start % PAGE, length % PAGE, offset % PAGE), (0, 0, 0))

    @needs("perf", "clang++-19", PERF2BOLT, "llvm-bolt-19")
    def test_bolt(self):
        self.compile(self.program, "-Wl,-q")
        file = self.record(self.program)
        told = self.tool(PERF2BOLT, "-p", file, "-o", "bolt.fdata", self.program)
        self.assertIn("traces mismatching disassembled function contents: 0 ", told)
        self.tool("llvm-bolt-19", self.program, "-o", self.better, "-data=bolt.fdata", "-reorder-blocks=ext-tsp",
                  "-reorder-functions=hfsort", "-split-functions", "-split-all-cold")
        self.assert_better()

    @needs("perf", "clang++-19", "llvm-profgen-19")
    def test_clang_with_llvm_profgen(self):
        self.compile(self.program, "-fdebug-info-for-profiling")
        file = self.record(self.program)
        self.tool("llvm-profgen-19", f"--perfdata={file}", f"--binary={self.program}", "--output=program.prof")
        self.compile(self.better, "-fdebug-info-for-profiling", "-fprofile-sample-use=program.prof")
        self.assert_better()

    @needs("clang++-19", "create_llvm_prof")
    def test_clang_with_autofdo(self):
        self.compile(self.program)
        # autofdo 0.19 garbles the names of inlined functions.
        recorded = str(self.directory / "recorded")
        self.compile(recorded, "-fdebug-info-for-profiling", "-fno-inline")
        file = self.record(recorded)
        self.tool("create_llvm_prof", f"--binary={recorded}", f"--profile={file}", "--format=text",
                  "--out=program.prof")
        self.compile(self.better, "-fdebug-info-for-profiling", "-fprofile-sample-use=program.prof")
        self.assert_better()


if __name__ == "__main__":
    unittest.main()
