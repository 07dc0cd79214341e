"""Shared by simulated_pairs.py and simulated_kernels.py: builds and runs simulated_work.c, natively and simulated."""
import argparse
import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
FEW, MANY = 1, 3  # rounds of the two simulated runs, whose difference has no start of the program
MODEL = "simulated:host"


@contextlib.contextmanager
def built():
    """Yields the program's path."""
    compiler = shutil.which("cc") or sys.exit("cc is not installed: this bench builds a program with it")
    with tempfile.TemporaryDirectory() as scratch:
        program = pathlib.Path(scratch) / "simulated_work"
        subprocess.run([compiler, "-O2", "-o", program, ROOT / "bench/simulated_work.c"], check=True)
        yield program


def arguments():
    """Returns the path of tacho and the number of rounds, by the command line of both benches."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("build", nargs="?", default=str(ROOT / "build/release"))
    args = parser.parse_args()
    tacho = f"{args.build}/bin/tacho"
    if not os.access(tacho, os.X_OK):
        sys.exit(f"{tacho} is missing: run 'make build' first")
    return tacho, args.rounds


def native_ns(program, name, rounds):
    """Returns the median of the nanoseconds of CPU time that a round takes, and the steps of a round."""
    words = subprocess.run([program, name, str(rounds)], check=True, capture_output=True, text=True).stdout.split()
    return float(words[0]), int(words[1])


def simulated_cycles(tacho, program, name):
    """Returns the simulated cycles of a round."""
    counts = []
    for rounds in (FEW, MANY):
        out = program.with_suffix(".json")
        done = subprocess.run([tacho, "stat", "--pmu", MODEL, "-e", "cycles", "--json", "-o", out, "--", program, name,
                               str(rounds)], check=False, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{name}: {done.stderr}")
        counts.append(json.loads(out.read_text())["events"][0]["count"])
    return (counts[1] - counts[0]) / (MANY - FEW)
