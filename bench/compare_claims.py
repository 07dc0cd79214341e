#!/usr/bin/env python3
"""Measures how often `tacho compare` is right, and what it costs. Prints Markdown tables.

    bench/compare_claims.py aa|power|cost [--comparisons N] [--seconds S] [--loads quiet,busy] [--save FILE] [BUILD_DIR]
    bench/compare_claims.py table FILE…      prints the tables of saved files, even of a bench that was cut

Defaults: build/release, with its tests (make test-build); 400 comparisons of each load, no time limit. The save file gets
one JSON line for each comparison. A round takes each cell of the table once, in random order. "busy" is a busy loop on each
CPU. "load" is the load average of 1 minute: median (range). A rate has its 95 % interval.

aa: programs compared with themselves, with the default looks. Each claim is false. `any`: claims of at least one metric.

power: a loop of about 10 ms against the same loop with 0, 1, 2 or 5 % more rounds. A claim is right if it says that more
    rounds take more; at 0 %, each claim is false. All tools have the same --runs a side (20). hyperfine and perf get the
    command with more rounds first or second, at random. power needs hyperfine and linux-perf.
      tacho      `tacho compare -r N`: the verdict is "more" or "less".
      hyperfine  `hyperfine -N --warmup 1 -r N A B`, wall time. It prints "R ± S times faster"; its user claims if R − S > 1.
                 Welch: the user tests the saved times with Welch's test at 5 % (as hyperfine's scripts/welch_ttest.py).
      perf       `perf stat -r N` of one command, then of the other. Its user claims if the two "mean ± error" do not overlap.
    held: the interval of CPU time holds the true ratio. The loop's instructions are exact (counted in a simulation), but
    exec and exit take time that more rounds do not change. Each round of the bench measures it: a program of 0 rounds takes
    f, a whole one t. X % more rounds make the ratio 1 + X % · (1 − f/t), from the medians of all rounds. The median ratio of
    all pairs stands beside it, as a check.

cost: 40 pairs of `true`, beside a C program that forks, executes `true` and waits as many times (82: a run of each command
    warms up). The cost of a run is the slope from 1 to 40 pairs, minus a launch in C. 20 comparisons are enough.
"""
import argparse
import contextlib
import json
import math
import os
import pathlib
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import timing

ROOT = pathlib.Path(__file__).resolve().parents[1]
LOADS = {"quiet": contextlib.nullcontext, "busy": timing.busy_cpus}
MORE_WORK = (0, 1, 2, 5)  # %
LOOP_SECONDS, TRIAL_ROUNDS, FIXED_COST_PAIRS = 0.010, 4_000_000, 5
PAIRS_OF_TRUE = 40


def compiled(directory):
    program = str(pathlib.Path(directory) / "compare_claims")
    subprocess.run(["cc", "-O1", "-static", "-o", program, ROOT / "bench/compare_claims.c"], check=True)
    return program


def wilson(hits, count):
    """The 95 % interval of a rate (E. B. Wilson, J. Am. Stat. Assoc. 22, 1927)."""
    z, share = 1.96, hits / count
    half = z * math.sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    low, high = ((share + z * z / (2 * count) + side) / (1 + z * z / count) for side in (-half, half))
    return max(0.0, low), min(1.0, high)


def rate(hits):
    hits = list(hits)
    low, high = wilson(sum(hits), len(hits))
    return f"{sum(hits)} ({100 * sum(hits) / len(hits):.1f} %: {100 * low:.1f}…{100 * high:.1f})"


def output(argv):
    done = subprocess.run([str(word) for word in argv], capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"})
    if done.returncode != 0:
        sys.exit(f"failed with exit status {done.returncode}: {argv}\n{done.stderr}")
    return done


def compare(tacho, *arguments):
    return json.loads(output([tacho, "compare", "--json", *arguments]).stdout)


def change(document, metric):
    return next(each for each in document["changes"] if (each["metric"], each["role"]) == (metric, "compared"))


def by_tacho(tacho, commands, *options):
    """Compares two commands. Returns the record of a comparison, whose claims are +1 if the second takes more."""
    document = compare(tacho, *options, *commands)
    sign = {"more": 1, "less": -1}
    claims = {each["metric"]: sign.get(each["verdict"], 0) for each in document["changes"] if each["verdict"] != "missing"}
    column = [each["name"] for each in document["metrics"]].index("CPU time")
    runs = {(each["member"], each["block"]): each["values"][column] for each in document["runs"]}
    ratios = [math.log(runs[1, block] / seconds) for (member, block), seconds in runs.items() if member == 0 and block > 0]
    return {"claims": claims, "interval": change(document, "CPU time")["ci95"], "pairs": document["pairs"],
            "warnings": document["warnings"], "log_ratios": ratios}


def welch(one, other):
    """Whether Welch's test finds a difference at 5 %. The quantile of t is Cornish and Fisher's expansion."""
    a, b = (statistics.variance(each) / len(each) for each in (one, other))
    freedom = (a + b) ** 2 / (a * a / (len(one) - 1) + b * b / (len(other) - 1))
    z = statistics.NormalDist().inv_cdf(0.975)
    limit = z + (z ** 3 + z) / (4 * freedom) + (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * freedom ** 2)
    return abs(statistics.fmean(one) - statistics.fmean(other)) > limit * math.sqrt(a + b)


def by_hyperfine(commands, runs):
    with tempfile.NamedTemporaryFile() as file:
        output(["hyperfine", "-N", "--warmup", 1, "-r", runs, "--style", "none", "--export-json", file.name, *commands])
        first, second = json.load(file)["results"]
    sign = 1 if second["mean"] > first["mean"] else -1
    ratio = max(first["mean"], second["mean"]) / min(first["mean"], second["mean"])
    error = ratio * math.hypot(first["stddev"] / first["mean"], second["stddev"] / second["mean"])
    return {"claims": {"wall time": sign * (ratio - error > 1), "wall time, Welch": sign * welch(first["times"], second["times"])},
            "pairs": runs, "times": [first["times"], second["times"]]}


def by_perf(commands, runs):
    figures = []
    for command in commands:
        text = output(["perf", "stat", "-r", runs, "-e", "task-clock", "--", *command.split()]).stderr
        clock = re.search(r"([\d.,]+) msec task-clock.*\+-\s*([\d.]+)%", text)
        wall = re.search(r"([\d.]+) \+- ([\d.]+) seconds time elapsed", text)
        mean = float(clock[1].replace(",", ""))
        figures.append({"CPU time": (mean, mean * float(clock[2]) / 100), "wall time": (float(wall[1]), float(wall[2]))})
    claims = {metric: (1 if other > mean else -1) * (abs(other - mean) > error + others_error)
              for metric, (mean, error) in figures[0].items() for other, others_error in [figures[1][metric]]}
    return {"claims": claims, "pairs": runs, "figures": figures}


def aa_cells(options, _):
    programs = {"naive 100": f"{options.build}/examples/naive 100",
                "chase 512 KiB": f"{options.build}/examples/chase 524288 40000",
                "touch_pages 300": f"{options.build}/tests/cli/workloads/touch_pages 300 10"}
    return [({"kind": "aa", "program": name}, lambda command=command: by_tacho(options.build / "bin/tacho", (command, command)))
            for name, command in programs.items()]


def power_cells(options, scratch):
    tacho, loop = options.build / "bin/tacho", f"{compiled(scratch)} loop"

    def least(rounds):
        return min(timing.once([*loop.split(), str(rounds)])[1] for _ in range(30))

    def fixed_cost():
        cpu = change(compare(tacho, "-r", FIXED_COST_PAIRS, f"{loop} 0", f"{loop} {rounds}"), "CPU time")
        return {"fixed": cpu["before"], "whole": cpu["after"]}

    def in_random_order(measured, commands):
        swapped = random.random() < 0.5
        found = measured(commands[::-1] if swapped else commands, options.runs)
        found["claims"] = {metric: -claim if swapped else claim for metric, claim in found["claims"].items()}
        return found

    rounds = round(TRIAL_ROUNDS * LOOP_SECONDS / (least(TRIAL_ROUNDS) - least(0)))
    cells = []
    for more in MORE_WORK:
        commands = [f"{loop} {rounds}", f"{loop} {round(rounds * (1 + more / 100))}"]
        counted = change(compare(tacho, "--pmu", "simulated:arm1176", "-e", "instructions", *commands), "instructions")
        print(f"+{more} % of {rounds} rounds: instructions × {counted['after'] / counted['before']:.5f}", file=sys.stderr)
        tools = {"tacho": lambda pair=commands: by_tacho(tacho, pair, "--discard-output", "-r", options.runs),
                 "hyperfine": lambda pair=commands: in_random_order(by_hyperfine, pair),
                 "perf": lambda pair=commands: in_random_order(by_perf, pair)}
        if options.default_looks:
            tools["tacho, default looks"] = lambda pair=commands: by_tacho(tacho, pair, "--discard-output")
        cells += [({"kind": "power", "tool": tool, "more": more}, measured) for tool, measured in tools.items()]
    return [*cells, ({"kind": "fixed"}, fixed_cost)]


def cost_cells(options, scratch):
    true, compare_true = shutil.which("true"), [options.build / "bin/tacho", "compare", "--discard-output", "-r"]
    commands = {f"{PAIRS_OF_TRUE} pairs of true": [*compare_true, str(PAIRS_OF_TRUE), true, true],
                "1 pair of true": [*compare_true, "1", true, true],
                f"{2 * PAIRS_OF_TRUE + 2} launches of true in C": [compiled(scratch), "launch", str(2 * PAIRS_OF_TRUE + 2), true]}
    return [({"kind": "cost"}, lambda: {"times": {name: timing.once(argv)[0] for name, argv in commands.items()}})]


def measure(options, make_cells):
    """Runs rounds of all cells, and keeps a record of each. A time limit ends it between two comparisons."""
    records, end = [], time.monotonic() + options.seconds
    with tempfile.TemporaryDirectory() as scratch, open(options.save or os.devnull, "a") as save:
        cells = make_cells(options, scratch)
        counted = sum(labels["kind"] != "fixed" for labels, _ in cells)
        for _ in range(math.ceil(options.comparisons / counted)):
            for load in random.sample(options.loads, len(options.loads)):
                with LOADS[load]():
                    for labels, measured in random.sample(cells, len(cells)):
                        if time.monotonic() > end:
                            return records
                        begun = time.monotonic()
                        record = {**labels, "load": load, **measured(), "load_average": os.getloadavg()[0]}
                        records.append({**record, "seconds": time.monotonic() - begun})
                        print(json.dumps(records[-1]), file=save, flush=True)
    return records


def grouped(records, *keys):
    """Returns [(the values of these keys, their records)]."""
    values = sorted({tuple(record[key] for key in keys) for record in records})
    return [(each, [record for record in records if tuple(record[key] for key in keys) == each]) for each in values]


def load_of(records):
    loads = [record["load_average"] for record in records]
    return f"{statistics.median(loads):.1f} ({min(loads):.1f}…{max(loads):.1f})"


def print_table(title, heads, rows):
    print(f"\n{title}\n")
    for row in (heads, ["---"] * len(heads), *rows):
        print("|", " | ".join(map(str, row)), "|")


def claimed(records, metric):
    return rate(record["claims"].get(metric, 0) != 0 for record in records)


def print_aa(records):
    groups = [*grouped(records, "load", "program"), *grouped(records, "load"), (("all",), records)]
    print_table("A program compared with itself: claims (rate: its 95 % interval)",
                ("CPUs", "program", "comparisons", "CPU time", "wall time", "any", "pairs", "seconds each", "load"),
                [(key[0], (*key, "all")[1], len(each), claimed(each, "CPU time"), claimed(each, "wall time"),
                  rate(any(record["claims"].values()) for record in each), f"{statistics.fmean(r['pairs'] for r in each):.0f}",
                  f"{statistics.median(r['seconds'] for r in each):.1f}", load_of(each)) for key, each in groups])


def print_found(records):
    rows = []
    for (load, more, tool), each in grouped(records, "load", "more", "tool"):
        for metric in [name for name in ("CPU time", "wall time", "wall time, Welch") if name in each[0]["claims"]]:
            wrong = sum(record["claims"][metric] < 0 for record in each)
            found = claimed(each, metric) if more == 0 else rate(record["claims"][metric] > 0 for record in each)
            rows.append((load, f"+{more} %", f"{tool}: {metric}", len(each), found, "" if more == 0 else wrong, load_of(each)))
    print_table("More work found (at +0 %: false claims), and claims of the wrong sign",
                ("CPUs", "work", "tool: metric", "comparisons", "claims (rate: 95 %)", "wrong", "load"), rows)


def print_coverage(records, costs):
    rows = []
    for (load, tool), of_tool in grouped(records, "load", "tool"):
        fixed, whole = (statistics.median(each[key] for each in costs if each["load"] == load) for key in ("fixed", "whole"))
        held = []
        for (more,), each in grouped(of_tool, "more"):
            truth = more / 100 * (1 - fixed / whole)
            pooled = math.exp(statistics.median(ratio for record in each for ratio in record["log_ratios"]))
            intervals = [record["interval"] for record in each]
            holds = [low <= truth <= (math.inf if high is None else high) for low, high in intervals]
            half = statistics.median(math.inf if high is None else (high - low) / 2 for low, high in intervals)
            rows.append((load, f"+{more} %", tool, len(each), f"{1 + truth:.4f}", f"{pooled:.4f}", rate(holds), f"± {100 * half:.1f} %"))
            held += holds
        rows.append((load, "all", tool, len(held), f"f {1e3 * fixed:.2f} ms", f"t {1e3 * whole:.2f} ms", rate(held), ""))
    print_table("Intervals of CPU time that hold the true ratio",
                ("CPUs", "work", "tool", "comparisons", "true ratio", "median of all pairs", "held (rate: 95 %)", "width"), rows)


def print_power(records):
    power, costs = ([record for record in records if record["kind"] == kind] for kind in ("power", "fixed"))
    print_found(power)
    loads = [record["load"] for record in costs]
    print_coverage([record for record in power if "interval" in record and record["load"] in loads], costs)


def print_cost(records):
    for (load,), each in grouped(records, "load"):
        times = {name: [record["times"][name] for record in each] for name in each[0]["times"]}
        pairs, one, loop = (1e3 * statistics.median(values) for values in times.values())
        slope, alone = (pairs - one) / (2 * PAIRS_OF_TRUE - 2), loop / (2 * PAIRS_OF_TRUE + 2)
        rows = [(name, f"{1e3 * statistics.median(values):.1f} ms", f"{1e3 * min(values):.1f}…{1e3 * max(values):.1f} ms")
                for name, values in times.items()]
        rows += [(f"a run of compare − a launch in C: {slope:.2f} − {alone:.2f} ms", f"{slope - alone:.2f} ms", "")]
        print_table(f"Cost, {load} CPUs ({len(each)} rounds; load {load_of(each)})", ("figure", "median", "range"), rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("aa", "power", "cost", "table"))
    parser.add_argument("paths", nargs="*", type=pathlib.Path, help="the build directory; for table, saved files")
    parser.add_argument("--comparisons", type=int, default=400, help="of each load, over all cells")
    parser.add_argument("--seconds", type=float, default=math.inf, help="begin no comparison after this time")
    parser.add_argument("--runs", type=int, default=20, help="power: runs of each command")
    parser.add_argument("--default-looks", action="store_true", help="power: also tacho as it is used without -r")
    parser.add_argument("--loads", type=lambda text: text.split(","), default=list(LOADS), help="quiet, busy or both")
    parser.add_argument("--save", type=pathlib.Path, help="append the records to this file")
    options = parser.parse_intermixed_args()
    options.build = options.paths[0].resolve() if options.paths else ROOT / "build/release"
    if options.what == "table":
        records = [json.loads(line) for path in options.paths for line in path.read_text().splitlines()]
    elif options.what == "power" and not (shutil.which("hyperfine") and shutil.which("perf")):
        sys.exit("power needs hyperfine and linux-perf: install these packages")
    else:
        records = measure(options, {"aa": aa_cells, "power": power_cells, "cost": cost_cells}[options.what])
    for kinds, show in ((("aa",), print_aa), (("power", "fixed"), print_power), (("cost",), print_cost)):
        if chosen := [record for record in records if record["kind"] in kinds]:
            show(chosen)


if __name__ == "__main__":
    main()
