"""What the lab's tests share: boards that are booted at first use, and tacho's report on them.

A test says which boards it REQUIRES with @on, and runs once on each, or on the one that TACHO_BOARD
names. A board that can't be had fails the test; nothing is skipped.
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

booted = {}

LOADED = "grep -q tacho_pmu /proc/modules || insmod /opt/tacho/modules/tacho_pmu.ko || exit 99"
UNLOADED = "[ ! -e /proc/tacho_pmu ] || rmmod tacho_pmu"


def access(level):
    """Where there is such a thing: whether user space may read perf's counters."""
    return f"[ ! -e /proc/sys/kernel/perf_user_access ] || echo {level} >/proc/sys/kernel/perf_user_access"


# The kernel opens the counters with a program's events, and leaves them open behind it until other events begin.
CLOSED = f"{access(0)}\n{access(1)}"


def board(name):
    if name not in booted:
        booted[name] = boot(BOARDS[name])
        atexit.register(booted[name].close)
    return booted[name]


def run(name, script, **options):
    """A script on a board, in /opt/tacho with everything there on the PATH."""
    path = "export PATH=/opt/tacho/bin:/opt/tacho/examples:/opt/tacho/workloads:/opt/tacho/programs:$PATH\n"
    return board(name).run(path + script, **options)


def on_booted(names, script):
    """A script on those boards that a test has booted; what is only to be tidied up boots none."""
    for name in names:
        if name in booted:
            run(name, script)


def on(*names):
    """The boards that a test requires: it is called with each one's name."""
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


class LabCase(unittest.TestCase):
    maxDiff = None

    @classmethod
    def tearDownClass(cls):
        on_booted(BOARDS, f"{UNLOADED}\n{CLOSED}")  # what comes next finds no module, and no counter that can be read

    def stat(self, name, arguments, command, before=":", **options):
        """`tacho stat --json` on a board: the report as a document."""
        result = run(name, f"{before}\ntacho stat --json -o /tmp/report {arguments} -- {command} >/tmp/out; code=$?\n"
                           "cat /tmp/report; exit $code", **options)
        self.assertEqual(result.code, 0, result.stderr)
        return json.loads(result.stdout)


def documents(text):
    """The JSON documents that stand one after the other in a text."""
    found, decoder = [], json.JSONDecoder()
    while text := text.lstrip():
        document, end = decoder.raw_decode(text)
        found.append(document)
        text = text[end:]
    return found


def event(document, name):
    """The entry of one event of a report."""
    return next(entry for entry in document["events"] if entry["name"] == name)
