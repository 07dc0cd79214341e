"""Event sets take turns on real counters: do the 95 % intervals hold the truth? A board under icount executes the same
user instructions in every run, so a run without turns gives the exact truth. Its cycles are counted all the time, and
are all instructions × 2^shift."""
import unittest

from binomial import fewest_held
from lab_case import BOARDS, LabCase, documents, event, on, run

USER = "instructions:u", "r08:u"  # two names of the same event, in different sets
EVENTS = ",".join(("instructions", "instructions:k", "cycles") + USER)
# The number of runs on each board. The runs are short: 40 to 70 ms of the board's time.
RUNS = {"naive 170": 20, "interchange 140": 20, "two_phase 20": 12}


class Estimates(LabCase):
    def turned_runs(self, name, command, runs):
        result = run(name, f"for i in $(seq {runs}); do tacho stat --json --counters 1 -e {EVENTS} -o /tmp/report -- "
                           f"{command} >/tmp/out || exit; cat /tmp/report; done", limit=300)
        self.assertEqual(result.code, 0, result.stderr)
        return documents(result.stdout)

    @on("arm64", "armv7")
    def test_intervals_hold_the_truth(self, name):
        held, intervals, widths = 0, 0, []
        for command, runs in RUNS.items():
            truth = event(self.stat(name, f"-e {USER[0]}", command), USER[0])["count"]
            for document in self.turned_runs(name, command, runs):
                self.assertEqual(document["reference"], "cycles")
                for entry in (event(document, e) for e in USER):
                    self.assertEqual(entry["status"], "estimated")
                    intervals += 1
                    held += abs(entry["estimate"] - truth) <= entry["ci95"]
                    widths.append(entry["ci95"] / truth)
                every = event(document, "instructions")["estimate"]
                cycles = event(document, "cycles")["count"]
                # On such a board the ratio of instructions to cycles is constant, so this estimate is almost exact.
                self.assertAlmostEqual(every * 2 ** BOARDS[name].icount_shift, cycles, delta=cycles * 1e-3)
        print(f"{name}: held {held} of {intervals} in {sum(RUNS.values())} runs, "
              f"median half-width {100 * sorted(widths)[intervals // 2]:.1f} %")
        self.assertGreaterEqual(held, fewest_held(intervals))
        self.assertLess(sorted(widths)[intervals // 2], 0.10, "an interval that is honest by being wide is no merit")


if __name__ == "__main__":
    unittest.main()
