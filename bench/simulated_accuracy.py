#!/usr/bin/env python3
"""Measures how accurate estimates are on real programs, in a simulation: event sets take turns, and the simulator
also keeps every true count. Prints the table of docs/explanation/accuracy.md:

    bench/simulated_accuracy.py [--runs N] [--spread] [BUILD_DIR]     (default: 5 runs of each, build/release)

  tacho        sets take turns in random order, scaled by cycles: the printed estimates
  fixed order  the same periods, assigned to the sets in the same order in every round, scaled by cycles,
               with one rate for the whole run
  as perf      4 ms for each set, always in the same order, scaled by time: count × elapsed / time on

The last two are computed from the series of the same run, which holds the truth of every period; they are computed
once for each set that can be the first. Simulated time is cycles over the frequency, so scaling tacho's own turns by
time would give the same result. --spread leaves out events that happen mostly at the start of the program. Events that
happened fewer than 100 times have a line of their own.
"""
import argparse
import dataclasses
import json
import os
import pathlib
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
FEWEST = 100           # true count; rarer events are summed up apart
PERF_S = 0.004         # the kernel's perf_event_mux_interval_ms
PERIOD_MS = 1
START_S = 0.003        # --spread leaves out an event if more than 5 % of it happens in this time
EVENTS = ("instructions,branches,branch-misses,L1-dcache-loads,L1-dcache-load-misses,L1-dcache-store-misses,"
          "L1-icache-load-misses,l2-load-misses,dTLB-load-misses,iTLB-load-misses,dtlb_walk,stall-load")
MODELS = {"cortex-a53": ["-e", "cycles," + EVENTS], "arm1176": ["-S", "rpistat"]}


@dataclasses.dataclass
class Score:
    """Results of one program, over its events and runs: relative errors, and how often intervals hold the truth."""
    tacho: list = dataclasses.field(default_factory=list)
    fixed: list = dataclasses.field(default_factory=list)
    perf: list = dataclasses.field(default_factory=list)
    widths: list = dataclasses.field(default_factory=list)
    held: int = 0
    quiet: int = 0         # estimates without a warning that their interval may be too narrow
    quiet_held: int = 0
    no_interval: int = 0


def inputs(scratch):
    draw = random.Random(1)
    words = ["".join(draw.choices("etaoinshrdlu", k=draw.randint(2, 9))) for _ in range(2000)]
    lines = [" ".join(draw.choices(words, k=8)) + f" {draw.random()}\n" for _ in range(20_000)]
    (scratch / "text").write_text("".join(lines))
    (scratch / "code.c").write_text("".join(
        f"int f{i}(int a, const int* b) {{ int s = a; for (int j = 0; j < {i % 9 + 2}; j++) "
        f"s += b[j] * {i} ^ (s >> {i % 5}); return s % 7 ? s : a; }}\n" for i in range(20)))


def programs(build, scratch, compiler):
    """Returns {name: command}, and why others are left out. Each command runs for at least 0.1 s of simulated time."""
    def tool(name):
        return shutil.which(name) or missing.append(name)

    missing = []
    text, code = f"{scratch}/text", f"{scratch}/code.c"
    table = ("create table t(a integer, b text); with recursive n(i) as (select 1 union all select i + 1 from n "
             "where i < 20000) insert into t select i * 7919 % 20011, 'row ' || i from n; create index k on t(b); "
             "select count(*), sum(a), max(b) from t where b like '%7%';")
    found = {
        "gzip": [tool("gzip"), "-c", text],
        "sort": [tool("sort"), "-k", "3", text, text, text],
        "sqlite3": [tool("sqlite3"), ":memory:", table],
        "python3": [os.path.realpath(sys.executable), "-c", "import json, re; s = json.dumps([{str(i): i * 0.5} for i "
                    "in range(9000)]); print(len(json.loads(s)), len(re.findall('[0-9]+', s)))"],
        "perl": [tool("perl"), "-ne", "for (split) { $n{$_}++ } END { print scalar(keys %n) }", text],
        "cc -O1": [compiler, "-O1", "-c", "-o", "/dev/null", code],
        "grep": [tool("grep"), "-cE", "(on|the)+[a-e]+.*9[0-4]*$", *[text] * 10],
        "naive 200": [f"{build}/examples/naive", "200"],
        "interchange 250": [f"{build}/examples/interchange", "250"],
    }
    return ({name: command for name, command in found.items() if command[0]},
            [f"{name} is not installed: left out" for name in missing])


def run(build, scratch, model, command):
    """Runs a command. Returns the JSON report, and the header, the periods and the end of the series."""
    report, series = f"{scratch}/report.json", f"{scratch}/series.jsonl"
    argv = [f"{build}/bin/tacho", "stat", "--pmu", f"simulated:{model}", "--counters", "2", "--period", str(PERIOD_MS),
            *MODELS[model], "--json", "-o", report, "--series", series, "--", *command]
    with open(f"{scratch}/out", "w") as out:  # grep stops at the first match when it writes to /dev/null
        done = subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.PIPE,
                              env={**os.environ, "LC_ALL": "C"}, text=True)
    if done.returncode != 0:
        sys.exit(f"failed: {' '.join(argv)}\n{done.stderr}")
    lines = [json.loads(line) for line in pathlib.Path(series).read_text().splitlines()]
    return json.loads(pathlib.Path(report).read_text()), lines[0], lines[1:-1], lines[-1]["end"]


def rivals(header, periods, end, event):
    """Returns the relative errors of a fixed order on the same periods, and of perf's method, for each first set."""
    sets, mine, slot = header["sets"], event["set"], event["truth"]
    truth = end["always"][slot]
    turn = {"fixed": lambda p, i: i, "perf": lambda p, i: int((p["start_s"] + p["duration_s"] / 2) / PERF_S)}
    on = {"fixed": "reference", "perf": "duration_s"}
    whole = {"fixed": end["reference_total"], "perf": end["simulated_s"]}
    errors = {"fixed": [], "perf": []}
    for way, found in errors.items():
        for first in range(sets):
            seen = [p for i, p in enumerate(periods) if (turn[way](p, i) + first) % sets == mine]
            covered = sum(p[on[way]] for p in seen)
            if covered > 0:  # otherwise there is no estimate
                found.append(sum(p["always"][slot] for p in seen) * whole[way] / covered / truth - 1)
    return errors["fixed"], errors["perf"]


def warned(report):
    """Returns the events whose intervals may be too narrow because of bursts, according to tacho's warnings."""
    texts = [text for text in report["warnings"] if text.startswith("a few periods") or "none seen" in text]
    return {name for text in texts for name in re.split(r"[\s,:]+", text)}


def of_the_start(periods, slot, truth):
    return sum(p["always"][slot] for p in periods if p["start_s"] < START_S) > 0.05 * truth


def add(score, rare, report, header, periods, end, spread):
    doubtful = warned(report)
    described = {e["name"]: e for e in header["events"]}
    for entry in report["events"]:
        if entry["status"] != "estimated":
            continue
        truth, estimate, half = entry["truth"], entry["estimate"], entry["ci95"]
        if spread and of_the_start(periods, described[entry["name"]]["truth"], truth):
            continue
        mine = score if truth >= FEWEST else rare
        if half is None:
            mine.no_interval += 1
            continue
        held = abs(estimate - truth) <= half
        mine.held += held
        if entry["name"] not in doubtful:
            mine.quiet += 1
            mine.quiet_held += held
        if truth == 0:
            continue
        mine.tacho.append(estimate / truth - 1)
        mine.widths.append(half / truth)
        if mine is score:
            fixed, perf = rivals(header, periods, end, described[entry["name"]])
            mine.fixed += fixed
            mine.perf += perf


def rms(errors):
    return f"{100 * statistics.fmean(e * e for e in errors) ** 0.5:.2f}" if errors else "–"


def share(part, whole):
    return f"{100 * part / whole:.1f}" if whole else "–"


def shown(score):
    seen = len(score.tacho)
    width = f"{100 * statistics.median(score.widths):.2f}" if seen else "–"
    return (f"{seen} | {share(score.held, seen)} | {score.quiet} | {share(score.quiet_held, score.quiet)} | {width} | "
            f"{rms(score.tacho)} | {rms(score.fixed)} | {rms(score.perf)}")


def phased(build, scratch, model, program):
    """Returns two commands, sized by a short run: one phase change in the middle; and one change a round of sets."""
    trial, header, *_ = run(build, scratch, model, [program, "200000", "20"])
    second = 200_000 * 20 / trial["simulated_s"]  # units of work
    round_s = header["sets"] * PERIOD_MS / 1e3
    return {"two phases": [program, f"{0.8 * second:.0f}", "1"],
            "as periodic as a round": [program, f"{round_s * second:.0f}", f"{0.8 / round_s:.0f}"]}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--spread", action="store_true")
    parser.add_argument("build", nargs="?", default=str(ROOT / "build/release"))
    args = parser.parse_args()
    compiler = shutil.which("cc") or sys.exit("cc is not installed: this bench builds a program with it and measures it")
    everything, everything_rare = Score(), Score()
    with tempfile.TemporaryDirectory() as name:
        scratch = pathlib.Path(name)
        inputs(scratch)
        program = f"{scratch}/phases"
        subprocess.run([compiler, "-O1", "-o", program, ROOT / "bench/phases.c"], check=True)
        common, reasons = programs(args.build, scratch, compiler)
        print("\n".join([*reasons, ""]) + "| model | program | simulated s | rounds | estimates | held % | "
              "unwarned | held % | half-width | tacho: rms | fixed order: rms | as perf: rms |\n" + "| --- " * 12 + "|")
        for model in MODELS:
            for label, command in {**common, **phased(args.build, scratch, model, program)}.items():
                score = Score()
                for _ in range(args.runs):
                    report, header, periods, end = run(args.build, scratch, model, command)
                    add(score, everything_rare, report, header, periods, end, args.spread)
                print(f"| {model} | {label} | {end['simulated_s']:.2f} | {len(periods) // header['sets']} | "
                      f"{shown(score)} |", flush=True)
                for field in dataclasses.fields(Score):
                    setattr(everything, field.name, getattr(everything, field.name) + getattr(score, field.name))
    print(f"| all | | | | {shown(everything)} |")
    rare = everything_rare
    print(f"\nwithout an interval: {everything.no_interval}; events with a true count below {FEWEST}: "
          f"{rare.held} of {len(rare.tacho)} intervals hold the truth")


if __name__ == "__main__":
    main()
