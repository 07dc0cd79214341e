"""Sets that take turns: tests that the estimates are right and that the intervals contain the truth.

The truth is the kernel's own count: getrusage(2) in the workload itself, plus the faults of its
start-up, which are counted exactly in a run without pages. --counters 1 makes software events take
turns as hardware events would.
"""
import tempfile
import unittest

from binomial import fewest_held
from tacho_cli import event, needs_kernel_counts, stat_json, workload

EVENTS = ["page-faults", "minor-faults", "cpu-migrations", "emulation-faults"]
PAGES, SPIN = 20_000, 6_000


def turned_run(directory, *workload_arguments):
    """One run with four sets of one event each: returns the document and the true number of faults."""
    result, document = stat_json(directory, "--counters", 1, "-e", ",".join(EVENTS), "--",
                                 workload("touch_pages"), *workload_arguments)
    assert result.code == 0, result.stderr
    return document, int(result.stdout)


def says_phases(document):
    return any("changed during the run" in text for text in document["warnings"])


@needs_kernel_counts
class Estimates(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.directory = scratch.name
        _, document = stat_json(self.directory, "-e", "page-faults", "--", workload("touch_pages"), 0, 0)
        self.start_up = event(document, "page-faults")["count"]

    def run_with_turns(self, pages, *how):
        """A run with enough turns for intervals. Other processes may use the CPUs during most of a short
        run. Then the next run is twice as long."""
        for times_as_long in (1, 2, 4, 8):
            document, touched = turned_run(self.directory, times_as_long * pages, *how)
            if min(event(document, name)["periods"] for name in EVENTS) >= 10:
                return document, touched
        self.fail(f"even eight times the work had less than 10 periods: {document}")

    def test_intervals_hold_the_truth_on_a_steady_workload(self):
        """At least 93 of 100, over 200 intervals of two events with the same true count in different sets."""
        runs, held, widths, phased = 100, 0, [], 0
        for _ in range(runs):
            document, touched = self.run_with_turns(PAGES, SPIN)
            truth = touched + self.start_up
            phased += says_phases(document)
            for name in EVENTS[:2]:
                entry = event(document, name)
                self.assertEqual(entry["status"], "estimated")
                held += abs(entry["estimate"] - truth) <= entry["ci95"]
                widths.append(entry["ci95"] / truth)
        width = sorted(widths)[len(widths) // 2]
        print(f"held {held} of {2 * runs}, median half-width {100 * width:.2f} %, phase warnings {phased}")
        self.assertGreaterEqual(held, fewest_held(2 * runs))
        self.assertLess(width, 0.10, "the intervals are too wide")
        self.assertLessEqual(phased, 0.1 * runs, "a steady workload has no phases")

    def test_a_phased_workload_raises_the_warning_and_is_still_covered(self):
        runs, held, phased = 20, 0, 0
        for _ in range(runs):
            # Enough work between two faults. A fault takes several times as long with the sanitizers, or in a
            # guest, and this must not make the phases alike.
            document, touched = self.run_with_turns(PAGES, SPIN, 10)
            entry = event(document, "page-faults")
            held += abs(entry["estimate"] - touched - self.start_up) <= entry["ci95"]
            phased += says_phases(document)
        print(f"held {held} of {runs}, phase warnings {phased}")
        self.assertGreaterEqual(phased, 0.9 * runs)
        self.assertGreaterEqual(held, fewest_held(runs))

    def test_events_that_fit_are_counted_and_not_estimated(self):
        result, document = stat_json(self.directory, "-e", "page-faults", "--", workload("touch_pages"), 5_000, 0)
        entry = event(document, "page-faults")
        self.assertEqual(entry["status"], "counted")
        self.assertEqual(entry["ci95"], 0)
        self.assertEqual(entry["estimate"], entry["count"])
        # The number of pages that one fault at start-up maps depends on the page cache.
        self.assertAlmostEqual(entry["count"], int(result.stdout) + self.start_up, delta=20)

    def test_children_count_too(self):
        command = f"{workload('touch_pages')} 3000 0; {workload('touch_pages')} 4000 0"
        _, one = stat_json(self.directory, "-e", "page-faults", "--", "sh", "-c", ":")
        result, document = stat_json(self.directory, "-e", "page-faults", "--", "sh", "-c", command)
        touched = sum(map(int, result.stdout.split()))
        counted = event(document, "page-faults")["count"]
        forks = 400  # the shell's own faults when it forks twice: copies of touched pages
        self.assertGreaterEqual(counted, touched + 2 * self.start_up - 20)
        self.assertLessEqual(counted, touched + 2 * self.start_up + event(one, "page-faults")["count"] + forks + 20)

    def test_an_event_never_seen_is_bounded_not_zero_for_sure(self):
        document, _ = self.run_with_turns(PAGES, SPIN)
        entry = event(document, "emulation-faults")
        self.assertEqual(entry["estimate"], 0)
        self.assertGreater(entry["ci95"], 3)


if __name__ == "__main__":
    unittest.main()
