#!/usr/bin/env python3
"""Measures how often the 95 % intervals of `tacho report` hold the true share of a function, and how wide they are:

    bench/share_coverage.py [--runs N] [--milliseconds MS] [--tacho PATH] [BUILD_DIR]   (default: 100 runs of 100 ms)

Needs the build with its tests (make test-build). The program tests/cli/workloads/share_shapes.cpp measures with the
clocks of its threads how long it is in two functions. The table is in docs/explanation/profile-accuracy.md.

  held     recordings whose interval holds the true share, with the 95 % interval of this figure
  error    mean of share - truth, in percentage points
  width    median width of the interval, in percentage points
  unseen   median of what could not be sampled, as the report says
"""
import argparse
import json
import math
import pathlib
import statistics
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
RATES = (1_000, 4_000)  # Hz
SHARE = 30  # per cent in `first`
Z = 1.959964


def shapes(rate):
    """Name, kind and length of the rhythm or of a process in µs. With "kernel" in the name, kernel mode is sampled, too."""
    period = 1e6 / rate
    return (("steady", "steady", 0), ("two phases", "phases", 0), ("two phases, with kernel mode", "phases", 0),
            ("threads", "threads", 0),
            ("rhythm of one period", "rhythm", period), ("of 1.05 periods", "rhythm", 1.05 * period),
            ("of 0.8 periods", "rhythm", 0.8 * period), ("of two periods", "rhythm", 2 * period),
            ("processes of 0.4 ms", "processes", 400), ("processes of 3 ms", "processes", 3_000))


def wilson(share, number):
    scale = 1 / (1 + Z * Z / number)
    centre = scale * (share + Z * Z / (2 * number))
    half = scale * Z * math.sqrt(share * (1 - share) / number + Z * Z / (4 * number * number))
    return centre - half, centre + half


def judge(report, first_ns, second_ns):
    """Error, width, unseen part, and whether the interval of `first` holds the truth."""
    rows = {row["function"]: row for row in report["rows"]}
    event = report["events"][0]
    unseen = event.get("unsampled") or 0
    # The program also starts, ends and reads its clock. What is not seen is taken for the two functions.
    both = sum(rows[name]["share"] for name in ("first", "second") if name in rows)
    truth = first_ns / (first_ns + second_ns) * ((1 - unseen) * both + unseen)
    if "first" in rows:
        share, (low, high) = rows["first"]["share"], rows["first"]["ci95"]
    else:
        share, low, high = 0, 0, wilson(0, event["samples"])[1]
        high += (1 - high) * unseen
    return 100 * (share - truth), 100 * (high - low), 100 * unseen, low <= truth <= high


def cell(tacho, workload, name, kind, rate, microseconds, options):
    found, failed = [], 0
    event = "cpu-clock" if "kernel" in name else "cpu-clock:u"
    with tempfile.TemporaryDirectory() as scratch:
        file = pathlib.Path(scratch, "perf.data")
        for seed in range(1, options.runs + 1):
            command = [tacho, "record", "-q", "-e", event, "-F", rate, "-o", file, "--", workload, kind,
                       options.milliseconds, SHARE, seed, microseconds]
            done = subprocess.run(list(map(str, command)), check=True, capture_output=True, text=True)
            report = subprocess.run([tacho, "report", "-i", file, "--json"], capture_output=True, text=True)
            if report.returncode != 0:
                failed += 1
            else:
                found.append(judge(json.loads(report.stdout), *map(int, done.stdout.split())))
    return found, failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=100, help="recordings of each shape and rate")
    parser.add_argument("--milliseconds", type=float, default=100, help="CPU time of each recording")
    parser.add_argument("--tacho", type=pathlib.Path, help="another tacho, of an older version for instance")
    parser.add_argument("--shape", help="only shapes with this word in their name")
    parser.add_argument("build", type=pathlib.Path, nargs="?", default=ROOT / "build" / "release")
    options = parser.parse_args()
    workload = options.build.resolve() / "tests" / "cli" / "workloads" / "share_shapes"
    tacho = options.tacho or options.build.resolve() / "bin" / "tacho"
    print("| shape | rate | held | error | width | unseen |\n| --- | --: | --: | --: | --: | --: |")
    for rate in RATES:
        for name, kind, microseconds in shapes(rate):
            if options.shape and options.shape not in name:
                continue
            found, failed = cell(tacho, workload, name, kind, rate, microseconds, options)
            if not found:
                print(f"| {name} | {rate} | no sample in {failed} recordings | | | |", flush=True)
                continue
            errors, widths, unseen, held = zip(*found)
            low, high = wilson(sum(held) / len(held), len(held))
            print(f"| {name} | {rate} | {sum(held)} of {len(held)} ({100 * low:.0f}…{100 * high:.0f} %) | "
                  f"{statistics.mean(errors):+.1f} | {statistics.median(widths):.1f} | {statistics.median(unseen):.1f} % |"
                  + (f" no sample in {failed} more" if failed else ""), flush=True)


if __name__ == "__main__":
    main()
