#!/usr/bin/env python3
"""Measures how much a running program slows down while tacho or perf counts or samples it. Prints a table.

    bench/attached_cost.py [BUILD_DIR] [--rounds N] [--rates HZ …]      (default: build/release, 40 rounds)

One process computes naive's products all the time and publishes its progress. The tools are attached to it in turn, in
a new random order each round. The speed under each tool is compared with the speed alone, right before and right
after. All ratios come from one process, so the placement of its pages cancels out; so does a slow drift of the
machine's speed. The intervals show the noise that is left.
"""
import argparse
import os
import pathlib
import random
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

from timing import median_and_interval

ROOT = pathlib.Path(__file__).resolve().parents[1]
EVENTS = "page-faults,context-switches,cpu-migrations,minor-faults"
RATES = (1_000, 4_000, 10_000, 20_000)
SIZE = 300
SETTLING = 0.3  # seconds; by then a tool is attached and its first, short periods are over
SLICE = 0.5  # seconds in which the speed is measured


class Products:
    """The program that is measured."""

    def __init__(self, program, rows):
        self.process = subprocess.Popen([program, str(SIZE), rows])
        while not os.path.exists(rows) or os.path.getsize(rows) < 8:
            if self.process.poll() is not None:
                sys.exit(f"{program} has ended")
        self.rows = os.open(rows, os.O_RDONLY)

    def done(self):
        return struct.unpack("q", os.pread(self.rows, 8, 0))[0], time.perf_counter()

    def speed(self):
        """Returns rows a second, measured over one slice."""
        time.sleep(SETTLING)
        rows, begun = self.done()
        time.sleep(SLICE)
        more, ended = self.done()
        return (more - rows) / (ended - begun)

    def speed_under(self, tool):
        with subprocess.Popen(tool, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as attached:
            speed = self.speed()
            if attached.poll() is not None:
                sys.exit(f"{' '.join(tool)}: {attached.stderr.read().decode()}")
            attached.send_signal(signal.SIGTERM)  # a shell's background job ignores SIGINT
            attached.communicate()
        return speed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", nargs="?", default=str(ROOT / "build/release"))
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--rates", type=int, nargs="*", default=RATES)
    options = parser.parse_args()
    if options.rounds < 6:
        parser.error("a median of fewer than 6 rounds has no interval of 95 %")
    tacho, perf = os.path.join(options.build, "bin/tacho"), shutil.which("perf")
    if not perf:
        print("perf is not installed (package linux-perf): no comparison")
    with tempfile.TemporaryDirectory() as scratch:
        program, data = os.path.join(scratch, "products"), os.path.join(scratch, "perf.data")
        subprocess.run(["cc", "-O2", "-fno-tree-vectorize", ROOT / "bench/products.c", "-o", program], check=True)
        products = Products(program, os.path.join(scratch, "rows"))
        pid = str(products.process.pid)
        stat = [tacho, "stat", "-p", pid, "--period", "10", "-o", os.devnull, "-e", EVENTS]
        tools = {"tacho stat": stat, "tacho stat, four sets, 10 ms": [*stat, "--counters", "1"]}
        pairs = [("tacho stat, four sets, 10 ms", "tacho stat")]
        for rate in options.rates:
            sampled = ["record", "-q", "-e", "cpu-clock", "-F", str(rate), "-p", pid, "-o", data]
            tools[f"tacho record, {rate} Hz"] = [tacho, *sampled]
            if perf:
                tools[f"perf record, {rate} Hz"] = [perf, *sampled]
                pairs.append((f"tacho record, {rate} Hz", f"perf record, {rate} Hz"))
        slower = {name: [] for name in tools}
        try:
            before = products.speed()
            for _ in range(options.rounds):
                for name in random.sample(list(tools), len(tools)):
                    speed = products.speed_under(tools[name])
                    after = products.speed()
                    slower[name].append((before + after) / 2 / speed)
                    before = after
        finally:
            products.process.kill()
            products.process.wait()
    print(f"products of {SIZE} x {SIZE}; {options.rounds} slices of {SLICE} s under each tool, each compared with the "
          "slices alone before and after it\n")
    print(f"{'':34}{'slow-down':>12}   95 %")
    for name, ratios in slower.items():
        median, low, high = (100 * (ratio - 1) for ratio in median_and_interval(ratios))
        print(f"{name:34}{median:+10.2f} %   {low:+.2f} to {high:+.2f} %")
    print()
    for one, other in pairs:
        median, low, high = median_and_interval([a / b for a, b in zip(slower[one], slower[other])])
        print(f"{one + ' / ' + other:64}{median:8.4f}   {low:.4f} to {high:.4f}")


if __name__ == "__main__":
    main()
