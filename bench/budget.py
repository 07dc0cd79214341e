#!/usr/bin/env python3
"""Measures memory and CPU time of tacho on hostile inputs, and on recordings of yours.

    bench/budget.py [--size FACTOR]          the bombs of tests/cli/hostile/bombs.py, each that many times larger
    bench/budget.py DIRECTORY…               each recording in the directories, with several commands

tacho promises at most 200 MB + 2 x input of memory, and 5 s of CPU time for each MB of input, but at least 5 s. Inputs
that were compressed count with their expanded size. A star marks what takes more.
"""
import argparse
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
TACHO = pathlib.Path(os.environ.get("TACHO", ROOT / "build" / "release" / "bin" / "tacho"))
sys.path.insert(0, str(ROOT / "tests" / "cli" / "hostile"))
from bombs import bombs  # noqa: E402

COMMANDS = (["report"], ["report", "--sort", "instruction", "--json"], ["report", "--folded"], ["report", "--firefox"],
            ["report", "--pprof"], ["blocks"], ["dump"])
MB = 1e6


def cost(command, seconds):
    """(memory in bytes, CPU seconds, exit status) of a command, which may take some CPU time."""
    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        resource.setrlimit(resource.RLIMIT_DATA, (8 << 30,) * 2)
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               preexec_fn=limit)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_maxrss * 1024, usage.ru_utime + usage.ru_stime, process.returncode


def row(name, size, command):
    allowed = max(5.0, 5 * size / MB)
    memory, seconds, status = cost(command, int(4 * allowed))
    over = memory > 200 * MB + 2 * size or seconds > allowed or status not in (0, 125)
    print(f"{name:<44.44} {size / MB:8.2f} {memory / MB:8.0f} {(memory - 30 * MB) / size:8.1f} {seconds:8.2f} "
          f"{seconds / size * MB:8.2f} {status:5}{' *' if over else ''}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directories", nargs="*", type=pathlib.Path)
    parser.add_argument("--size", type=float, default=1.0, help="factor (default: %(default)s)")
    given = parser.parse_args()
    print(f"{'input':<44} {'MB':>8} {'memory':>8} {'a byte':>8} {'CPU s':>8} {'s a MB':>8} exit")
    if not given.directories:
        for name, bomb in bombs(given.size).items():
            with tempfile.TemporaryDirectory() as directory:
                size = bomb.make(directory, TACHO)
                row(name, size, [TACHO, *bomb.command(directory)])
    for path in (path for directory in given.directories for path in sorted(directory.rglob("*.data"))):
        for command in COMMANDS:
            row(f"{path.name}: {' '.join(command)}", path.stat().st_size, [TACHO, *command, "-i", path])


if __name__ == "__main__":
    main()
