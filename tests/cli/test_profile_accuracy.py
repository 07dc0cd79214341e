"""Do the intervals of a profile cover the truth? A program is sampled many times. It measures with its own CPU clock how
long it was in each of its two functions. bench/share_coverage.py does the same for more shapes."""
import os
import pathlib
import tempfile
import unittest

from binomial import fewest_held
from tacho_cli import needs_kernel_counts, run, workload

RUNS = 100
MILLISECONDS = 50


@needs_kernel_counts
class Accuracy(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.file = pathlib.Path(scratch.name, "perf.data")

    def sampled(self, rate, kind, milliseconds, percent, *more, event="cpu-clock:u"):
        """The report of a run of share_shapes, its warnings, and its ns in `first` and in `second`."""
        recorded = run("record", "-q", "-e", event, "-F", rate, "-o", self.file, "--",
                       workload("share_shapes"), kind, milliseconds, percent, *more)
        self.assertEqual(recorded.code, 0, recorded.stderr)
        report = run("report", "-i", self.file, "--json")
        return report.json(), report.stderr, *map(int, recorded.stdout.split())

    def interval_and_truth(self, report, first, second):
        """The interval of the share of `first`, and the share."""
        rows = {row["function"]: row for row in report["rows"]}
        unsampled = report["events"][0]["unsampled"]
        # The program also starts, ends and reads its clock. What was not sampled is taken for the two functions.
        both = (1 - unsampled) * sum(rows[name]["share"] for name in ("first", "second") if name in rows) + unsampled
        truth = both * first / (first + second)
        if "first" in rows:
            return rows["first"]["ci95"], truth
        seen = 1.96 ** 2 / (report["events"][0]["samples"] + 1.96 ** 2)  # Wilson's interval of none
        return (0, unsampled + (1 - unsampled) * seen), truth

    def held(self, times, rate, kind, milliseconds, *more):
        held = 0
        for seed in range(1, times + 1):
            report, _, *spent = self.sampled(rate, kind, milliseconds, 30, seed, *more)
            (low, high), truth = self.interval_and_truth(report, *spent)
            held += low <= truth <= high
        return held

    def test_a_rhythm_of_the_length_of_the_period_does_not_break_intervals(self):
        self.assertGreaterEqual(self.held(40, 1_000, "rhythm", 100, 1_000), fewest_held(40, risk=0.001))

    def test_intervals_of_short_processes_allow_for_what_was_not_sampled(self):
        self.assertGreaterEqual(self.held(20, 4_000, "processes", 60, 600), fewest_held(20, risk=0.001))

    def test_a_warning_says_how_much_could_not_be_sampled(self):
        report, warnings, *_ = self.sampled(4_000, "processes", 60, 30, 1, 600)
        self.assertGreater(report["events"][0]["unsampled"], 0.2)  # a period is 0.25 ms on average
        self.assertRegex(warnings, r"up to \d+ % of cpu-clock:u could not be sampled: 1\d\d threads and processes began")
        self.assertRegex(warnings, "a higher rate")
        report, warnings, *_ = self.sampled(4_000, "steady", 60, 30)
        self.assertEqual(report["events"][0]["unsampled"], 0)
        self.assertNotIn("could not be sampled", warnings)

    def test_the_share_of_a_phase_is_known_better_than_that_of_scattered_samples(self):
        # In kernel mode, too: otherwise samples are missing between those in user mode.
        report, _, *spent = self.sampled(4_000, "phases", 200, 30, event="cpu-clock")
        (low, high), truth = self.interval_and_truth(report, *spent)
        self.assertLess(high - low, 0.6 * 2 * 1.96 * (0.3 * 0.7 / report["events"][0]["samples"]) ** 0.5)
        self.assertLess(abs((low + high) / 2 - truth), 0.03)

    def test_work_in_bursts_shorter_than_a_period_is_sampled(self):
        """40 bursts of 0.5 ms, one in 50 ms, on one CPU, because a thread has a timer on each CPU."""
        cpus = os.sched_getaffinity(0)
        self.addCleanup(os.sched_setaffinity, 0, cpus)
        os.sched_setaffinity(0, {min(cpus)})
        report, _, first, second = self.sampled(1_000, "bursts", 20, 50, 1, 500)
        self.assertGreater(report["events"][0]["count"], 0.5 * (first + second))

    def test_intervals_cover_the_true_shares(self):
        """At least 93 of 100. The true share differs from run to run."""
        held, widths = 0, []
        for i in range(RUNS):
            report, _, *spent = self.sampled(4_000, "steady", MILLISECONDS, 10 + 80 * i // RUNS, i + 1)
            (low, high), truth = self.interval_and_truth(report, *spent)
            held += low <= truth <= high
            widths.append(high - low)
        print(f"held {held} of {RUNS}, mean width {100 * sum(widths) / RUNS:.1f} %")
        self.assertGreaterEqual(held, fewest_held(RUNS))


if __name__ == "__main__":
    unittest.main()
