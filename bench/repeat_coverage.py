#!/usr/bin/env python3
"""Measures how often the intervals of `tacho stat -r N` hold the mean of many runs, and how wide they are:

    bench/repeat_coverage.py [--runs N] [--independent N] [--save FILE | --load FILE] [BUILD_DIR]

Defaults: 400 runs, 4,000 samples, build/release. Needs the build with its tests (make test-build). It takes about ten
minutes. The tables are in docs/explanation/accuracy.md.

Independent runs: made-up times, of which 2 to 30 are drawn at random.
Runs in a row: two real programs run one after the other, first on the machine as it is, then with one busy loop on each
CPU. Windows of 10 and of 30 runs are taken from each sequence, at every place.

  held        windows whose interval holds the mean of the whole sequence, in %; Student's interval beside it
  width       mean half-width over that of Student's interval
  A/A         two windows one after the other whose intervals exclude each other, in %
  interleaved the same, with the runs of both in turns (A B A B …)
  warned      windows with the warning that neighbouring runs are alike, in %

The intervals are those of the program: bin/repeat_intervals calls its functions.
"""
import argparse
import contextlib
import json
import math
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

import timing

ROOT = pathlib.Path(__file__).resolve().parents[1]
SIZES = (10, 30)
INDEPENDENT_SIZES = (2, 3, 5, 10, 20, 30)
DEVIATION = 0.1  # of the normal times, over their mean
TAIL = 0.8       # standard deviation of the logarithm of the skewed times
DISTRIBUTIONS = {
    "normal": (lambda source: source.gauss(1, DEVIATION), 1),
    "skewed (lognormal)": (lambda source: source.lognormvariate(0, TAIL), math.exp(TAIL ** 2 / 2)),
    "exponential": (lambda source: source.expovariate(1), 1),
}


class Intervals:
    """The program's functions, for lists of figures of the same runs."""

    def __init__(self, build):
        self.command = [build / "bin" / "repeat_intervals"]

    def of(self, windows):
        lines = "".join(json.dumps(window) + "\n" for window in windows)
        done = subprocess.run(self.command, input=lines, check=True, capture_output=True, text=True)
        return [json.loads(line) for line in done.stdout.splitlines()]


def percent(hits):
    hits = list(hits)
    return 100 * sum(hits) / len(hits)


def print_independent(intervals, samples):
    print(f"Independent runs, {samples} samples each:\n\n| times | runs | held | Student's held | width | warned |\n"
          "| --- | --- | --- | --- | --- | --- |")
    source = random.Random(1)
    for name, (draw, mean) in DISTRIBUTIONS.items():
        for size in INDEPENDENT_SIZES:
            found = intervals.of([[[draw(source) for _ in range(size)]] for _ in range(samples)])
            all_of = [each["intervals"][0] for each in found]
            held = percent(low <= mean <= high for _, low, high, _, _ in all_of)
            students = percent(abs(middle - mean) <= half for middle, *_, half in all_of)
            width = statistics.fmean(each[3] for each in all_of) / statistics.fmean(each[4] for each in all_of)
            warned = percent(bool(each["warned"]) for each in found)
            print(f"| {name} | {size} | {held:.1f} | {students:.1f} | {width:.2f} | {warned:.1f} |")


def collect(runs):
    """{(program, load): [wall seconds, CPU seconds]}, each a list over the runs in a row."""
    sequences = {}
    with tempfile.TemporaryDirectory() as scratch:
        text = pathlib.Path(scratch) / "text"
        source = random.Random(3)
        text.write_text("".join(source.choice("etaoin shrdlu\n") for _ in range(400_000)))
        programs = {"gzip": ["gzip", "-c", str(text)],
                    "python3": [sys.executable, "-S", "-c", "s = 0\nfor i in range(80000): s += i * i % 7"]}
        for load, cpus in (("quiet", contextlib.nullcontext), ("busy", timing.busy_cpus)):
            for name, command in programs.items():
                with cpus():
                    sequences[name, load] = list(zip(*(timing.once(command) for _ in range(runs))))
    return sequences


def lag1(values):
    mean = statistics.fmean(values)
    return (sum((a - mean) * (b - mean) for a, b in zip(values, values[1:])) /
            sum((value - mean) ** 2 for value in values))


def excluded(one, other):
    return percent(max(a[1], b[1]) > min(a[2], b[2]) for a, b in zip(one, other, strict=True))


def print_sequence(intervals, name, load, figures, size):
    count = len(figures[0])
    windows = [[values[at:at + size] for values in figures] for at in range(count - size + 1)]
    found = intervals.of(windows)
    doubles = range(count - 2 * size + 1)
    turns = [intervals.of([[values[at + first:at + 2 * size:2] for values in figures] for at in doubles])
             for first in (0, 1)]
    warned = percent(bool(each["warned"]) for each in found)
    for index, what in enumerate(("wall", "CPU")):
        truth = statistics.fmean(figures[index])
        all_of = [each["intervals"][index] for each in found]
        held = percent(low <= truth <= high for _, low, high, _, _ in all_of)
        students = percent(abs(middle - truth) <= half for middle, *_, half in all_of)
        width = statistics.fmean(each[3] for each in all_of) / statistics.fmean(each[4] for each in all_of)
        half = 100 * statistics.median(each[3] for each in all_of) / truth
        after = excluded(all_of[:len(doubles)], all_of[size:size + len(doubles)])
        students_after = percent(abs(a[0] - b[0]) > a[4] + b[4] for a, b in zip(all_of, all_of[size:]))
        in_turns = excluded(*([each["intervals"][index] for each in one] for one in turns))
        print(f"| {name}, {what}, {load} | {size} | {lag1(figures[index]):.2f} | {held:.0f} | {students:.0f} | "
              f"{half:.1f} % | {width:.2f} | {after:.1f} | {students_after:.1f} | {in_turns:.1f} | {warned:.0f} |")


def print_in_a_row(intervals, sequences):
    print("\nRuns in a row:\n\n| figure | runs | lag 1 | held | Student's held | half-width | width | A/A excluded | "
          "Student's A/A | interleaved | warned |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for size in SIZES:
        for (name, load), figures in sequences.items():
            print_sequence(intervals, name, load, figures, size)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=400, help="runs of each program in a row")
    parser.add_argument("--independent", type=int, default=4000, help="samples of each size and distribution")
    parser.add_argument("--save", type=pathlib.Path, help="keep the times of the runs in this file")
    parser.add_argument("--load", type=pathlib.Path, help="take the times of the runs from this file")
    parser.add_argument("build", type=pathlib.Path, nargs="?", default=ROOT / "build" / "release")
    options = parser.parse_args()
    if options.runs < 2 * max(SIZES):
        parser.error(f"--runs must be at least {2 * max(SIZES)}: two windows of {max(SIZES)} runs")
    intervals = Intervals(options.build.resolve())
    print_independent(intervals, options.independent)
    if options.load:
        sequences = {tuple(key): figures for key, figures in json.loads(options.load.read_text())}
    else:
        sequences = collect(options.runs)
    if options.save:
        options.save.write_text(json.dumps(list(sequences.items())))
    print_in_a_row(intervals, sequences)


if __name__ == "__main__":
    main()
