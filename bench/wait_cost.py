#!/usr/bin/env python3
"""Measures what recording of waits costs, beside perf in the same run. Prints a table of medians.

    bench/wait_cost.py [BUILD_DIR] [--rounds N]            (default: build/release, 9 rounds)

Two processes on one CPU hand a byte to and fro, with work between: so many switches a second. They time themselves. The
recorders are on the other CPU. perf records the same: `perf record -e context-switches -c 1 --call-graph dwarf
--switch-events`. Its `perf sched record` needs tracefs, which virtual machines often lack.
"""
import argparse
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

from timing import in_turn

TURNS = 20_000  # each is two switches or more
WORK = (150_000, 25_000, 0)  # loops between


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", nargs="?", default="build/release")
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    perf = shutil.which("perf") or sys.exit("perf is not installed (Debian: linux-perf)")
    if len(os.sched_getaffinity(0)) < 2:
        sys.exit("this bench needs two CPUs")
    build = pathlib.Path(options.build).resolve()
    tacho = str(build / "bin" / "tacho")
    program = str(build / "tests" / "cli" / "workloads" / "hands_over")
    with tempfile.TemporaryDirectory() as scratch:
        ours, theirs = f"{scratch}/tacho.data", f"{scratch}/perf.data"

        def own_time(argv):
            done = subprocess.run(argv, capture_output=True, text=True, check=True)
            return float(done.stdout.split()[-1])

        print(f"{'switches/s':>10} {'alone':>9} {'--off-cpu':>10} {'--wall':>8} {'perf':>8}   bytes a switch: {'tacho':>6} {'perf':>6}")
        for work in WORK:
            turns = TURNS if work == 0 else TURNS // 4
            command = ["taskset", "-c", "0", program, str(turns), str(work)]
            aside = ["taskset", "-c", "1"]
            commands = {"alone": command,
                        "off": [*aside, tacho, "record", "-q", "--off-cpu", "-o", ours, "--", *command],
                        "wall": [*aside, tacho, "record", "-q", "--wall", "-o", ours + "2", "--", *command],
                        "perf": [*aside, perf, "record", "-q", "-e", "context-switches", "-c", "1", "--call-graph", "dwarf",
                                 "--switch-events", "-o", theirs, "--", *command]}
            took = in_turn(commands, options.rounds, own_time)
            alone = statistics.median(took["alone"])
            slower = [100 * (statistics.median(a / b for a, b in zip(took[name], took["alone"])) - 1)
                      for name in ("off", "wall", "perf")]
            switches = 2 * turns
            sizes = [pathlib.Path(file).stat().st_size / switches for file in (ours, theirs)]
            print(f"{switches / alone:10.0f} {alone:7.3f} s {slower[0]:+9.1f}% {slower[1]:+7.1f}% {slower[2]:+7.1f}% "
                  f"{'':18}{sizes[0]:6.0f} {sizes[1]:6.0f}", flush=True)


if __name__ == "__main__":
    main()
