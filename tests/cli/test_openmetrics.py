"""`tacho stat --openmetrics`: names and values, intervals, parts, and how the file is replaced.

The truth is the JSON report of the same run, and pages that a program touches.
"""
import json
import os
import subprocess
import time
import unittest

from exposition import assert_is_valid, names, series, value
from tacho_cli import SOURCE, Scratch, assert_pages, event, finish, needs_kernel_counts, needs_mount, run, sanitized, start, workload
from test_output_faults import fill_disk, on_small_disk
from test_scopes import FEW, Toucher

DOCUMENT = (SOURCE / "docs/reference/openmetrics.md").read_text()
EVENTS = "page-faults,task-clock,context-switches"


class OpenMetrics(Scratch):
    def setUp(self):
        super().setUp()
        self.file = self.directory / "job.prom"

    def keep(self, *args, **options):
        """The text of the file, and the JSON report of the same run."""
        out = self.directory / "out.json"
        result = run("stat", "--json", "-o", out, "--openmetrics", self.file, *args, **options)
        self.assertEqual(result.code, 0, result.stderr)
        return self.file.read_text(), [json.loads(line) for line in out.read_text().splitlines()] if "-I" in args \
            else json.loads(out.read_text())

    def test_the_file_has_the_figures_of_the_report(self):
        text, document = self.keep("-e", EVENTS + ",instructions", "--", workload("touch_pages"), "3000")
        assert_is_valid(self, text)
        self.assertEqual({dict(labels)["run"] for _, labels in series(text)}, {"job"})
        faults = event(document, "page-faults")["count"]
        assert_pages(self, faults, 3000, 100)
        for name in ("tacho_events_total", "tacho_events_low", "tacho_events_high"):
            self.assertEqual(value(text, name, event="page-faults"), faults)
        self.assertAlmostEqual(value(text, "tacho_cpu_seconds_total", event="task-clock"),
                               event(document, "task-clock")["count"] / 1e9, places=9)
        self.assertEqual(value(text, "tacho_elapsed_seconds"), document["elapsed_s"])
        self.assertEqual(value(text, "tacho_counted_seconds_total", event="page-faults"), document["elapsed_s"])
        self.assertEqual(value(text, "tacho_user_seconds"), document["user_s"])
        self.assertEqual(value(text, "tacho_max_resident_bytes"), document["max_rss_bytes"])
        self.assertEqual(value(text, "tacho_warnings"), len(document["warnings"]))
        self.assertEqual(value(text, "tacho_info", version=document["tacho"]["version"], target=document["label"],
                               pmu=document["pmu"]["name"], pmu_kind=document["pmu"]["kind"]), 1)
        metrics = {metric["name"]: metric for metric in document["metrics"] if metric["value"] is not None}
        self.assertIn("Page-fault rate", metrics)
        for metric in metrics.values():
            self.assertEqual(value(text, "tacho_metric", metric=metric["name"], unit=metric["unit"]), metric["value"])
        if event(document, "instructions")["count"] is None:
            self.assertNotIn("instructions", text)
        for name in names(text):
            self.assertIn(f"`{name.replace('_high', '_low')}`", DOCUMENT)

    def test_estimates_have_the_ends_of_their_intervals(self):
        text, document = self.keep("--counters", "1", "-e", EVENTS, "--", workload("touch_pages"), "60000", "3000")
        assert_is_valid(self, text)
        faults = event(document, "page-faults")
        self.assertEqual(faults["status"], "estimated")
        for name, key in (("total", "estimate"), ("low", "low"), ("high", "high")):
            self.assertEqual(value(text, "tacho_events_" + name, event="page-faults"), faults[key])

    def test_intervals_add_up(self):
        text, lines = self.keep("-I", "50", "-e", EVENTS, "--", workload("touch_pages"), "80000", "3000")
        *intervals, whole = lines
        self.assertGreater(len(intervals), 2)
        faults = event(whole, "page-faults")["count"]
        self.assertEqual(sum(event(line, "page-faults")["count"] for line in intervals), faults)
        self.assertEqual(value(text, "tacho_events_total", event="page-faults"), faults)
        self.assertEqual(value(text, "tacho_elapsed_seconds"), intervals[-1]["interval"])
        self.assertAlmostEqual(value(text, "tacho_counted_seconds_total", event="page-faults"), whole["elapsed_s"],
                               delta=1e-3 * whole["elapsed_s"])

    def test_half_widths_of_intervals_add_up_in_squares(self):
        text, lines = self.keep("-I", "300", "--counters", "1", "-e", EVENTS, "--", workload("touch_pages"), "300000", "6000")
        *intervals, whole = [event(line, "page-faults") for line in lines]
        self.assertGreater(len(intervals), 2)
        self.assertAlmostEqual(value(text, "tacho_events_total", event="page-faults"),
                               sum(each["estimate"] for each in intervals), delta=len(intervals))
        if None in (each["ci95"] for each in intervals):
            self.assertNotIn(("tacho_events_low", frozenset([("run", "job"), ("event", "page-faults")])), series(text))
            self.skipTest("an interval had too few periods, so the sum has no interval")
        half = (value(text, "tacho_events_high", event="page-faults") - value(text, "tacho_events_low", event="page-faults")) / 2
        squares = sum(each["ci95"] ** 2 for each in intervals) ** 0.5
        linear = sum(each["ci95"] for each in intervals)
        self.assertGreater(half, 0.999 * squares - 1)
        self.assertLess(half, linear, "what intervals share is only a part of each")

    def test_a_reader_never_sees_a_part(self):
        """The file is read as fast as possible while it is replaced as fast as possible."""
        tacho = start("stat", "-I", "1", "-o", os.devnull, "--openmetrics", self.file, "-e", EVENTS, "--",
                      workload("touch_pages"), "100000", "3000")
        seen, last = 0, 0
        while tacho.poll() is None:
            try:
                text = self.file.read_text()
            except FileNotFoundError:
                continue
            faults = value(text, "tacho_events_total", event="page-faults")
            self.assertGreaterEqual(faults, last, "a counter never goes back")
            seen += faults > last
            last = faults
        self.assertEqual(finish(tacho).code, 0)
        self.assertGreater(seen, 20)
        self.assertEqual([path.name for path in self.directory.iterdir()], ["job.prom"])

    def test_attached_to_processes(self):
        toucher = Toucher(self)
        tacho = start("stat", "-I", "20", "-o", os.devnull, "--openmetrics", self.file, "-e", "page-faults",
                      "-p", str(toucher.process.pid), "--per-thread")
        while not self.file.exists() and tacho.poll() is None:
            time.sleep(0.01)
        toucher.touch(2500)
        toucher.end()
        result = finish(tacho)
        self.assertEqual(result.code, 0, result.stderr)
        text = self.file.read_text()
        assert_is_valid(self, text)
        faults = value(text, "tacho_events_total", event="page-faults")
        assert_pages(self, faults, 2500, FEW)
        part = f"{toucher.process.pid} (gated)"
        self.assertEqual(value(text, "tacho_part_events_total", event="page-faults", part=part, kind="thread"), faults)

    @needs_kernel_counts
    def test_parts_of_the_machine_add_up_at_each_interval(self):
        text, lines = self.keep("-I", "100", "-a", "-A", "-e", EVENTS, "--", workload("touch_pages"), "20000", "3000")
        assert_is_valid(self, text)
        cpus = [dict(labels) for name, labels in series(text) if name == "tacho_part_events_total"]
        self.assertEqual({(each["part"], each["kind"]) for each in cpus},
                         {(part["label"], "cpu") for part in lines[-1]["parts"]})
        for name in ("page-faults", "context-switches"):
            whole, parts = ([number for (its, labels), number in series(text).items()
                             if its == family and ("event", name) in labels]
                            for family in ("tacho_events_total", "tacho_part_events_total"))
            self.assertEqual(len(whole), 1, "the sum of a family counts nothing twice")
            self.assertEqual(sum(parts), whole[0])
        for name, labels in series(text):
            self.assertEqual(name.startswith("tacho_part_"), "part" in dict(labels), name)

    def test_the_mode_is_that_of_the_umask(self):
        for mask, mode in ((0o022, 0o644), (0o077, 0o600)):
            self.keep("-e", "page-faults", "--", "true", preexec_fn=lambda mask=mask: os.umask(mask) and None)
            self.assertEqual(self.file.stat().st_mode & 0o777, mode)

    def test_what_can_t_be_written_is_an_error_before_the_workload_runs(self):
        (self.directory / "kept").write_text("old\n")
        os.mkfifo(self.directory / "pipe")
        for path, reason in (("gone/x", "No such file or directory (ENOENT)"), (".", "Is a directory (EISDIR)"),
                             ("kept/x", "Not a directory (ENOTDIR)"), ("-", "no regular file"), ("pipe", "no regular file"),
                             ("/proc/x", "ENOENT")):
            with self.subTest(path):
                result = run("stat", "--openmetrics", path, "--", "touch", "ran", cwd=self.directory)
                self.assertEqual(result.code, 125)
                self.assertEqual(result.stderr.count("tacho: error: "), 1, result.stderr)
                self.assertIn(reason, result.stderr)
                self.assertIn("remedy: ", result.stderr)
        for words in (["-o", "same"], ["--series", "same"], ["-r", "2"], ["--report", "rpistat"]):
            with self.subTest(words):
                result = run("stat", *words, "--openmetrics", "same", "--", "touch", "ran", cwd=self.directory)
                self.assertEqual(result.code, 125)
                self.assertIn("remedy: ", result.stderr)
        self.assertEqual(sorted(path.name for path in self.directory.iterdir()), ["kept", "pipe"])

    def test_a_command_that_cannot_run_leaves_the_old_file(self):
        self.file.write_text("old\n")
        self.assertEqual(run("stat", "--openmetrics", self.file, "--", "no-such-command").code, 127)
        self.assertEqual(self.file.read_text(), "old\n")
        self.assertEqual(len(list(self.directory.iterdir())), 1)

    @needs_mount
    def test_a_full_disk_is_an_error_before_the_workload_runs(self):
        fill_disk(self.directory, 2)
        result = on_small_disk(self.directory, "8k", "stat", "--openmetrics", "disk/x.prom", "--", "echo", "it ran")
        self.assertEqual((result.returncode, result.stdout), (125, ""))
        self.assertTrue(result.stderr.startswith("tacho: error: cannot write 'disk/x.prom': No space left on device (ENOSPC)\n"))
        self.assertEqual([path.name for path in (self.directory / "kept").iterdir()], ["fill"])

    @needs_mount
    def test_a_disk_that_fills_up_keeps_the_last_whole_file(self):
        fill = ("while ! [ -s disk/x.prom ]; do sleep 0.01; done; dd if=/dev/zero of=disk/fill bs=4k 2>/dev/null; "
                "sleep 0.2; rm disk/fill; cp disk/x.prom disk/y")
        result = on_small_disk(self.directory, "64k", "stat", "-I", "10", "-o", "/dev/null", "--openmetrics", "disk/x.prom",
                               "-e", "page-faults", "--", "sh", "-c", fill)
        self.assertEqual(result.returncode, 125)
        self.assertEqual(result.stderr.count("cannot write 'disk/x.prom': No space left on device (ENOSPC)"), 1, result.stderr)
        self.assertEqual({path.name for path in (self.directory / "kept").iterdir()}, {"x.prom", "y"})
        self.assertIn("tacho_events_total", names((self.directory / "kept" / "y").read_text()))
        self.assertIn("tacho_events_total", names((self.directory / "kept" / "x.prom").read_text()), "it is kept again")

    @unittest.skipIf(sanitized(), "the address sanitizer keeps what is freed, so memory grows with it")
    def test_memory_does_not_grow_with_the_intervals(self):
        """After the first thousand intervals, ten thousand more take no more memory."""
        def resident():
            status = open(f"/proc/{tacho.pid}/status").read()
            return int(status.split("VmRSS:")[1].split()[0])
        with subprocess.Popen(["sleep", "60"]) as sleeper:
            tacho = start("stat", "-I", "1", "-o", os.devnull, "--openmetrics", self.file, "-e", EVENTS, "-p", str(sleeper.pid))
            begun = {}
            while tacho.poll() is None:
                elapsed = value(self.file.read_text(), "tacho_elapsed_seconds") if self.file.exists() else 0
                begun.setdefault(int(elapsed), resident())
                if elapsed > 11:
                    break
                time.sleep(0.1)
            sleeper.kill()
        self.assertEqual(finish(tacho).code, 0)
        self.assertLess(max(begun.values()) - begun[1], 512, begun)  # KiB


if __name__ == "__main__":
    unittest.main()
