#!/usr/bin/env python3
"""Measures what recording of waits costs, beside perf in the same run. Prints a table of medians.

    bench/wait_cost.py [BUILD_DIR] [--rounds N]            (default: build/release, 9 rounds)

Two processes on one CPU hand a byte to and fro, with work between: so many switches a second. They time themselves. The
recorders are on the other CPU. perf records the same: `perf record -e context-switches -c 1 --call-graph dwarf
--switch-events`. `records` is the least that tells the length of each wait: perf's records of switches alone, without any
sample (`perf record -e dummy --switch-events`). `perf sched record` records switches and wake-ups without call chains. It needs tracefs
(mount -t tracefs nodev /sys/kernel/tracing), and so do the wake-ups that tacho records.
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

WORK = {300_000: 10_000, 150_000: 20_000, 25_000: 60_000, 0: 100_000}  # loops between: turns, of two switches or more


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

        sched = os.path.exists("/sys/kernel/tracing/events/sched")
        print(f"{'switches/s':>10} {'alone':>9} {'--off-cpu':>10} {'--wall':>8} {'perf':>8} {'records':>8} {'sched':>8}   bytes a switch:"
              f" {'tacho':>6} {'perf':>6} {'sched':>6}")
        for work, turns in WORK.items():
            command = ["taskset", "-c", "0", program, str(turns), str(work)]
            aside = ["taskset", "-c", "1"]
            commands = {"alone": command,
                        "off": [*aside, tacho, "record", "-q", "--off-cpu", "-o", ours, "--", *command],
                        "wall": [*aside, tacho, "record", "-q", "--wall", "-o", ours + "2", "--", *command],
                        "perf": [*aside, perf, "record", "-q", "-e", "context-switches", "-c", "1", "--call-graph", "dwarf",
                                 "--switch-events", "-o", theirs, "--", *command]}
            commands["records"] = [*aside, perf, "record", "-q", "-e", "dummy", "--switch-events", "-o", theirs + "3", "--", *command]
            if sched:
                commands["sched"] = [*aside, perf, "sched", "record", "-q", "-o", theirs + "2", "--", *command]
            took = in_turn(commands, options.rounds, own_time)
            alone = statistics.median(took["alone"])
            slower = {name: f"{100 * (statistics.median(a / b for a, b in zip(took[name], took['alone'])) - 1):+.1f}%"
                      for name in commands if name != "alone"}
            switches = 2 * turns
            sizes = [pathlib.Path(file).stat().st_size / switches for file in (ours, theirs)]
            sizes += [pathlib.Path(theirs + "2").stat().st_size / switches] if sched else []
            print(f"{switches / alone:10.0f} {alone:7.3f} s {slower['off']:>10} {slower['wall']:>8} {slower['perf']:>8}"
                  f" {slower['records']:>8} {slower.get('sched', '-'):>8} {'':17}{' '.join(f'{size:6.0f}' for size in sizes)}", flush=True)


if __name__ == "__main__":
    main()
