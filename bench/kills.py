#!/usr/bin/env python3
"""Kills tacho at random moments, and prints what is left of it: processes, directories, recordings that cannot be read.

    bench/kills.py [BUILD_DIR] [--kills N] [--commands NAME …]   (default: build/release, 200 kills each, all)

The commands are `stat`, `record` and a simulated `record`. Then 50 of `stat` and `record` at once have to be right, and
so has a program of 5,000 threads. Exit status: 1 if anything was left or wrong.
"""
import argparse
import collections
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

from faults import MARK, spawned

LOOP = "i=0; while [ $i -lt {} ]; do i=$((i+1)); done"
AT_ONCE, THREADS = 50, 5_000
SOON = 1  # seconds in which the processes of a killed tacho have to be gone


class Kills:
    def __init__(self, tacho, directory):
        self.tacho, self.directory = str(tacho), pathlib.Path(directory)
        self.tmp = self.directory / "tmp"
        self.tmp.mkdir(exist_ok=True)
        self.environment = {**os.environ, "TMPDIR": str(self.tmp), "LC_ALL": "C.UTF-8"}

    def start(self, *command, mark, **popen):
        return subprocess.Popen([self.tacho, *map(str, command)], cwd=self.directory, stdin=subprocess.DEVNULL,
                                env={**self.environment, MARK: mark}, start_new_session=True,
                                **{"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, **popen})

    def run(self, *command):
        return subprocess.run([self.tacho, *map(str, command)], cwd=self.directory, env=self.environment,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=120)

    def kill_once(self, command, longest, mark):
        """Returns whether it was killed before its end, and the processes that it left."""
        process = self.start(*command, mark=mark)
        time.sleep(random.uniform(0, longest))
        killed = process.poll() is None
        process.kill()
        process.wait()
        end = time.monotonic() + SOON
        while (left := spawned(mark)) and time.monotonic() < end:
            time.sleep(0.01)
        return killed, left

    def state_of(self, recording):
        """What `tacho report` says of a recording: none, empty, read, or the error."""
        if not recording.exists():
            return "none"
        read = self.run("report", "-i", recording)
        said = read.stderr.strip().splitlines()
        if read.returncode == 0:
            return "damaged" if "damaged" in read.stderr else "read"
        return "empty" if "it has 0 bytes" in read.stderr or "no samples" in read.stderr else said[0][:100] if said else "no word"

    def many(self, kills, *command, recording=None):
        begun = time.monotonic()
        self.run(*command)
        longest = 1.1 * (time.monotonic() - begun)
        found, wrong = collections.Counter(), []
        for i in range(kills):
            if recording:
                recording.unlink(missing_ok=True)
            killed, left = self.kill_once(command, longest, f"{os.getpid()}-{command[0]}-{i}")
            found["killed" if killed else "ended before"] += 1
            if left:
                wrong.append(f"processes left: {left}")
            if recording:
                state = self.state_of(recording)
                found[state] += 1
                if state not in ("none", "empty", "read"):
                    wrong.append(state)
        return found, wrong


def swept(kills):
    """The directories in TMPDIR, and those that are left after one more simulated run."""
    before = len(list(kills.tmp.iterdir()))
    kills.run("stat", "--pmu", "simulated:arm1176", "--", "true")
    return before, [path.name for path in kills.tmp.iterdir()]


def at_once(kills, number):
    """Starts many, half of them record. Returns those that were wrong."""
    mark = f"{os.getpid()}-at-once"
    started = []
    for i in range(number):
        output = ("-o", f"{i}.out")
        what = ("record", "-q") if i % 2 else ("stat", "--json", "-e", "page-faults,task-clock")
        started.append((i, kills.start(*what, *output, "--", "sh", "-c", f"{LOOP.format(20000)}; exit {i}", mark=mark,
                                       stderr=subprocess.PIPE, text=True)))
    wrong = []
    for i, process in started:
        _, said = process.communicate(timeout=120)
        if process.returncode != i:
            wrong.append(f"number {i}: exit status {process.returncode}: {said[:200]}")
        elif i % 2:
            state = kills.state_of(kills.directory / f"{i}.out")
            wrong += [f"number {i}: {state}"] if state != "read" else []
        else:
            events = json.loads((kills.directory / f"{i}.out").read_text())["events"]
            wrong += [f"number {i}: {each['name']} {each['count']}" for each in events if not each["count"]]
    return wrong + [f"processes left: {left}" for left in [spawned(mark)] if left]


def many_threads(kills, number):
    """A program of many threads that all are alive at the same time; each of them touches a page."""
    program = ("import threading, sys; threading.stack_size(65536); n = int(sys.argv[1]); b = threading.Barrier(n + 1)\n"
               "for _ in range(n): threading.Thread(target=b.wait, daemon=True).start()\n"
               "b.wait(); print('all')")
    wrong = []
    for what in (("stat", "--json", "-e", "page-faults,task-clock", "-o", "threads.json"), ("record", "-q", "-o", "threads.data")):
        ran = kills.run(*what, "--", sys.executable, "-c", program, number)
        if (ran.returncode, ran.stdout) != (0, "all\n"):
            wrong.append(f"{what[0]}: exit status {ran.returncode}, {ran.stdout!r}: {ran.stderr[:300]}")
    events = json.loads((kills.directory / "threads.json").read_text())["events"]
    faults = events[0]["count"]
    if not faults or faults < number:
        wrong.append(f"{faults} page faults of {number} threads")
    state = kills.state_of(kills.directory / "threads.data")
    return faults, wrong + ([f"recording: {state}"] if state != "read" else [])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", nargs="?", default="build/release")
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--commands", nargs="+", metavar="NAME")
    options = parser.parse_args()
    tacho = pathlib.Path(options.build).resolve() / "bin" / "tacho"
    failed = False

    def say(name, found, wrong):
        nonlocal failed
        failed = failed or bool(wrong)
        print(f"{name:12} {found}{'' if wrong else ': nothing left, nothing lost'}", flush=True)
        for each in wrong[:10]:
            print(f"             wrong: {each}")

    with tempfile.TemporaryDirectory() as scratch:
        kills = Kills(tacho, scratch)
        data = kills.directory / "k.data"
        loop = ("--", "sh", "-c", LOOP.format(30000))
        commands = {"stat": (("stat", "-e", "task-clock", "-o", "o.txt", *loop), None),
                    "record": (("record", "-q", "-o", data, *loop), data),
                    "simulated": (("record", "-q", "--pmu", "simulated:arm1176", "-o", data, "--", "sh", "-c", LOOP.format(3000)), data)}
        for name, (command, recording) in commands.items():
            if not options.commands or name in options.commands:
                found, wrong = kills.many(options.kills, *command, recording=recording)
                say(name, dict(found), wrong)
        if not options.commands or "simulated" in options.commands:
            before, left = swept(kills)
            say("directories", f"{before} after the kills, {len(left)} after the next run", left)
        if not options.commands:
            say("at once", f"{AT_ONCE} of stat and record", at_once(kills, AT_ONCE))
            faults, wrong = many_threads(kills, THREADS)
            say("threads", f"{THREADS}, {faults} page faults", wrong)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
