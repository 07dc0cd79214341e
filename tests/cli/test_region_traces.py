"""TACHO_REGIONS=trace:FILE: the single executions of regions, and viewers of time lines that show them.

Viewers that are not installed are skipped: see test_viewers.py.
"""
import collections
import fcntl
import json
import os
import re
import resource
import signal
import subprocess
import unittest

from tacho_cli import BUILD, Scratch
from test_viewers import needs, shown_by_firefox_profiler, shown_by_speedscope

PROGRAM = BUILD / "tests" / "cli" / "instrumented" / "traced"
MOST_OF_THREAD, MOST_OF_PROCESS = 1 << 16, 1 << 20
# The clock that regions read and CLOCK_MONOTONIC are read within this time, in ns.
APART = 2000


class Traces(Scratch):
    def setUp(self):
        super().setUp()
        self.file = self.directory / "trace.json"

    def run_traced(self, *arguments, file=None, preexec_fn=None):
        clean = {name: value for name, value in os.environ.items() if not name.startswith("TACHO_REGIONS")}
        result = subprocess.run([PROGRAM, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=120,
                                env=clean | {"TACHO_REGIONS": f"trace:{file or self.file}"}, preexec_fn=preexec_fn)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result

    def events(self, kind="X"):
        return [event for event in json.loads(self.file.read_text()) if event["ph"] == kind]

    def test_each_execution_is_where_the_program_says(self):
        result = self.run_traced("exact")
        self.assertEqual(result.stderr, "")
        said = collections.defaultdict(list)
        for line in result.stdout.splitlines():
            name, thread, before, after = line.split()
            said[name, int(thread)].append((int(before), int(after)))
        shown = collections.defaultdict(list)
        for event in self.events():
            shown[event["name"], event["tid"]].append((1000 * event["ts"], 1000 * (event["ts"] + event["dur"])))
        self.assertEqual({key: len(times) for key, times in shown.items()},
                         {key: len(times) for key, times in said.items()})
        self.assertEqual(sorted(map(len, said.values())), [10, 10, 200, 200])
        for key, times in said.items():
            for (before, after), (begin, end) in zip(sorted(times), sorted(shown[key])):
                self.assertGreater(begin, before - APART, key)
                self.assertLess(end, after + APART, key)

    def test_of_too_many_executions_a_random_part_is_there(self):
        count = 400_000
        result = self.run_traced("many", count)
        self.assertRegex(result.stderr, rf"trace\.json: \d+ of {2 * count + 1} executions are in the trace")
        events = self.events()
        self.assertLessEqual(len(events), MOST_OF_THREAD)
        (mark,) = self.events("i")
        self.assertEqual(mark["name"], f"{len(events)} of {2 * count + 1} executions are in the trace")
        name, _, before, after = result.stdout.split()
        (rare,) = [event for event in events if event["name"] == name]
        self.assertNotIn("args", rare)
        # It is the first of the program, so the library prepares the thread before it begins.
        self.assertGreater(1000 * rare["ts"], int(before))
        self.assertLess(1000 * (rare["ts"] + rare["dur"]), int(after) + APART)
        inside = [event for event in events if event["name"].startswith("kind")]
        self.assertLess(rare["ts"], min(event["ts"] for event in inside) + APART / 1000)
        self.assertGreater(rare["ts"] + rare["dur"], max(event["ts"] + event["dur"] for event in inside) - APART / 1000)
        for kind in ("kind 0", "kind 1"):
            first, *others = [event for event in events if event["name"] == kind]
            self.assertNotIn("args", first, "it is always there, so it stands for itself")
            stands_for = others[0]["args"]["one of"]
            self.assertEqual({event["args"]["one of"] for event in others}, {stands_for})
            # Binomial: five standard deviations.
            self.assertAlmostEqual(1 + len(others) * stands_for, count, delta=5 * stands_for * len(others) ** 0.5)

    def test_threads_that_end_share_the_memory(self):
        self.run_traced("threads", 1000)
        events = self.events()
        self.assertEqual(len({event["tid"] for event in events}), 1000)
        self.assertEqual({event["name"] for event in events}, {"brief"})

    def test_processes_share_a_file(self):
        for _ in range(3):
            parent, child = map(int, self.run_traced("forks").stdout.split())
            ours = {event["pid"]: event["name"] for event in self.events() if event["pid"] in (parent, child)}
            self.assertEqual(ours, {parent: "parent", child: "child"})
        self.assertEqual(len(self.events()), 6)
        names = {event["args"]["name"] for event in self.events("M") if event["name"] == "process_name"}
        self.assertEqual(names, {"traced"})

    def test_what_is_no_trace_is_left_alone(self):
        for notes in ("my notes\n", "x = [\n1,\n2\n]\n", "[\n]\n", "{\n}\n"):
            self.file.write_text(notes)
            result = self.run_traced("forks")
            self.assertEqual(self.file.read_text(), notes)
            self.assertIn("is no trace of regions; name a new file; the report goes to standard error", result.stderr)
            self.assertRegex(result.stderr, r"(?m)^ *parent +1 ")

    def test_a_trace_that_was_cut_off_goes_on(self):
        self.run_traced("exact")
        whole = self.file.read_text()
        for left in (len(whole) - 1, len(whole) - 2, len(whole) - 30, len(whole) // 2):
            self.file.write_text(whole[:left])
            parent, child = map(int, self.run_traced("forks").stdout.split())
            self.assertEqual({event["pid"] for event in self.events()} & {parent, child}, {parent, child})
            self.assertGreater(sum(event["name"] == "inner" for event in self.events()), 100)

    def test_a_full_disk_loses_no_figures_and_no_events(self):
        result = self.run_traced("exact", file="/dev/full")
        self.assertIn("cannot write '/dev/full'", result.stderr)
        self.assertRegex(result.stderr, r"(?m)^ *inner +400 ")

        def limited():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (30_000, 30_000))

        for before in ("", "forks"):  # a new file, and a trace
            self.file.unlink(missing_ok=True)
            if before:
                self.run_traced(before)
            known = self.file.read_bytes() if before else b""
            result = self.run_traced("exact", preexec_fn=limited)
            self.assertIn("cannot write", result.stderr)
            self.assertEqual(self.file.read_bytes(), known)

    def test_a_pipe_that_nobody_reads_is_an_error(self):
        os.mkfifo(self.file)
        self.assertIn("cannot open", self.run_traced("exact").stderr)
        printed = self.run_traced("forks", file="/dev/stdout").stdout
        self.assertEqual(printed.count('"ph":"X"'), 2)

    def test_messages_do_not_go_into_the_trace(self):
        self.run_traced("many", 200_000, preexec_fn=lambda: os.close(2))
        self.assertGreater(len(self.events()), 1000)

    def test_processes_wait_for_the_one_that_writes(self):
        with open(self.file, "w") as held:
            fcntl.lockf(held, fcntl.LOCK_EX)
            waiting = subprocess.Popen([PROGRAM, "forks"], stdout=subprocess.PIPE, text=True,
                                       env=os.environ | {"TACHO_REGIONS": f"trace:{self.file}"})
            self.assertRaises(subprocess.TimeoutExpired, waiting.wait, 1)
        parent, child = map(int, waiting.communicate(timeout=30)[0].split())
        self.assertEqual({event["pid"] for event in self.events()}, {parent, child})

    def test_a_trace_needs_a_file(self):
        for asked, why in (("trace", "a trace needs a file; use trace:FILE"), ("trace:", "a trace needs a file; use trace:FILE"),
                           (f"trace:{self.directory}", "cannot open")):
            result = subprocess.run([PROGRAM, "forks"], capture_output=True, text=True, timeout=60,
                                    env=os.environ | {"TACHO_REGIONS": asked})
            self.assertIn(f"TACHO_REGIONS={asked}: {why}", result.stderr)

    @needs("profiler-cli")
    def test_the_firefox_profiler_shows_the_executions(self):
        self.run_traced("exact")
        shown = shown_by_firefox_profiler(self.directory, self.file, "thread", "markers")
        self.assertRegex(shown, r"(?m)^ *inner +200 markers ")
        self.assertRegex(shown, r"(?m)^ *outer +10 markers ")

    @needs("chromium", "speedscope")
    def test_speedscope_shows_the_executions(self):
        self.run_traced("exact")
        shown = shown_by_speedscope(self.directory, self.file.read_bytes())
        rows = [re.sub("<[^>]*>", " ", each) for each in shown.split("</tr>")]
        self.assertTrue(any(each.split()[-1:] == ["inner"] for each in rows), shown[:2000])


if __name__ == "__main__":
    unittest.main()
