#!/usr/bin/env python3
"""Measures the cost of tacho dump beside perf script, on a synthetic recording.

    bench/dump_cost.py [MEGABYTES] [RUNS] [--chains | --branches]      tacho of build/release

Prints the medians of elapsed time, CPU time and peak memory. The runs alternate. The addresses of the
synthetic recording are random: the worst case, because hardly any lookup repeats a recent one.
"""
import argparse
import os
import pathlib
import shutil
import statistics
import subprocess
import tempfile

from timing import cost

ROOT = pathlib.Path(__file__).resolve().parents[1]
TACHO = os.environ.get("TACHO", str(ROOT / "build" / "release" / "bin" / "tacho"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("megabytes", type=int, nargs="?", default=1000, help="size of the recording in MB (default: 1000)")
    parser.add_argument("runs", type=int, nargs="?", default=3, help="runs of each command (default: 3)")
    kinds = parser.add_mutually_exclusive_group()
    kinds.add_argument("--chains", action="store_true", help="with call chains of 20 addresses")
    kinds.add_argument("--branches", action="store_true", help="with branch stacks of 32 entries, which are printed")
    given = parser.parse_args()
    kind = ["--chains"] if given.chains else ["--branches"] if given.branches else []
    fields = ["-F", "ip,brstack"] if given.branches else []
    with tempfile.TemporaryDirectory() as directory:
        maker, data = (os.path.join(directory, name) for name in ("make_recording", "perf.data"))
        subprocess.run(["c++", "-std=c++23", "-O2", ROOT / "bench" / "make_recording.cpp", "-o", maker], check=True)
        subprocess.run([maker, data, str(given.megabytes), *kind], check=True, stdout=subprocess.DEVNULL)
        commands = {"tacho dump": [TACHO, "dump", "-i", data, *fields],
                    "tacho dump --json": [TACHO, "dump", "-i", data, "--json", *fields],
                    "tacho dump --raw": [TACHO, "dump", "-i", data, "--raw"]}
        if perf := shutil.which("perf"):
            commands["perf script"] = [perf, "script", "--no-inline", "-i", data, *fields]
        found = {name: [] for name in commands}
        for _ in range(given.runs):
            for name, command in commands.items():
                found[name].append(cost(command))
        print(f"a recording of {given.megabytes} MB, median of {given.runs} runs")
        for name, costs in found.items():
            seconds, busy, memory = (statistics.median(column) for column in zip(*costs))
            print(f"{name:<18} {seconds:8.2f} s {busy:8.2f} s CPU {memory:8.0f} MB")


if __name__ == "__main__":
    main()
