#!/usr/bin/env python3
"""Measures the cost of calipers, beside bare reads of the counters and beside PAPI and perf-cpp. Prints medians.

    bench/caliper_cost.py PROGRAMS [ROUNDS]     PROGRAMS: the build directory of bench/calipers; default: 9 rounds

The programs run in turn, so that a drift of the machine's speed affects all of them alike. A ratio is the median of
the rounds' ratios.
"""
import pathlib
import statistics
import subprocess
import sys

EVENTS = (1, 2, 4)
PEERS = ("papi_cost", "perf_cpp_cost")
THREADS = (1, 64)


def figures(program, *words):
    """Runs a program and returns what it prints: {what: nanoseconds}."""
    done = subprocess.run([program, *words], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{program} {' '.join(words)} failed with exit status {done.returncode}\n{done.stderr}")
    return {name: float(value) for name, value in (line.split("\t") for line in done.stdout.splitlines())}


def main():
    if not 2 <= len(sys.argv) <= 3:
        sys.exit(__doc__)
    programs = pathlib.Path(sys.argv[1]).resolve()
    rounds = int(sys.argv[2]) if len(sys.argv) == 3 else 9
    runs = {}  # (program, arguments): the figures of each round

    def run(program, *words):
        if (programs / program).exists():
            runs.setdefault((program, words), []).append(figures(programs / program, *words))

    for _ in range(rounds):
        run("tacho_cost", "off")
        run("tacho_cost", "0")
        for events in map(str, EVENTS):
            for program in ("tacho_cost", *PEERS):
                run(program, events)
        for threads in map(str, THREADS):
            run("tacho_cost", "threads", threads)

    print(f"an empty region while regions are off: ns, medians of {rounds} rounds, without the loop")
    off = runs["tacho_cost", ("off",)]
    for name in off[0]:
        if name != "loop":
            print(f"  {name:24} {statistics.median(each[name] - each['loop'] for each in off):9.2f}")
    print(f"an empty region: ns and ratios, medians of {rounds} rounds")
    print(f"  {'counted':>10}  {'method':24} {'ns':>9}  {'ratio':>6}")
    for (program, words), found in runs.items():
        if words[0] in ("threads", "off"):
            continue
        base = "two ordered reads" if words == ("0",) else "two grouped read(2)"
        bases = [each[base] for each in runs["tacho_cost", words]]
        counted = "clock" if words == ("0",) else f"{words[0]} event{'s' * (words[0] != '1')}"
        for name in found[0]:
            if program == "tacho_cost" and name not in ("region", base):
                continue
            ratio = statistics.median(each[name] / least for each, least in zip(found, bases))
            label = name if name.startswith(("two", "PAPI")) else f"{program.removesuffix('_cost').replace('_', '-')}: {name}"
            print(f"  {counted:>10}  {label:24} {statistics.median(each[name] for each in found):9.1f}  {ratio:6.2f}")
    print("10,000 regions in each thread: CPU time of one region, ns (the totals were checked)")
    alone = [each["region"] for each in runs["tacho_cost", ("threads", str(THREADS[0]))]]
    for threads in map(str, THREADS):
        times = [each["region"] for each in runs["tacho_cost", ("threads", threads)]]
        ratio = statistics.median(time / single for time, single in zip(times, alone))
        with_unit = f"{threads} threads" if threads != "1" else "1 thread"
        print(f"  {with_unit:>10}  {'region':24} {statistics.median(times):9.1f}  {ratio:6.2f}")


if __name__ == "__main__":
    main()
