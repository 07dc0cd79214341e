#!/usr/bin/env python3
"""Measures the cost of `tacho record`, beside perf in the same run. Prints a table of medians.

    bench/record_cost.py [BUILD_DIR] [--rounds N] [--rates HZ …] [--call-graph MODE]   (default: build/release, 15 rounds)

The commands run in turn, A B C C B A …, so that a drift of the machine's speed affects all of them alike. The event is
cpu-clock, which every machine has. The workload times itself, because perf takes a second to end.
"""
import argparse
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

from timing import in_turn, median_and_interval, once

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "tests"))

from perf_data import SAMPLE, records  # noqa: E402

RATES = (1_000, 4_000, 10_000, 20_000)
LAUNCHES = 20
SIZE = "800"
# A shell around the workload writes the workload's wall time (µs) to the file $0.
TIMED = 'begun=$EPOCHREALTIME; "$@"; ended=$EPOCHREALTIME; echo $((${ended/./} - ${begun/./})) >"$0"'


def samples_and_bytes(path):
    """Returns the number of samples in a recording, and the size of its file in bytes."""
    return sum(kind == SAMPLE for kind, _, _ in records(path)), pathlib.Path(path).stat().st_size


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", nargs="?", default="build/release")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--rates", type=int, nargs="+", default=RATES)
    parser.add_argument("--call-graph", metavar="MODE", help="also record call chains: fp or dwarf")
    options = parser.parse_args()
    perf = shutil.which("perf") or sys.exit("perf is not installed (Debian: linux-perf)")
    build = pathlib.Path(options.build)
    tacho, naive = str(build / "bin" / "tacho"), str(build / "examples" / "naive")
    with tempfile.TemporaryDirectory() as scratch:
        ours, theirs = f"{scratch}/tacho.data", f"{scratch}/perf.data"

        chains = ["--call-graph", options.call_graph] if options.call_graph else []

        def both(rate, *command):
            return {"alone": list(command),
                    "tacho": [tacho, "record", "-q", "-e", "cpu-clock", "-F", str(rate), *chains, "-o", ours, "--", *command],
                    "perf": [perf, "record", "-q", "-e", "cpu-clock", "-F", str(rate), *chains, "-o", theirs, "--", *command]}

        launches = in_turn(both(4_000, shutil.which("true")), LAUNCHES)
        launch = {name: statistics.median(wall for wall, _ in runs) for name, runs in launches.items()}
        print(f"record true: {1e3 * launch['alone']:.2f} ms alone, "
              f"+{1e3 * (launch['tacho'] - launch['alone']):.2f} ms tacho, "
              f"+{1e3 * (launch['perf'] - launch['alone']):.2f} ms perf")
        print(f"\n{'rate':>7} {'alone':>9} {'tacho':>8} {'perf':>8}   {'tacho / perf (95 %)':24} bytes a sample: {'tacho':>6} {'perf':>6}")
        file = pathlib.Path(scratch, "time")

        def own_time(argv):
            once(argv)
            return int(file.read_text()) / 1e6

        for rate in options.rates:
            took = in_turn(both(rate, shutil.which("bash"), "-c", TIMED, str(file), naive, SIZE), options.rounds, own_time)
            sizes = [size / samples for samples, size in map(samples_and_bytes, (ours, theirs))]
            slower = [100 * (statistics.median(a / b for a, b in zip(took[name], took["alone"])) - 1)
                      for name in ("tacho", "perf")]
            ratio, low, high = median_and_interval([a / b for a, b in zip(took["tacho"], took["perf"])])
            print(f"{rate:7} {statistics.median(took['alone']):7.3f} s {slower[0]:+7.1f}% {slower[1]:+7.1f}%   "
                  f"{ratio:5.3f} ({low:.3f} to {high:.3f}) {'':20} {sizes[0]:6.1f} {sizes[1]:6.1f}")
        pair = ["sh", "-c", f"{naive} {SIZE} & {naive} {SIZE}; wait"]
        done = subprocess.run([tacho, "record", "-F", str(RATES[-1]), "-e", "cpu-clock", "-o", ours, "--", *pair],
                              capture_output=True, text=True, check=True)
        lost = re.search(r"([\d,]+) samples? lost", done.stderr)
        print(f"\n{RATES[-1]} Hz on two CPUs: {samples_and_bytes(ours)[0]} samples, {lost[1] if lost else 0} lost")


if __name__ == "__main__":
    main()
