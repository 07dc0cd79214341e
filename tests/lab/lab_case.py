"""Shared by the lab's tests: boards, which are booted at their first use, and tacho's report on them.

A test names its boards with @on and runs once on each of them, or only on the one that TACHO_BOARD names. If a board
can't boot, the test fails; nothing is skipped.
"""
import atexit
import functools
import json
import os
import pathlib
import sys
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "lab"))

from board import boot  # noqa: E402
from boards import BOARDS  # noqa: E402
from image import build_directory  # noqa: E402, F401

booted = {}

LOADED = "grep -q tacho_pmu /proc/modules || insmod /opt/tacho/modules/tacho_pmu.ko || exit 99"
UNLOADED = "[ ! -e /proc/tacho_pmu ] || rmmod tacho_pmu"


def access(level):
    """Returns a script that sets whether user space may read perf's counters, if the kernel has this setting."""
    return f"[ ! -e /proc/sys/kernel/perf_user_access ] || echo {level} >/proc/sys/kernel/perf_user_access"


# The kernel opens the counters for a program's events, and leaves them open until other events begin. This closes them.
CLOSED = f"{access(0)}\n{access(1)}"


def board(name):
    if name not in booted:
        booted[name] = boot(BOARDS[name])
        atexit.register(booted[name].close)
    return booted[name]


def run(name, script, **options):
    """Runs a script on a board, in /opt/tacho, with all programs there on the PATH."""
    path = "export PATH=/opt/tacho/bin:/opt/tacho/examples:/opt/tacho/workloads:/opt/tacho/programs:$PATH\n"
    return board(name).run(path + script, **options)


def on_booted(names, script):
    """Runs a script on those of the boards that are booted already: a clean-up boots none."""
    for name in names:
        if name in booted:
            run(name, script)


def on(*names):
    """Names the boards that a test requires. The test is called with the name of each."""
    chosen = os.environ.get("TACHO_BOARD")
    boards = [name for name in names if chosen in (None, name)]

    def decorate(test):
        @functools.wraps(test)
        def on_each(self):
            for name in boards:
                with self.subTest(board=name):
                    test(self, name)
        on_each.boards = boards
        return on_each
    return decorate


def stopped(program, start="sh -c"):
    """Returns a script that starts a program, stopped before its first instruction, with its ID in /tmp/pid."""
    return (f"rm -f /tmp/pid; {start} 'echo $$ >/tmp/pid; kill -STOP $$; exec {program}' &\n"
            "until grep -q '^State:.T' /proc/$(cat /tmp/pid)/status; do sleep 0.01; done 2>/dev/null")


class LabCase(unittest.TestCase):
    maxDiff = None

    @classmethod
    def tearDownClass(cls):
        on_booted(BOARDS, f"{UNLOADED}\n{CLOSED}")  # the next tests find no module, and no counter that they can read

    def stat(self, name, arguments, command, before=":", **options):
        """Runs `tacho stat --json` on a board and returns the report as a document."""
        result = run(name, f"{before}\ntacho stat --json -o /tmp/report {arguments} -- {command} >/tmp/out; code=$?\n"
                           "cat /tmp/report; exit $code", **options)
        self.assertEqual(result.code, 0, result.stderr)
        return json.loads(result.stdout)


def documents(text):
    """Returns the JSON documents that follow one another in a text."""
    found, decoder = [], json.JSONDecoder()
    while text := text.lstrip():
        document, end = decoder.raw_decode(text)
        found.append(document)
        text = text[end:]
    return found


def event(document, name):
    """Returns the entry of an event in a report."""
    return next(entry for entry in document["events"] if entry["name"] == name)
