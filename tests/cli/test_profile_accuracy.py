"""Do the intervals of a profile cover the truth? A program is sampled many times. It measures with its own CPU clock how
long it was in each of its two functions."""
import pathlib
import tempfile
import unittest

from binomial import fewest_held
from tacho_cli import needs_kernel_counts, run, workload

RUNS = 100
MILLISECONDS = 50


@needs_kernel_counts
class Accuracy(unittest.TestCase):
    def test_intervals_cover_the_true_shares(self):
        """At least 93 of 100. The true share differs from run to run."""
        held, widths = 0, []
        with tempfile.TemporaryDirectory() as scratch:
            file = pathlib.Path(scratch, "perf.data")
            for i in range(RUNS):
                recorded = run("record", "-q", "-e", "cpu-clock:u", "-F", 4_000, "-o", file, "--",
                               workload("two_functions"), MILLISECONDS, 10 + 80 * i // RUNS)
                self.assertEqual(recorded.code, 0, recorded.stderr)
                rows = {row["function"]: row for row in run("report", "-i", file, "--json").json()["rows"]}
                both = rows["first"]["samples"] + rows["second"]["samples"]
                # Of the samples in both functions: the program also starts, ends and reads its clock.
                low, high = (share * rows["first"]["samples"] / (rows["first"]["share"] * both)
                             for share in rows["first"]["ci95"])
                held += low <= float(recorded.stdout) <= high
                widths.append(high - low)
        print(f"held {held} of {RUNS}, mean width {100 * sum(widths) / RUNS:.1f} %")
        self.assertGreaterEqual(held, fewest_held(RUNS))


if __name__ == "__main__":
    unittest.main()
