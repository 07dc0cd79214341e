#!/usr/bin/env python3
"""Measures how accurate scaled counts are. Compares three methods that count more events than there are counters:

  ratio     tacho: sets take turns in random order; counts are scaled by cycles, which are counted all the time
  time      the same turns, scaled by time: count × elapsed / time on
  kernel    the kernel multiplexes 12 events; counts are scaled as perf does: count × enabled / running

The truth is exact: an emulated board executes the same user instructions in every run.

bench/scaling_accuracy.py [RUNS [BOARD…]]   prints the table of docs/explanation/accuracy.md (default: 20 runs of each
program, on arm64 and armv7). Needs the packages of the lab: packaging/setup lab.
"""
import json
import pathlib
import statistics
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "lab"), str(ROOT / "tests/lab")]

from crossbuild import prepare  # noqa: E402
from lab_case import documents, event, run  # noqa: E402

PROGRAMS = ("naive 200", "interchange 160", "two_phase 30")
USER = ("instructions:u", "r08:u")
TURNED = "instructions,instructions:k,cycles," + ",".join(USER)
TWELVE = "08u 08u 08k 08 11 11u 11k 08u 08k 08 11 11k"


def checked(name, script):
    result = run(name, script, limit=1200)
    if result.code:
        sys.exit(f"{name}: {result.stderr}")
    return result.stdout


def ratio_and_time(name, command, runs, truth):
    """Returns the relative errors of both estimates of user instructions, and how many intervals hold the truth."""
    ratio, time, held = [], [], 0
    for _ in range(runs):
        text = checked(name, f"tacho stat --json --counters 1 -e {TURNED} -o /tmp/report --series /tmp/series.jsonl -- "
                             f"{command} >/tmp/out && cat /tmp/report /tmp/series.jsonl")
        report, header, *lines = documents(text)
        periods, elapsed = lines[:-1], lines[-1]["end"]["elapsed_s"]
        for entry in (event(report, e) for e in USER):
            place = next(e for e in header["events"] if e["name"] == entry["name"])
            mine = [p for p in periods if p["set"] == place["set"]]
            on = sum(p["duration_s"] for p in mine)
            ratio.append(entry["estimate"] / truth - 1)
            time.append(sum(p["counts"][place["slot"]] for p in mine) * elapsed / on / truth - 1)
            held += abs(entry["estimate"] - truth) <= entry["ci95"]
    return ratio, time, held


def kernel(name, command, runs, truth):
    errors = []
    for _ in range(runs):
        for line in checked(name, f"kernel_multiplexing {TWELVE} -- {command}").splitlines():
            words = line.split()
            if words[0] == "08u":
                count, enabled, running = map(int, words[1:])
                errors.append((count * enabled / running if running else 0) / truth - 1)
    return errors


def shown(errors):
    return (f"{100 * statistics.fmean(errors):+.2f} | {100 * statistics.fmean(e * e for e in errors) ** 0.5:.2f} | "
            f"{100 * max(map(abs, errors)):.1f}")


def main():
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    names = sys.argv[2:] or ["arm64", "armv7"]
    prepare(names)
    print("| board | program | estimates | held | ratio: mean | rms | worst | time: mean | rms | worst | "
          "kernel: mean | rms | worst |\n" + "| --- " * 13 + "|")
    for name in names:
        for command in PROGRAMS:
            checked(name, f"tacho stat --json -o /tmp/report -e {USER[0]} -- {command} >/tmp/out")
            truth = event(json.loads(checked(name, "cat /tmp/report")), USER[0])["count"]
            ratio, time, held = ratio_and_time(name, command, runs, truth)
            print(f"| {name} | {command} | {len(ratio)} | {held} | {shown(ratio)} | {shown(time)} | "
                  f"{shown(kernel(name, command, runs, truth))} |", flush=True)


if __name__ == "__main__":
    main()
