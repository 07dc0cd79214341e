#!/usr/bin/env python3
"""Measures how often 95 % intervals of `tacho stat` hold the truth, and how wide they are:

    bench/coverage.py [--draws N] [--native N] [--machine idle,loaded,throttled] [BUILD_DIR]
                                                             (default: 200 draws, no native runs, build/release)

Needs the build with its tests (make test-build). The simulated table is in docs/explanation/accuracy.md.

Simulated: each shape of tests/cli/workloads/shapes.cpp runs once on each model. replay_schedules then draws N schedules
of the sets over the same run, for one, two and three counters. A cell is one shape, model and number of counters.
Native: page faults of tests/cli/workloads/fault_shapes.cpp, which prints their number. They are counted in one of four
sets, on this machine as it is (idle), beside a busy loop on each CPU (loaded), and with half of a CPU (throttled).

  held     intervals that hold the truth, of those without the warnings that say an interval may be too narrow
  of all   the same, warned or not
  cells    those in which fewer than 93 % of the unwarned intervals held, of all cells with 20 of them
  width    median half-width, in % of the truth
  too wide the median cell's width over the width that would hold 95 %

Events that happen mostly at the start of a program (front-end stalls, branch and iTLB misses of these small loops) have
a row of their own.

A second table has all these intervals, warned or not, by their half-width: how often estimate ± half-width holds the
truth, and how often the ends low…high do.
"""
import argparse
import collections
import concurrent.futures
import contextlib
import dataclasses
import json
import math
import os
import pathlib
import statistics
import subprocess
import tempfile

from timing import busy_cpus

ROOT = pathlib.Path(__file__).resolve().parents[1]
MODELS = ("arm1176", "cortex-a53", "skylake")
COUNTERS = (1, 2, 3)
SHAPES = {"steady": 1200, "drift": 1200, "bursts": 1200, "long-phases": 1200, "short-phases": 1200, "rhythm": 1000,
          "start": 1200, "ending": 1200, "processes": 600, "threads": 200}
PERIOD_MS = 1
OF_THE_START = ("stalled-cycles-frontend", "branch-misses", "iTLB-load-misses")
NATIVE_SHAPES = ("steady", "drift", "phases", "bursts", "rhythm", "start", "ending", "brief", "threads", "processes")
STOLEN = "the CPU was taken away"
WARNED = ("a few periods hold most", "none seen while counted", STOLEN)
LEAST_HELD, LEAST_CELL = 0.93, 20
ROUNDING = 0.5  # an estimate of a count may miss by this
WIDTHS = (0, 0.1, 0.3, 0.6, 1, 2, math.inf)  # classes of half-widths, over the estimate


@dataclasses.dataclass
class Cell:
    """The estimates of one shape, model and number of counters: error over half-width, of each interval."""
    quiet: list = dataclasses.field(default_factory=list)
    warned: list = dataclasses.field(default_factory=list)
    widths: list = dataclasses.field(default_factory=list)
    estimates: list = dataclasses.field(default_factory=list)
    without: int = 0

    def add(self, estimate):
        truth, half = estimate["truth"], estimate["ci95"]
        if half is None:
            self.without += 1
            return
        # Towards the end of the interval on the truth's side: a wide interval reaches farther up than down.
        reach = abs(estimate["high" if truth > estimate["estimate"] else "low"] - estimate["estimate"])
        error = max(0, abs(estimate["estimate"] - truth) - ROUNDING) / max(reach, 1e-9)
        loud = any(text in warning for warning in estimate["warnings"] for text in WARNED)
        (self.warned if loud else self.quiet).append(error)
        self.widths.append(100 * half / max(truth, 1))
        self.estimates.append(estimate)

    def too_wide(self):
        if not self.quiet:
            return math.nan
        needed = sorted(self.quiet)[int(0.95 * len(self.quiet))]
        return 1 / max(needed, 1e-9)


def held(errors):
    return sum(error <= 1 for error in errors) / max(1, len(errors))


def counted(errors):
    return f"{100 * held(errors):.1f} % of {len(errors)}"


def replay(build, shape, model, counters, draws):
    """The estimates of all draws, in two cells: events that go on, and events of the start."""
    command = [build / "bin" / "replay_schedules", model, counters, PERIOD_MS, draws,
               build / "tests" / "cli" / "workloads" / "shapes", shape, SHAPES[shape]]
    output = subprocess.run(list(map(str, command)), check=True, capture_output=True, text=True).stdout
    cells = {False: Cell(), True: Cell()}
    for line in output.splitlines():
        estimate = json.loads(line)
        if estimate["event"] != "task-clock":
            cells[estimate["event"] in OF_THE_START].add(estimate)
    return cells


def row(name, cells):
    quiet = [error for cell in cells for error in cell.quiet]
    everything = quiet + [error for cell in cells for error in cell.warned]
    large = [cell for cell in cells if len(cell.quiet) >= LEAST_CELL]
    low = sum(held(cell.quiet) < LEAST_HELD for cell in large)
    widths = [width for cell in cells for width in cell.widths]
    wide = statistics.median(cell.too_wide() for cell in large) if large else float("nan")
    print(f"| {name} | {counted(quiet)} | {counted(everything)} | "
          f"{low} of {len(large)} | {statistics.median(widths) if widths else float('nan'):.2f} % | {wide:.2f} |")


def print_ends(estimates):
    print("\n| half-width | intervals | ± held | ends held | truth above the upper end |\n| --- | --- | --- | --- | --- |")
    for least, most in zip(WIDTHS, WIDTHS[1:]):
        found = [each for each in estimates if least * each["estimate"] < each["ci95"] <= most * each["estimate"]]
        plain = [abs(each["estimate"] - each["truth"]) <= each["ci95"] + ROUNDING for each in found]
        above = [each["truth"] > each["high"] + ROUNDING for each in found]
        below = [each["truth"] < each["low"] - ROUNDING for each in found]
        part = 100 / max(1, len(found))
        name = f"{100 * least:.0f} to {100 * most:.0f} %" if math.isfinite(most) else f"above {100 * least:.0f} %"
        print(f"| {name} | {len(found)} | {part * sum(plain):.1f} % | "
              f"{part * (len(found) - sum(above) - sum(below)):.1f} % | {part * sum(above):.1f} % |")


def print_simulated(build, draws):
    jobs = [(shape, model, counters) for shape in SHAPES for model in MODELS for counters in COUNTERS]
    by_shape = collections.defaultdict(list)
    with concurrent.futures.ThreadPoolExecutor() as pool:
        for (shape, _, _), cells in zip(jobs, pool.map(lambda job: replay(build, *job, draws), jobs)):
            for of_the_start, cell in cells.items():
                by_shape[of_the_start, shape].append(cell)
    print(f"Simulated, {draws} draws a cell:\n\n| shape | held | of all | cells below 93 % | width | too wide |\n"
          "| --- | --- | --- | --- | --- | --- |")
    for of_the_start in (False, True):
        for shape in SHAPES:
            if not of_the_start:
                row(shape, by_shape[of_the_start, shape])
        name = "**events of the start**" if of_the_start else "**all shapes**"
        row(name, [cell for (start, _), cells in by_shape.items() if start == of_the_start for cell in cells])
    print_ends([estimate for cells in by_shape.values() for cell in cells for estimate in cell.estimates])


@contextlib.contextmanager
def idle():
    yield lambda: None


@contextlib.contextmanager
def loaded():
    """One busy loop on each CPU."""
    with busy_cpus():
        yield lambda: None


@contextlib.contextmanager
def throttled():
    """A control group that may use half of a CPU: the program is stopped for a part of each 20 ms."""
    unified = pathlib.Path("/sys/fs/cgroup/cgroup.controllers").exists()
    group = pathlib.Path("/sys/fs/cgroup" if unified else "/sys/fs/cgroup/cpu") / f"coverage-{os.getpid()}"
    group.mkdir()
    try:
        if unified:
            (group / "cpu.max").write_text("10000 20000")
        else:
            (group / "cpu.cfs_period_us").write_text("20000")
            (group / "cpu.cfs_quota_us").write_text("10000")
        yield lambda: (group / "cgroup.procs").write_text("0")
    finally:
        group.rmdir()


def native_cell(build, shape, runs, scratch, enter):
    cell = Cell()
    for _ in range(runs):
        result = scratch / "result.json"
        done = subprocess.run(
            [build / "bin" / "tacho", "stat", "--counters", "1", "--json", "-o", result, "-e",
             "page-faults,context-switches,cpu-migrations,alignment-faults", "--",
             build / "tests" / "cli" / "workloads" / "fault_shapes", shape],
            check=True, capture_output=True, text=True, preexec_fn=enter)
        report = json.loads(result.read_text())
        of_event = [text for text in report["warnings"] if "page-faults" in text or STOLEN in text]
        cell.add(report["events"][0] | {"truth": float(done.stdout), "warnings": of_event})
    return cell


MACHINES = {"idle": idle, "loaded": loaded, "throttled": throttled}


def print_native(build, runs, machines):
    print(f"\nNative, {runs} runs a cell:\n\n| shape, machine | held | of all | misses with a warning | width | too wide |\n"
          "| --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as scratch:
        for machine in machines:
            try:
                with MACHINES[machine]() as enter:
                    for shape in NATIVE_SHAPES:
                        cell = native_cell(build, shape, runs, pathlib.Path(scratch), enter)
                        every = cell.quiet + cell.warned
                        missed = [sum(error > 1 for error in errors) for errors in (cell.warned, every)]
                        print(f"| {shape}, {machine} | {counted(cell.quiet)} | {counted(every)} | "
                              f"{missed[0]} of {missed[1]} | {statistics.median(cell.widths):.2f} % | "
                              f"{cell.too_wide():.2f} |", flush=True)
            except OSError as error:
                print(f"skipped: {machine}: {error} (control groups need root)")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=200, help="schedules of each simulated run")
    parser.add_argument("--native", type=int, default=0, help="native runs of each shape of page faults")
    parser.add_argument("--machine", type=lambda text: text.split(","), default=list(MACHINES), metavar="LIST",
                        help="how busy the machine is in native runs: some of idle,loaded,throttled")
    parser.add_argument("build", type=pathlib.Path, nargs="?", default=ROOT / "build" / "release")
    options = parser.parse_args()
    if options.draws:
        print_simulated(options.build.resolve(), options.draws)
    if options.native:
        print_native(options.build.resolve(), options.native, options.machine)


if __name__ == "__main__":
    main()
