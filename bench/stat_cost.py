#!/usr/bin/env python3
"""Measures the cost of `tacho stat`, beside perf in the same run. Prints a table of medians.

    bench/stat_cost.py [BUILD_DIR] [--build]      (default: build/release; the comparison needs linux-perf)

The commands run in turn, A B C C B A …, so that a drift of the machine's speed affects all of them alike.
"""
import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from timing import in_turn, median_and_interval, once

LAUNCHES = 300
NAIVE_ROUNDS = 40
NAIVE_SIZES = ("700", "1000", "1300", "1600", "2000")
NAIVE_SECONDS = 1.0  # at least; in a shorter run, the cost of launch and end would count as the cost of turns


def median_wall(times):
    return statistics.median(wall for wall, _ in times)


def launch_cost(tacho, perf, true):
    commands = {"true": [true], "tacho": [tacho, "stat", "-o", "/dev/null", true]}
    if perf:
        commands["perf"] = [perf, "stat", "-o", "/dev/null", true]
    times = in_turn(commands, LAUNCHES)
    bare = median_wall(times["true"])
    print(f"launch: medians of {LAUNCHES} runs")
    print(f"  {'bare true':34} {1e3 * bare:8.3f} ms")
    added = {name: median_wall(times[name]) - bare for name in commands if name != "true"}
    for name, cost in added.items():
        print(f"  {'added by ' + name + ' stat':34} {1e3 * cost:8.3f} ms")
    if perf:
        print(f"  {'tacho / perf':34} {added['tacho'] / added['perf']:8.3f}")


def result(document, key):
    """Returns a value of the JSON report. elapsed_s lasts from the workload's exec to its end, without tacho's launch."""
    with open(document) as file:
        return json.load(file)[key]


def long_enough(naive):
    """Returns the smallest matrix size for which naive takes long enough on this machine."""
    for size in NAIVE_SIZES:
        if min(once([naive, size])[0] for _ in range(3)) >= NAIVE_SECONDS:
            break
    return size


def turning_cost(tacho, naive):
    """Measures four sets of one event each, which take turns every 10 ms. Compares them with the same events without
    turns (these cost nothing while the workload runs), and with the program alone."""
    size = long_enough(naive)
    events = "page-faults,context-switches,cpu-migrations,minor-faults"
    with tempfile.TemporaryDirectory() as scratch:
        document = os.path.join(scratch, "stat.json")
        measure = [tacho, "stat", "--json", "-o", document, "--period", "10", "-e", events]
        commands = {"bare": [naive, size],
                    "counted": [*measure, "--", naive, size],
                    "turned": [*measure, "--counters", "1", "--", naive, size]}
        seconds = {name: [] for name in commands}
        turns = []
        for _ in range(NAIVE_ROUNDS):
            for name, argv in commands.items():
                wall, _ = once(argv)
                seconds[name].append(wall if name == "bare" else result(document, "elapsed_s"))
            turns.append(result(document, "turn_cost_us"))
    print(f"naive {size}, {NAIVE_ROUNDS} rounds (bare: {1e3 * statistics.median(seconds['bare']):.1f} ms)")
    for name, against in (("turned", "counted"), ("turned", "bare"), ("counted", "bare")):
        ratios = median_and_interval([a / b for a, b in zip(seconds[name], seconds[against])])
        median, low, high = (100 * (ratio - 1) for ratio in ratios)
        print(f"  {name + ' / ' + against:34} {median:+8.2f} %   (95 %: {low:+.2f} to {high:+.2f} %)")
    cost = statistics.median(turns)
    print(f"  {'a turn, and its share of 10 ms':34} {cost:8.2f} µs {100 * cost / 10_000:6.2f} %")


def build_time(source):
    with tempfile.TemporaryDirectory() as scratch:
        clone = os.path.join(scratch, "tacho")
        subprocess.run(["git", "clone", "--quiet", source, clone], check=True)
        begun = time.perf_counter()
        subprocess.run(["make", "build"], cwd=clone, check=True, stdout=subprocess.DEVNULL)
        print(f"release build from a fresh clone, {os.cpu_count()} cores: {time.perf_counter() - begun:.1f} s")


def main():
    source = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", nargs="?", default=os.path.join(source, "build/release"))
    parser.add_argument("--build", action="store_true", dest="builds",
                        help="also time a release build from a fresh clone")
    options = parser.parse_args()
    build = options.build
    tacho, naive = os.path.join(build, "bin/tacho"), os.path.join(build, "examples/naive")
    if not os.access(tacho, os.X_OK):
        sys.exit(f"{tacho} is missing: run 'make build' first")
    perf = shutil.which("perf")
    if not perf:
        print("perf is not installed (package linux-perf): no comparison")
    launch_cost(tacho, perf, shutil.which("true"))
    turning_cost(tacho, naive)
    if options.builds:
        build_time(source)


if __name__ == "__main__":
    main()
