"""Recordings as other programs take them: tracepoints, streams, samples of a group's leader, events with terms.

perf reads each recording. The truth is what perf finds, and the page faults that touch_pages prints (getrusage(2)).
"""
import collections
import os
import re
import shutil
import subprocess
import unittest

from tacho_cli import (TACHO, Scratch, event, needs_kernel_counts, needs_mount, needs_simulator, run, start,
                       stat_json, with_tracefs, workload)

needs_perf = unittest.skipUnless(shutil.which("perf"), "reading recordings back needs perf (Debian: linux-perf)")


def perf(*args, **options):
    """The output of perf, which must succeed."""
    done = subprocess.run(["perf", *map(str, args)], capture_output=True, text=True, **options)
    assert done.returncode == 0, done.stderr
    return done.stdout


@needs_kernel_counts
class ForClients(Scratch):
    def setUp(self):
        super().setUp()
        self.file = str(self.directory / "perf.data")

    def record(self, *args):
        result = run("record", "-o", self.file, *args)
        self.assertEqual(result.code, 0, result.stderr)
        return result

    def events(self):
        """{name: (samples, sum of their periods)}, from tacho report."""
        result = run("report", "-i", self.file, "--json")
        self.assertEqual(result.code, 0, result.stderr)
        return {each["name"]: (each["samples"], each["periods"]) for each in result.json()["events"]}

    def events_by_perf(self):
        """The same from perf script."""
        found = collections.defaultdict(lambda: [0, 0])
        for line in perf("script", "-i", self.file, "-F", "period,event").splitlines():
            period, name = line.split()
            found[name.rstrip(":")][0] += 1
            found[name.rstrip(":")][1] += int(period)
        return {name: tuple(numbers) for name, numbers in found.items()}

    @needs_perf
    @needs_mount
    def test_perf_shows_a_tracepoint_with_its_fields(self):
        # sleep gives its CPU away, so at least one switch happens on a machine that has nothing else to do.
        result = with_tracefs(TACHO, "record", "-o", self.file, "-c", 1, "-e", "sched:sched_switch,page-faults", "--",
                              "sleep", "0.05")
        if "tracefs" in result.stderr:
            self.skipTest(f"tracefs can't be mounted here: {result.stderr}")
        self.assertEqual(result.code, 0, result.stderr)
        lines = [line for line in perf("script", "-i", self.file, "-F", "event,trace").splitlines() if "sched_switch" in line]
        samples, _ = self.events()["sched:sched_switch"]
        self.assertGreater(samples, 0)
        self.assertEqual(len(lines), samples)
        for line in lines:
            self.assertRegex(line, r"prev_comm=.*prev_pid=\d+ .*next_comm=")
        self.assertIn("sched:sched_switch", perf("report", "-i", self.file, "--stdio"))

    @needs_mount
    def test_a_pattern_of_tracepoints_is_each_that_matches(self):
        out = self.directory / "stat.json"
        result = with_tracefs(TACHO, "stat", "--json", "-o", out, "-e", "sched:sched_sw*,sched:sched_process_ex*", "--", "true")
        if "tracefs" in result.stderr:
            self.skipTest(f"tracefs can't be mounted here: {result.stderr}")
        self.assertEqual(result.code, 0, result.stderr)
        names = set(re.findall(r'"name": *"(sched:[^"]+)"', out.read_text()))
        self.assertLessEqual({"sched:sched_switch", "sched:sched_process_exit", "sched:sched_process_exec"}, names)

    @needs_perf
    def test_a_stream_has_the_recording_alone(self):
        command = ("record", "-o", "-", "-e", "page-faults", "-c", 1, "--", workload("touch_pages"), 500, 0)
        with open(self.file, "wb") as out:
            result = run(*command, stdout=out)
        self.assertEqual(result.code, 0, result.stderr)
        faults = int(re.search(r"^(\d+)$", result.stderr, re.MULTILINE)[1])  # its output goes to standard error
        samples, _ = self.events()["page-faults"]
        self.assertGreaterEqual(samples, faults)
        self.assertIn(f"{samples} samples of page-faults", result.stderr)
        with open(self.file, "rb") as source:
            lines = perf("script", "-i", "-", "-F", "event,period", stdin=source).splitlines()
        self.assertEqual(lines.count(lines[0]), samples)
        self.assertEqual(lines[0].split(), ["1", "page-faults:"])

    def test_a_stream_is_read_while_it_is_written(self):
        with start("record", "-q", "-o", "-", "-e", "page-faults", "-c", 1, "--", workload("touch_pages"), 500, 0,
                   text=False) as writer:
            report = subprocess.run([TACHO, "report", "-i", "-", "--folded"], stdin=writer.stdout, capture_output=True, text=True)
            writer.stdout.close()
            writer.communicate()
        self.assertEqual((report.returncode, writer.returncode), (0, 0), report.stderr)
        self.assertGreaterEqual(sum(int(line.rpartition(" ")[2]) for line in report.stdout.splitlines()), 500)

    def test_a_reader_that_ends_does_not_end_the_workload(self):
        ours, theirs = os.pipe()
        os.close(ours)
        result = run("record", "-o", "-", "--", "touch", self.directory / "ran", stdout=theirs)
        os.close(theirs)
        self.assertEqual(result.code, 125)
        self.assertIn("cannot write 'standard output': Broken pipe", result.stderr)
        self.assertTrue((self.directory / "ran").exists())

    @needs_perf
    def test_leader_samples_are_divided_as_perf_does(self):
        result = self.record("-e", "{cpu-clock,page-faults,minor-faults}:S", "-c", 200_000, "--", workload("touch_pages"),
                             5_000, 0)
        self.assertRegex(result.stderr, r"^\d+ samples? of cpu-clock:S in ")
        found = self.events()
        self.assertEqual(set(found), {"cpu-clock:S", "page-faults:S", "minor-faults:S"})
        self.assertEqual(found, self.events_by_perf())
        faults = int(result.stdout)
        # Only what comes after the last sample is missing.
        self.assertGreater(found["page-faults:S"][1], faults * 0.9)
        self.assertLess(found["page-faults:S"][1], faults + 200)

    def test_leader_samples_of_children_have_their_own_counts(self):
        touch = f"{workload('touch_pages')} 5000 0"
        self.record("-e", "{cpu-clock,page-faults}:S", "-c", 100_000, "--", "sh", "-c", f"{touch}; {touch}; {touch}")
        _, faults = self.events()["page-faults:S"]
        self.assertGreater(faults, 13_500)
        self.assertLess(faults, 17_000)

    @needs_perf
    def test_terms_choose_the_period_and_the_name_of_one_event(self):
        result = self.record("-F", 1000, "-e", "page-faults/period=7/,minor-faults/period=50,name=fifty/,cpu-clock/freq=5000/",
                             "--", workload("touch_pages"), 5_000, 0)
        found = self.events()
        faults = int(result.stdout)
        self.assertAlmostEqual(found["page-faults/period=7/"][0], faults / 7, delta=20)
        self.assertAlmostEqual(found["fifty"][0], faults / 50, delta=4)
        self.assertEqual(found, self.events_by_perf())
        lines = perf("evlist", "-v", "-i", self.file).splitlines()
        frequency = [re.search(r"sample_freq.*?: (\d+)", line)[1] for line in lines if line.startswith("cpu-clock")]
        self.assertEqual(frequency, ["5000"])

    def test_two_events_stay_two(self):
        _, document = stat_json(self.directory, "-e", "{cpu-clock,cpu-clock}", "--", "true")
        self.assertEqual([each["name"] for each in document["events"]], ["cpu-clock", "cpu-clock"])
        same = run("stat", "-e", "cpu-clock/name=foo/,task-clock/name=foo/", "--", "true")
        self.assertEqual(same.code, 125)
        self.assertIn("two different events have the name 'foo'", same.stderr)
        _, document = stat_json(self.directory, "-e", "cpu-clock/name=foo/,cpu-clock/period=10000/,task-clock//", "--", "true")
        self.assertEqual(event(document, "foo")["status"], "counted")
        self.assertEqual(event(document, "task-clock//")["status"], "counted")

    def test_perfs_own_events_say_where_the_times_are(self):
        for name in ("duration_time", "user_time", "system_time"):
            result = run("stat", "-e", name, "--", "true")
            self.assertEqual(result.code, 125)
            self.assertIn("elapsed_s", result.stderr)

    @needs_perf
    def test_the_header_describes_the_machine(self):
        self.record("-e", "cpu-clock", "--", "true")
        header = perf("report", "-i", self.file, "--header-only", "-I")
        self.assertIn("# pmu mappings: ", header)
        self.assertRegex(header, r"software = 1\b")
        if os.path.exists("/sys/devices/system/node/node0"):
            total = re.search(r"MemTotal: +(\d+)", open("/sys/devices/system/node/node0/meminfo").read())[1]
            self.assertRegex(header, rf"# node0 meminfo *: total = {total} kB")
        if os.path.exists("/sys/devices/system/cpu/cpu0/cache/index0/shared_cpu_list"):
            level = open("/sys/devices/system/cpu/cpu0/cache/index0/level").read().strip()
            self.assertRegex(header, rf"# CPU cache info:\n(#  L\d .*\n)*#  L{level} Data ")
        self.assertNotIn("branch stack", header)

    @needs_perf
    @needs_simulator
    def test_the_header_says_that_there_are_branch_stacks(self):
        self.record("--pmu", "simulated:skylake", "-b", "--", "true")
        self.assertIn("# contains samples with branch stack", perf("report", "-i", self.file, "--header-only"))


if __name__ == "__main__":
    unittest.main()
