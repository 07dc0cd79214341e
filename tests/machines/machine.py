"""Machines that do not exist: runs tacho, or any program, on one of the tables of tables/.

    with Machine("alder-lake") as machine:
        result = machine.tacho("stat", "-e", "cycles", "--", *on_cpus({0: 50, 1: 30}))
        opened = [call for call in machine.calls() if "fd" in call["answer"]]

tool/made_up_machine.cpp says what is as on a real machine, and what is not. One count of a core's event is one
nanosecond of CPU time on the cores of its PMU.
"""
import functools
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

from tacho_cli import BUILD, TACHO, finish, start

TABLES = pathlib.Path(__file__).resolve().parent / "tables"
TOOL = BUILD / "tests" / "machines" / "made_up_machine"
WORKLOADS = BUILD / "tests" / "machines" / "workloads"
MACHINES = sorted(file.stem for file in TABLES.glob("*.toml"))
IMPOSSIBLE_HERE = 77  # exit status of the tool


def workload(name):
    """A program of workloads/."""
    return str(WORKLOADS / name)


def on_cpus(*stretches):
    """The words that use CPU time: on_cpus((0, 50), (1, 30)) uses 50 ms on CPU 0, then 30 ms on CPU 1."""
    return [workload("on_cpus"), *(f"{cpu}:{milliseconds}" for cpu, milliseconds in stretches)]


@functools.cache
def _obstacle(table):
    """Why the machine can't be made here; None if it can."""
    tried = subprocess.run([TOOL, table, "true"], capture_output=True, text=True)
    if tried.returncode == IMPOSSIBLE_HERE:
        return tried.stderr.strip()
    if tried.returncode:
        raise AssertionError(f"{table}: {tried.stderr}")
    return None


class Machine:
    """A machine by the name of its table, or by the path of another table.

    all_events: its PMUs have all their generic events, not only clocks; tacho believes them with --pmu hardware.
    """

    def __init__(self, name, all_events=False):
        self.table = TABLES / f"{name}.toml" if name in MACHINES else pathlib.Path(name)
        self.options = ["--all-events"] if all_events else []
        self._scratch = None

    def __enter__(self):
        obstacle = _obstacle(self.table)
        if obstacle:
            raise unittest.SkipTest(obstacle)
        self._scratch = tempfile.TemporaryDirectory()
        self.directory = pathlib.Path(self._scratch.name)
        self.log = self.directory / "calls.jsonl"
        return self

    def __exit__(self, *_):
        self._scratch.cleanup()

    def start(self, program, *args, **options):
        """Starts a program on the machine and returns the Popen: see tacho_cli.start."""
        self.log.unlink(missing_ok=True)
        return start(*self.options, "--log", self.log, self.table, program, *args, program=TOOL, **options)

    def run(self, program, *args, timeout=60, **options):
        """Runs a program to its end, and returns tacho_cli's Result."""
        return finish(self.start(program, *args, **options), timeout=timeout)

    def tacho(self, *args, **options):
        return self.run(TACHO, *args, **options)

    def stat(self, *args, **options):
        """`tacho stat --json -o FILE ARGS`: the Result, and the document (None if there is none)."""
        out = self.directory / "stat.json"
        out.unlink(missing_ok=True)
        result = self.tacho("stat", "--json", "-o", out, *args, **options)
        return result, json.loads(out.read_text()) if out.exists() else None

    def logged(self, call):
        """The lines of the log of one kind: "perf_event_open", or "ioctl" for changes of periods."""
        lines = self.log.read_text().splitlines() if os.path.exists(self.log) else []
        return [entry for entry in map(json.loads, lines) if entry["call"] == call]

    def calls(self):
        """The calls of perf_event_open of the last program and its children, in their order."""
        return self.logged("perf_event_open")

    def opened(self, pmu):
        """The calls for which the machine's PMU of this name handed out a counter."""
        return [call for call in self.calls() if "fd" in call["answer"] and call.get("pmu") == pmu]
