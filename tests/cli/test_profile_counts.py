"""How often events occurred, what sampling cost, and the intervals that report and annotate share.

touch_pages prints the page faults that the kernel counted (getrusage(2)); those of its start are counted here.
"""
import re
import shutil
import subprocess
import unittest

from tacho_cli import Scratch, event, example, needs_kernel_counts, run, stat_json, unwrapped, workload

PAGES = 60
START = 20  # page faults: the page cache decides how many of a program's pages one fault at its start brings in


@needs_kernel_counts
class ProfileCounts(Scratch):
    def setUp(self):
        super().setUp()
        self.file = str(self.directory / "perf.data")

    def record(self, *args):
        result = run("record", "-o", self.file, *args)
        self.assertEqual(result.code, 0, result.stderr)
        return result

    def json(self, *args):
        result = run(*args, "-i", self.file, "--json")
        self.assertEqual(result.code, 0, result.stderr)
        return result.json()

    def faults_of_the_start(self):
        _, counted = stat_json(self.directory, "-e", "page-faults", "--", workload("touch_pages"), 0, 0)
        return event(counted, "page-faults")["count"]

    def test_the_total_of_a_rare_event_is_its_count(self):
        result = self.record("-e", "cpu-clock,page-faults", "-F", 999, "--", workload("touch_pages"), PAGES, 2_000)
        truth = int(result.stdout) + self.faults_of_the_start()
        told = self.json("report", "-e", "page-faults")
        faults = told["events"][1]
        self.assertAlmostEqual(faults["counted"], truth, delta=START)
        self.assertEqual(faults["count"], faults["counted"])
        self.assertAlmostEqual(sum(row["events"][1]["count"] for row in told["rows"]), faults["counted"],
                               delta=len(told["rows"]))
        text = unwrapped(run("report", "-i", self.file).stdout)
        self.assertRegex(text, rf"page-faults: \d+ samples?, 999 a second asked for, "
                               rf"standing for {faults['counted']} events \(counted\) ")

    @unittest.skipUnless(shutil.which("perf"), "recordings without a count need perf (Debian: linux-perf)")
    def test_a_recording_of_perf_has_both_ends_of_the_total(self):
        done = subprocess.run(["perf", "record", "-q", "-e", "page-faults", "-F", "999", "-o", self.file, "--",
                               workload("touch_pages"), str(PAGES), "2000"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        truth = int(done.stdout) + self.faults_of_the_start()
        result = run("report", "-i", self.file)
        low, high = map(int, re.search(r"standing for (\d+) to (\d+) events ", unwrapped(result.stdout)).groups())
        self.assertLessEqual(low - START, truth)
        self.assertGreaterEqual(high + START, truth)
        said = f"how often page-faults occurred is not known: {low} to {high} times" in " ".join(result.stderr.split())
        self.assertEqual(said, low < 0.8 * high)  # ends that are nearer to each other are not worth a warning

    def test_rare_events_are_sampled_each_time_unless_a_rate_was_given(self):
        self.record("-e", "context-switches,page-faults", "--", "sleep", "0.01")
        self.assertEqual([each["period"] for each in self.json("report")["events"]], [1, None])
        self.record("-e", "context-switches", "-F", 1_000, "--", "sleep", "0.01")
        self.assertEqual([each["frequency"] for each in self.json("report")["events"]], [1_000])

    def test_overhead_is_of_the_cpu_time_whatever_the_order_of_events(self):
        for events in ("cpu-clock:u,cpu-clock,page-faults", "page-faults,cpu-clock:k,cpu-clock"):
            self.record("-e", events, "--", example("naive"), 300)
            told = self.json("report")
            if told["sample_cost_ns"] is None:
                self.skipTest("the machine was too busy to measure the cost of a sample")
            samples = sum(each["samples"] for each in told["events"])
            clock = next(each for each in told["events"] if each["name"] == "cpu-clock")
            cpu_ns = samples * told["sample_cost_ns"] / told["overhead"]
            self.assertAlmostEqual(cpu_ns / clock["counted"], 1, delta=0.2, msg=events)

    def test_a_function_has_one_interval_in_all_reports(self):
        self.record("-g", "-e", "cpu-clock", "--", example("naive"), 400)
        rows = self.json("report")["rows"]
        annotated = self.json("annotate", "multiply")
        row = next(row for row in rows if row["function"] == annotated["function"])
        self.assertEqual((annotated["share"], annotated["ci95"]), (row["share"], row["ci95"]))
        for each in rows:
            self.assertGreaterEqual(each["total_ci95"][0], each["ci95"][0], each)

    def test_the_rate_that_was_taken_is_told(self):
        self.record("-e", "cpu-clock", "-F", 1_000, "--", example("naive"), 300)
        told = self.json("report")["events"][0]
        exported = run("report", "-i", self.file, "--firefox")
        self.assertEqual(exported.code, 0, exported.stderr)
        self.assertNotEqual(told["period"], 1_000_000)
        interval = exported.json()["meta"]["interval"]
        taken = re.search(r"1000 a second asked for(?:, ([\d,]+) taken)?, ", run("report", "-i", self.file).stdout)
        rate = int((taken.group(1) or "1000").replace(",", ""))
        self.assertAlmostEqual(1e3 / interval / rate, 1, delta=0.02)
