#!/usr/bin/env python3
"""Measures the cost of a simulated run, beside cachegrind and beside the native run. Prints a table.

    bench/simulator_cost.py [--rounds N] [--model MODEL] [BUILD_DIR]     (default: 7, skylake, build/release)

CPU seconds are user and system time of all processes of a run. A ratio is the median of the rounds' ratios. The three
variants of a program run in turn, A B C C B A …, so that a drift of the machine's speed affects all of them alike.
"""
import argparse
import os
import pathlib
import random
import shutil
import statistics
import sys
import tempfile

from timing import in_turn, once

ROOT = pathlib.Path(__file__).resolve().parents[1]
WAYS = ("native", "cachegrind", "tacho")


def inputs(scratch):
    """Writes the input files, always the same bytes: 6 MB that gzip can compress in part, 300,000 unsorted lines."""
    draw = random.Random(1)
    words = ["".join(draw.choices("etaoinshrdlu", k=draw.randint(2, 9))) for _ in range(3000)]
    mixed = bytearray()
    while len(mixed) < 6_000_000:
        mixed += " ".join(draw.choices(words, k=500)).encode() + draw.randbytes(1000)
    (scratch / "mixed").write_bytes(mixed[:6_000_000])
    lines = [f"{i:08} {words[i % 3000]}\n" for i in range(300_000)]
    draw.shuffle(lines)
    (scratch / "lines").write_text("".join(lines))


def programs(build, scratch):
    python = os.path.realpath(sys.executable)  # the interpreter itself, not a script that starts it
    return {"naive 500": [f"{build}/examples/naive"],
            "interchange 500": [f"{build}/examples/interchange"],
            "gzip, 6 MB": [shutil.which("gzip"), "-c", f"{scratch}/mixed"],
            "sort, 300,000 lines": [shutil.which("sort"), f"{scratch}/lines"],
            "python3 start-up": [python, "-c", "pass"],
            "true": [os.path.realpath(shutil.which("true"))]}


def ways(command, build, model):
    return {"native": command,
            "cachegrind": [shutil.which("valgrind"), "-q", "--tool=cachegrind", "--cache-sim=yes", "--branch-sim=yes",
                           "--trace-children=yes", "--cachegrind-out-file=/dev/null", *command],
            "tacho": [f"{build}/bin/tacho", "stat", "-o", "/dev/null", "--pmu", f"simulated:{model}", "--", *command]}


def ratio(times, way, against):
    return statistics.median(a[1] / b[1] for a, b in zip(times[way], times[against]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--model", default="skylake")
    parser.add_argument("build", nargs="?", default=str(ROOT / "build/release"))
    args = parser.parse_args()
    if not os.access(f"{args.build}/bin/tacho", os.X_OK):
        sys.exit(f"{args.build}/bin/tacho is missing: run 'make build' first")
    if not shutil.which("valgrind"):
        sys.exit("valgrind is not installed: apt install valgrind")
    with tempfile.TemporaryDirectory() as name:
        inputs(pathlib.Path(name))
        commands = {program: ways(command, args.build, args.model)
                    for program, command in programs(args.build, name).items()}
        times = {program: in_turn(way_commands, args.rounds, lambda argv: once(argv, LC_ALL="C"))
                 for program, way_commands in commands.items()}
    print(f"CPU seconds, medians of {args.rounds} rounds; simulated model: {args.model}\n")
    print("| program | native | cachegrind | tacho | tacho / cachegrind | cachegrind / native | tacho / native |")
    print("| --- " * 7 + "|")
    for program, taken in times.items():
        if program == "true":
            continue
        cpu = [f"{statistics.median(cpu for _, cpu in taken[way]):.3f}" for way in WAYS]
        print(f"| {program} | {' | '.join(cpu)} | {ratio(taken, 'tacho', 'cachegrind'):.2f} | "
              f"{ratio(taken, 'cachegrind', 'native'):.0f} | {ratio(taken, 'tacho', 'native'):.0f} |")
    walls = [f"{way} {1e3 * statistics.median(wall for wall, _ in times['true'][way]):.0f} ms" for way in WAYS]
    print(f"\nstart-up (elapsed time of 'true'): {', '.join(walls)}")


if __name__ == "__main__":
    main()
