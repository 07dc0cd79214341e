"""-I, -r, the JSON of `tacho stat`, and the commands that only tell: list, doctor, --help, --version."""
import contextlib
import csv
import io
import json
import os
import re
import statistics
import termios
import threading
import unittest

from tacho_cli import Scratch, event, example, finish, needs_kernel_counts, run, start, stat_json, workload

KEYS = {"tacho", "command", "exit", "elapsed_s", "user_s", "system_s", "max_rss_bytes", "pmu", "periods", "period_ms",
        "events", "metrics", "warnings"}
EVENT_KEYS = {"name", "status", "count", "estimate", "ci95", "share", "periods", "reason", "remedy"}


class Reports(Scratch):
    def check_events(self, events, runs=1):
        for entry in events:
            self.assertLessEqual(EVENT_KEYS, set(entry))
            self.assertIn(entry["status"], ("counted", "estimated", "unsupported", "failed"))
            if entry["status"] in ("unsupported", "failed"):
                self.assertEqual((entry["count"], entry["estimate"], entry["ci95"]), (None, None, None), entry)
                self.assertTrue(entry["reason"] and entry["remedy"], entry)
            if entry["status"] == "counted" and runs == 1:  # of several runs it is the interval of their mean
                self.assertEqual((entry["ci95"], entry["share"], entry["count"]), (0, 1, entry["estimate"]), entry)

    @needs_kernel_counts
    def test_json_of_repeats_is_schema_1(self):
        result, document = stat_json(self.directory, "-r", "3", "--", example("naive"), "300")
        self.assertEqual((result.code, result.stderr), (0, ""))
        self.assertEqual(len(set(result.stdout.splitlines())), 1)
        self.assertEqual(result.stdout.count("naive: n = 300"), 3)
        self.assertLessEqual(KEYS, set(document))
        self.assertEqual(document["tacho"]["schema"], 1)
        self.assertEqual(document["command"], [example("naive"), "300"])
        self.assertEqual(document["exit"], {"code": 0, "signal": None})
        self.assertIn(document["pmu"]["kind"], ("hardware", "software"))
        self.check_events(document["events"], runs=3)
        self.assertGreater(event(document, "task-clock")["estimate"], 0)
        for metric in document["metrics"]:
            self.assertLessEqual({"name", "value", "ci95", "unit"}, set(metric))
            self.assertTrue(metric["value"] is not None or metric["reason"], metric)
        runs = document["elapsed_runs_s"]
        self.assertEqual((document["runs"], len(runs)), (3, 3))
        self.assertAlmostEqual(document["elapsed_s"], statistics.mean(runs), places=9)
        t95 = 4.302653  # Student, two degrees of freedom
        self.assertAlmostEqual(document["elapsed_ci95_s"], t95 * statistics.stdev(runs) / 3 ** 0.5, places=7)
        faults = event(document, "page-faults")
        self.assertLessEqual(faults["minimum"], faults["estimate"])
        clock = event(document, "task-clock")
        for low, middle, high in ((faults["low"], faults["estimate"], faults["high"]),
                                  (clock["low"], clock["estimate"], clock["high"]),
                                  (document["elapsed_low_s"], document["elapsed_s"], document["elapsed_high_s"])):
            self.assertLess(0, low)
            self.assertAlmostEqual(low * high / middle ** 2, 1, places=6)

    @needs_kernel_counts
    def test_text_of_repeats(self):
        result = run("stat", "-r", "3", "-e", "page-faults", "--", "true")
        self.assertEqual(result.code, 0)
        self.assertRegex(result.stderr, r"mean of 3 runs\n.*of the mean of these 3 runs in a row")
        shown = re.search(r"^ +(\d+)(\.\d+)? ± \S+ % +page-faults .*minimum (\d+)$", result.stderr, re.MULTILINE)
        self.assertLessEqual(int(shown[3]), int(shown[1]) + 1)
        self.assertRegex(result.stderr, r"s elapsed|elapsed \(minimum")

    def test_repeats_that_a_signal_ended_say_so(self):
        result = run("stat", "-r", "3", "-e", "page-faults", "--", "sh", "-c", "kill -TERM $$")
        self.assertEqual(result.code, 128 + 15)
        self.assertIn("a signal ended the first of 3 runs", " ".join(result.stderr.split()))
        # Runs that came to their end are the only ones in the means.
        script = "echo >>runs; test $(wc -l <runs) -lt 3 || kill -TERM $$; sleep 0.3"
        for report in ("--json", "-x,"):
            (self.directory / "runs").unlink(missing_ok=True)
            result = run("stat", "-r", "5", report, "-o", "out", "-e", "page-faults", "sh", "-c", script, cwd=self.directory)
            self.assertEqual(result.code, 128 + 15)
        (self.directory / "runs").unlink()
        result, document = stat_json(self.directory, "-r", "5", "-e", "page-faults", "sh", "-c", script, cwd=self.directory)
        self.assertEqual(document["runs"], 2)
        self.assertLess(0.3, document["elapsed_s"])
        self.assertIn("2 of 5 runs were made; a signal ended the next one, which is left out", document["warnings"])

    def test_status_of_repeats_is_the_first_failure(self):
        script = "echo >>runs; test $(wc -l <runs) -ne 2 || exit 9"
        result = run("stat", "-r", "3", "-o", "/dev/null", "--", "sh", "-c", script, cwd=self.directory)
        self.assertEqual(result.code, 9)
        self.assertEqual((self.directory / "runs").read_text(), "\n" * 3)

    def test_repeats_that_failed_are_told(self):
        script = "echo >>runs; test $(wc -l <runs) -ne 2 || exit 9"
        result = run("stat", "-r", "3", "--", "sh", "-c", script, cwd=self.directory)
        self.assertIn("1 of 3 runs failed, the first of them with status 9", " ".join(result.stderr.split()))

    @needs_kernel_counts
    def test_a_process_that_frees_its_memory_keeps_its_counts(self):
        """The kernel ends its events before it frees the memory, and that takes some milliseconds."""
        for _ in range(4):
            result = run("stat", "--json", "-I", "1", "-e", "task-clock", "-o", "out", "--", workload("touch_pages"), "60000", "1",
                         cwd=self.directory)
            self.assertEqual(result.code, 0, result.stderr)
            counts = [event(json.loads(line), "task-clock")["count"] for line in (self.directory / "out").read_text().splitlines()]
            self.assertNotIn(None, counts)

    @needs_kernel_counts
    def test_intervals_add_up(self):
        command = ("-I", "100", "-e", "page-faults,cycles", "--", "sh", "-c", "sleep 0.15; sleep 0.2")
        lines = run("stat", "--json", "-o", "out", *command, cwd=self.directory)
        self.assertEqual(lines.code, 0, lines.stderr)
        slices, rest = [], (self.directory / "out").read_text()
        while rest.startswith('{"interval"'):
            line, _, rest = rest.partition("\n")
            slices.append(json.loads(line))
        whole = json.loads(rest)
        self.assertGreaterEqual(len(slices), 4)
        self.assertEqual([s["interval"] for s in slices], sorted(s["interval"] for s in slices))
        for each in (*slices, whole):
            self.check_events(each["events"])
        self.assertEqual(sum(s["events"][0]["count"] for s in slices), whole["events"][0]["count"])

        rows = list(csv.DictReader(io.StringIO(run("stat", "--csv", *command).stdout)))
        faults = [row for row in rows if row["name"] == "page-faults"]
        self.assertGreaterEqual(len(faults), 4)
        self.assertGreater(sum(int(row["count"]) for row in faults), 50)

        text = run("stat", *command).stderr
        self.assertRegex(text, r"(?m)^#   time \(s\) +page-faults")
        found = [int(count) for count in re.findall(r"(?m)^ +\d+\.\d{3} +(\d+)(?:  .*)?$", text)]
        self.assertGreaterEqual(len(found), 4, text)
        self.assertEqual(sum(found), int(re.search(r"^ +(\d+) +page-faults +\S+ /s", text, re.MULTILINE)[1]), text)


class StandardInput(Scratch):
    def setUp(self):
        super().setUp()
        (self.directory / "input").write_text("head\n" + "line\n" * 100)
        self.read = ["-r", "3", "-e", "task-clock", "--", "sh", "-c", f"wc -l >> '{self.directory}/lines'"]

    def lines(self):
        return [int(line) for line in (self.directory / "lines").read_text().split()]

    def test_each_run_reads_a_file_from_the_same_place_on(self):
        with open(self.directory / "input", "rb", buffering=0) as file:
            os.lseek(file.fileno(), len("head\n"), os.SEEK_SET)
            _, document = stat_json(self.directory, *self.read, preexec_fn=lambda: os.dup2(file.fileno(), 0))
        self.assertEqual((self.lines(), document["warnings"]), ([100, 100, 100], []))

    def test_a_pipe_that_the_first_run_has_emptied_is_said(self):
        _, document = stat_json(self.directory, *self.read, stdin="line\n" * 100)
        self.assertEqual(self.lines(), [100, 0, 0])
        # On a slow machine there may be another one, of the CPU time of starts and ends.
        said = [warning for warning in document["warnings"] if warning.startswith("standard input, a pipe, came to its end")]
        self.assertRegex("".join(said), "before the last run.* < FILE")
        self.assertEqual(len(said), 1)

    def test_of_a_pipe_that_ends_in_the_first_run_nobody_claims_that_it_was_read(self):
        for name in ("runs", "goes-on"):
            os.mkfifo(self.directory / name)
        end, begin = os.pipe()

        def close():  # while the first run waits
            (self.directory / "runs").read_text()
            os.close(begin)
            (self.directory / "goes-on").write_text("")
        closer = threading.Thread(target=close)
        closer.start()
        first = "if mkdir first 2> /dev/null; then echo > runs; cat goes-on; fi"
        with open(end, "rb") as pipe:
            _, document = stat_json(self.directory, "-r", "2", "-e", "task-clock", "--", "sh", "-c", first,
                                    cwd=self.directory, preexec_fn=lambda: os.dup2(pipe.fileno(), 0))
        closer.join()
        warning, = document["warnings"]
        self.assertIn("what one run read of it, those after it did not find", warning)
        self.assertNotIn("run read standard input", warning)

    def test_a_pipe_that_nothing_comes_from_is_no_matter(self):
        end, begin = os.pipe()
        os.close(begin)
        with open(end, "rb") as pipe:
            _, document = stat_json(self.directory, *self.read, preexec_fn=lambda: os.dup2(pipe.fileno(), 0))
        self.assertEqual(self.lines(), [0, 0, 0])
        self.assertEqual(document["warnings"], [])


class Telling(unittest.TestCase):
    def test_list(self):
        result = run("list", "fault")
        self.assertEqual(result.code, 0, result.stderr)
        self.assertRegex(result.stdout, r"(?m)^page-faults +\S+.* yes +\S+")
        for line in result.stdout.partition("\n\n")[0].splitlines():
            self.assertIn("fault", line.lower())
        events = run("list", "page-faults", "--json").json()["events"]
        self.assertEqual(set(events[0]), {"name", "source", "description", "opens", "reason"})
        self.assertTrue(next(e for e in events if e["name"] == "page-faults")["opens"])
        for each in run("list", "cycles", "--json").json()["events"]:
            self.assertEqual(each["opens"], each["reason"] is None)
        nothing = run("list", "no-such-event-anywhere")
        self.assertEqual((nothing.code, nothing.stdout), (1, ""))
        self.assertIn("no event's name contains 'no-such-event-anywhere'", nothing.stderr)
        for pmu in ("auto", "simulated"):
            nothing = run("list", "--json", "--pmu", pmu, "no-such-event-anywhere")
            self.assertEqual((nothing.code, nothing.json()["events"]), (1, []))
            self.assertIn("no event's name contains 'no-such-event-anywhere'", nothing.stderr)

    def test_list_of_the_software_pmu_has_no_events_of_the_core(self):
        listed = run("list", "--pmu", "software", "--json").json()["events"]
        self.assertIn("page-faults", {each["name"] for each in listed})
        self.assertEqual({each["source"] for each in listed} & {"hardware", "cache"}, set())
        for each in listed:
            self.assertNotIn("not a software event", each["reason"] or "", each["name"])
        nothing = run("list", "--pmu", "software", "branch-misses")
        self.assertEqual((nothing.code, nothing.stdout), (1, ""))
        self.assertIn("with --pmu software, no event's name contains 'branch-misses'", nothing.stderr)

    @unittest.skipUnless(os.access("/sys/kernel/tracing/events/ftrace", os.R_OK) or
                         os.access("/sys/kernel/debug/tracing/events/ftrace", os.R_OK), "tracefs has no ftrace events, or is not readable")
    def test_list_says_of_each_ftrace_event_what_stat_finds(self):
        events = run("list", "ftrace:*", "--json").json()["events"]
        self.assertTrue(events)
        for each in events:
            with self.subTest(each["name"]):
                counted = run("stat", "--json", "-e", each["name"], "--", "true").json()["events"][0]
                self.assertEqual(each["opens"], counted["status"] == "counted")
                self.assertNotRegex(each["reason"] or "", "container")

    def test_doctor(self):
        document = run("doctor", "--json").json()
        self.assertEqual(set(document["pmu"]), {"kind", "name", "counters"})
        text = run("doctor").stdout
        for finding in document["findings"]:
            self.assertEqual(set(finding), {"name", "status", "detail", "remedy"})
            self.assertIn(finding["status"], ("ok", "warning", "problem"))
            self.assertIn(finding["name"], text)
        self.assertEqual(next(f for f in document["findings"] if f["name"] == "software events")["status"], "ok")
        counted = run("stat", "--json", "--", "true").json()
        self.assertEqual(counted["pmu"]["kind"], document["pmu"]["kind"], "stat believes what the doctor believes")

    def test_the_doctor_says_what_would_work(self):
        tried = {"simulated PMU": ["stat", "--pmu", "simulated", "-o", os.devnull, "--", "true"],
                 "branch stacks": ["record", "-b", "-o", os.devnull, "--", "true"]}
        for environment in ({}, {"PATH": "/nowhere"}):
            findings = {f["name"]: f for f in run("doctor", "--json", env=environment).json()["findings"]}
            for name, command in tried.items():
                with self.subTest(name, environment=environment):
                    said = findings[name]
                    works = run(*command[:-1], "/bin/true", env=environment).code == 0
                    self.assertEqual(said["status"], "ok" if works else "warning", said)
                    self.assertEqual(bool(said["remedy"]), not works, said)

    def test_help_and_version(self):
        self.assertRegex(run("--version").stdout, r"\Atacho \d+\.\d+\.\d+\n\Z")
        for args in (["--help"], ["stat", "--help"], ["list", "--help"], ["doctor", "--help"]):
            result = run(*args)
            self.assertEqual((result.code, result.stderr), (0, ""))
            self.assertIn("Usage: tacho", result.stdout)
        self.assertIn("--counters", run("stat", "-h").stdout)

    def test_help_tells_options_as_one_types_them(self):
        for command in ("stat", "record", "report", "annotate", "blocks", "dump", "latency", "list", "doctor"):
            with self.subTest(command):
                text = run(command, "--help").stdout
                self.assertNotRegex(text, r"Option Group|\bINT\b|FLOAT|TEXT|Excludes|EVENTS \.\.\.")
                self.assertEqual(text.count("--help"), 1)
                self.assertNotIn("workload's own", text)
        self.assertIn("--line FILE:N ", run("blocks", "--help").stdout)

    def test_help_is_as_wide_as_the_terminal_within_limits(self):
        for command in ([], *(["stat"], ["record"], ["report"], ["annotate"], ["blocks"], ["dump"], ["latency"], ["list"], ["doctor"])):
            widths, words = {}, {}
            for columns in ("20", "80", "110", "120", "999", None):
                text = run(*command, "--help", env={"COLUMNS": columns}).stdout
                widths[columns] = max(map(len, text.splitlines()))
                words[columns] = text.split()
            with self.subTest(command=command, widths=widths):
                for columns, most in (("20", 80), ("80", 80), ("110", 110), ("120", 120), ("999", 120), (None, 100)):
                    self.assertLessEqual(widths[columns], most)
                    self.assertEqual(words[columns], words["80"])
        terminal, other_end = os.openpty()
        self.addCleanup(os.close, terminal)
        termios.tcsetwinsize(other_end, (24, 90))
        finish(start("stat", "--help", env={"COLUMNS": None}, stdout=other_end))
        os.close(other_end)
        text = b""
        with contextlib.suppress(OSError):  # EIO: the other end is closed, and all was read
            while piece := os.read(terminal, 65536):
                text += piece
        self.assertIn(max(map(len, text.decode().splitlines())), range(81, 91))


if __name__ == "__main__":
    unittest.main()
