#!/usr/bin/env python3
"""Measures the cost of tacho report beside perf report --stdio, on a synthetic recording.

    bench/report_cost.py [MEGABYTES] [RUNS]          tacho of build/release
    bench/report_cost.py --lines RECORDING           source lines, from your recording of a large program
    bench/report_cost.py --inline RECORDING          functions that were inlined, from such a recording

Prints the medians of elapsed time and of peak memory. The addresses of the synthetic recording are random: the worst
case, because hardly any lookup repeats a recent one. With --lines and --inline, perf is stopped after two minutes. perf reads
inlined functions for call chains only: record with -g.
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


def stopped_perf(recording, options):
    return ["sh", "-c", f'timeout 120 perf report -i "$0" --stdio {options}; true', recording]


def compare(commands, runs=1):
    for name, command in commands.items():
        found = [cost(command) for _ in range(runs)]
        seconds, _, memory = (statistics.median(column) for column in zip(*found))
        print(f"{name:<27} {seconds:8.2f} s{' (stopped)' if seconds >= 120 else ''} {memory:8.0f} MB")


def lines(recording):
    compare({"tacho report -s line": [TACHO, "report", "-i", recording, "-s", "line"],
             "perf report --sort srcline": stopped_perf(recording, "--sort srcline")})


def inlined(recording, runs):
    compare({"tacho report": [TACHO, "report", "-i", recording],
             "tacho report --inline": [TACHO, "report", "-i", recording, "--inline"],
             "tacho report --folded": [TACHO, "report", "-i", recording, "--folded"]}, runs)
    compare({"perf report --no-inline": stopped_perf(recording, "--no-inline"),
             "perf report --inline": stopped_perf(recording, "--inline")})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("megabytes", type=int, nargs="?", default=1000,
                        help="size of the recording in MB (default: %(default)s)")
    parser.add_argument("runs", type=int, nargs="?", default=3, help="runs of each command (default: %(default)s)")
    parser.add_argument("--lines", metavar="RECORDING", help="measure the lookup of source lines in this recording")
    parser.add_argument("--inline", metavar="RECORDING", help="measure the lookup of inlined functions in this recording")
    given = parser.parse_args()
    if given.lines:
        return lines(given.lines)
    if given.inline:
        return inlined(given.inline, given.runs)
    megabytes, runs = given.megabytes, given.runs
    with tempfile.TemporaryDirectory() as directory:
        maker, data = (os.path.join(directory, name) for name in ("make_recording", "perf.data"))
        subprocess.run(["c++", "-std=c++23", "-O2", ROOT / "bench" / "make_recording.cpp", "-o", maker], check=True)
        subprocess.run([maker, data, str(megabytes)], check=True, stdout=subprocess.DEVNULL)
        commands = {"tacho report": [TACHO, "report", "-i", data]}
        if perf := shutil.which("perf"):
            commands["perf report"] = [perf, "report", "-i", data, "--stdio"]
        print(f"a recording of {megabytes} MB, median of {runs} runs")
        for name, command in commands.items():
            found = [cost(command) for _ in range(runs)]
            seconds, _, memory = (statistics.median(column) for column in zip(*found))
            print(f"{name:<14} {seconds:8.2f} s {memory:8.0f} MB")


if __name__ == "__main__":
    main()
