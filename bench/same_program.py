#!/usr/bin/env python3
"""Measures how often `tacho report --compare` finds a change in a program that is compared with itself, and how often it
finds 5 % and 20 % more work. Prints a table.

    bench/same_program.py [BUILD_DIR] [--rounds N] [--draws N] [--keep DIR]      (default: build/release, 40 rounds, 60 draws)

In each round the user mode of a program is recorded four times, one after the other: A, A again, A with 5 % more work,
A with 20 % more work. The pool of a program is all its rounds, first on CPUs that this bench leaves alone, then with a
busy loop on each CPU. A comparison draws K rounds of the pool and compares their recordings of A with those of another
kind, in pairs. Comparisons of one pool share recordings, so they are not independent of each other.

A false claim is a significant change of A compared with itself: in all, or in any row. Each may be one in 5 of 100
comparisons. "Found" is a significant increase in all or in any row.
"""
import argparse
import contextlib
import json
import pathlib
import random
import subprocess
import tempfile

from timing import busy_cpus

RECORDINGS = (6, 9, 12)
MORE_WORK = {"A": 1, "A again": 1, "+5 %": 1.05, "+20 %": 1.2}
PYTHON = "d = {{}}\ns = 0\nfor i in range({}): s += i * i % 7; d[i % 1000] = str(s)"
PERL = 'my %h; for my $i (1..{}) {{ $h{{$i % 5000}} .= "x" if $i % 3; $s += length($h{{$i % 77}} // "") }} print $s'


def programs(build):
    """Returns {name: the command that does so many times the work}."""
    product = str(build / "examples" / "interchange")
    return {"interchange": lambda more: [product, str(round(700 * more ** (1 / 3)))],  # its work grows as the cube
            "python3": lambda more: ["/usr/bin/python3", "-S", "-c", PYTHON.format(round(600_000 * more))],
            "perl": lambda more: ["/usr/bin/perl", "-e", PERL.format(round(700_000 * more))]}


def record_pool(tacho, command, rounds, directory):
    """Returns {kind: its recordings, one a round}."""
    directory.mkdir(parents=True)
    pool = {kind: [] for kind in MORE_WORK}
    for at in range(rounds):
        for number, (kind, more) in enumerate(MORE_WORK.items()):
            file = directory / f"{number}-{at}.data"
            subprocess.run([tacho, "record", "-q", "-e", "cpu-clock:u", "-o", file, "--", *command(more)],
                           stdout=subprocess.DEVNULL, check=True)
            pool[kind].append(str(file))
    return pool


def claims(tacho, before, after):
    """Returns whether the sum changed significantly, whether any row did, and whether anything became more."""
    done = subprocess.run([tacho, "report", "--json", "-i", *before, "--compare", *after], capture_output=True, check=True)
    report = json.loads(done.stdout)
    assert report["evidence"] == "pairs", report["evidence"]
    changed = [each for each in (report, *report["rows"]) if each["changed"]]
    in_rows = any(row["changed"] for row in report["rows"])
    return bool(report["changed"]), in_rows, any(each["count_gained"]["value"] > 0 for each in changed)


def row_of_table(tacho, pool, recordings, draws, chance):
    """Returns how many draws claimed something: A's sum, any row of A, +5 %, +20 %."""
    found = [0, 0, 0, 0]
    rounds = range(len(pool["A"]))
    for _ in range(draws):
        chosen = sorted(chance.sample(rounds, recordings))
        before, same, *more = ([files[at] for at in chosen] for files in pool.values())
        in_all, in_rows, _ = claims(tacho, before, same)
        for at, claimed in enumerate((in_all, in_rows, *(claims(tacho, before, each)[2] for each in more))):
            found[at] += claimed
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", nargs="?", default="build/release", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=40, help="of each pool")
    parser.add_argument("--draws", type=int, default=60, help="comparisons for each row of the table")
    parser.add_argument("--keep", type=pathlib.Path, metavar="DIR", help="a new directory for the recordings")
    options = parser.parse_args()
    tacho, chance = options.build / "bin" / "tacho", random.Random(1)
    sums = {recordings: [0, 0, 0, 0, 0] for recordings in RECORDINGS}
    line = "| {:11} | {:5} | {:>10} | {:>11} | {:>9} | {:>8} | {:>10} | {:>11} |".format
    print(line("program", "CPUs", "recordings", "comparisons", "in all", "any row", "+5 % found", "+20 % found"))
    print(line(*["---"] * 8))

    def show(*labels, recordings, count, found):
        print(line(*labels, recordings, count, *(f"{100 * each / count:.1f} %" for each in found)), flush=True)

    with tempfile.TemporaryDirectory() as scratch:
        for cpus, load in (("quiet", contextlib.nullcontext), ("busy", busy_cpus)):
            for name, command in programs(options.build).items():
                with load():
                    pool = record_pool(tacho, command, options.rounds, (options.keep or pathlib.Path(scratch)) / cpus / name)
                for recordings, total in sums.items():
                    found = row_of_table(tacho, pool, recordings, options.draws, chance)
                    show(name, cpus, recordings=recordings, count=options.draws, found=found)
                    for at, each in enumerate((options.draws, *found)):
                        total[at] += each
    for recordings, (count, *found) in sums.items():
        show("all", "both", recordings=recordings, count=count, found=found)


if __name__ == "__main__":
    main()
