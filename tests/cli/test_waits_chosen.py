"""`tacho report --wall` of chosen threads and of a part of the time, against the whole report and against the clock."""
import pathlib
import re
import sys
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))

from tacho_cli import Scratch, needs_kernel_counts, run, workload  # noqa: E402

NS = 1e9
STATES = ("running_ns", "ready_ns", "waiting_ns", "unknown_ns")


@needs_kernel_counts
class Chosen(Scratch):
    def record(self, *command):
        self.file = str(self.directory / "perf.data")
        result = run("record", "--wall", "-o", self.file, "--", *command, timeout=60)
        self.assertEqual(result.code, 0, result.stderr)

    def report(self, *options):
        result = run("report", "-i", self.file, "--wall", "--json", *options)
        self.assertEqual(result.code, 0, result.stderr)
        return result.json()

    def clock(self):
        """The times of the recording's clock at which it begins and ends, in seconds."""
        refused = run("report", "-i", self.file, "--wall", "--time", "0,0.001")
        begin, end = re.search(r"from ([0-9.]+) to ([0-9.]+) s of the recording's clock", refused.stderr).groups()
        return float(begin), float(end)

    def test_a_thread_alone_is_its_row_of_the_whole(self):
        self.record(workload("waits"))
        whole = self.report()
        for thread in whole["threads"]:
            alone = self.report("--tid", str(thread["tid"]))
            self.assertEqual([row["tid"] for row in alone["threads"]], [thread["tid"]])
            for state in STATES:
                self.assertEqual(alone["all"][state], thread[state])
            off = thread["waiting_ns"] + thread["ready_ns"]
            self.assertAlmostEqual(sum(place["ns"] for place in alone["places"]), off, delta=100)
            self.assertEqual([wait["ns"] for wait in alone["threads"][0]["longest"]],
                             [wait["ns"] for wait in thread["longest"]])
            self.assertAlmostEqual(sum(ns * count for count, ns in enumerate(alone["running_at_once_ns"])),
                                   whole["all"]["running_ns"], delta=100)  # it is about all threads

    def test_parts_of_the_time_make_the_whole(self):
        self.record(workload("waits"))
        whole = self.report()
        begin, end = self.clock()
        self.assertAlmostEqual(end - begin, whole["span_ns"] / NS, delta=2e-6)
        cuts = [begin + (end - begin) * part for part in (0.2, 0.5, 0.6)]
        ends = ["", *(f"{cut:.6f}" for cut in cuts), ""]
        parts = [self.report("--time", f"{ends[i]},{ends[i + 1]}") for i in range(4)]
        for state in STATES:
            self.assertEqual(sum(part["all"][state] for part in parts), whole["all"][state])
        self.assertEqual(sum(part["span_ns"] for part in parts), whole["span_ns"])
        self.assertEqual(sum(part["running_samples"] for part in parts), whole["running_samples"])
        reasons = {(row["state"], row["reason"]): row["ns"] for row in whole["reasons"]}
        for (state, reason), ns in reasons.items():
            self.assertAlmostEqual(sum(row["ns"] for part in parts for row in part["reasons"]
                                       if (row["state"], row["reason"]) == (state, reason)), ns, delta=100)
        if whole["critical_path"]:
            self.assertEqual(sum(part["critical_path"]["ns"] for part in parts), whole["critical_path"]["ns"])
        both = self.report("--time", f"{ends[0]},{ends[1]} {ends[2]},{ends[3]}")
        self.assertEqual(both["all"]["waiting_ns"], parts[0]["all"]["waiting_ns"] + parts[2]["all"]["waiting_ns"])

    def test_a_wait_counts_at_each_time_that_it_lasted(self):
        self.record("sleep", "0.5")
        begin, end = self.clock()
        middle = self.report("--time", f"{begin + 0.2:.6f},{begin + 0.3:.6f}")
        self.assertEqual(middle["span_ns"], 100_000_000)
        self.assertEqual(middle["all"]["waiting_ns"], 100_000_000)
        self.assertEqual(middle["reasons"][0]["reason"], "sleep")
        self.assertEqual(middle["running_at_once_ns"], [100_000_000])
        folded = run("report", "-i", self.file, "--off-cpu", "--folded", "--time", f"{begin + 0.2:.6f},{begin + 0.3:.6f}")
        self.assertEqual([line.rpartition(" ")[2] for line in folded.stdout.splitlines()], ["100000000"])

    def test_threads_are_chosen_by_name_and_process(self):
        self.record("sh", "-c", "sleep 0.2 & sleep 0.1; wait")
        named = self.report("--comm", "sleep")
        self.assertEqual([thread["name"] for thread in named["threads"]], ["sleep", "sleep"])
        self.assertEqual(named["chosen"]["what"], "command sleep")
        pid = named["threads"][0]["pid"]
        self.assertEqual([thread["pid"] for thread in self.report("--pid", str(pid))["threads"]], [pid])
        shown = run("report", "-i", self.file, "--wall", "--comm", "sleep")
        self.assertRegex(shown.stdout, r"chosen +command sleep")

    def test_what_is_not_there(self):
        self.record("sleep", "0.01")
        for options, words in ((("--tid", "1"), r"no thread was chosen by tid 1\n.*there are \d+ \(sleep\)"),
                               (("--comm", "x", "--time", ",1"), r"there are \d+ \(sleep\)"),
                               (("--time", "0,1"), "of the recording's clock"),
                               (("--cpu", "0"), "--tid, --pid, --comm, --time"),
                               (("--module", "libc.so.6"), "--module chooses samples")):
            refused = run("report", "-i", self.file, "--wall", *options)
            self.assertEqual(refused.code, 125, options)
            self.assertRegex(refused.stderr, words)


if __name__ == "__main__":
    unittest.main()
