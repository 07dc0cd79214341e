"""Out-of-order cores of the simulator: loops over memory take as long as on the core that the model describes."""
import platform
import shutil
import unittest

from tacho_cli import event, run, workload


@unittest.skipUnless(platform.machine() == "x86_64" and shutil.which("valgrind"), "the simulator needs x86-64 and Valgrind")
class LateData(unittest.TestCase):
    def cycles_a_step(self, kind, kib, few, many, model="skylake"):
        """The difference of two runs: without the start of the program."""
        counts = []
        for steps in (few, many):
            done = run("stat", "--json", "-e", "cycles", "--pmu", f"simulated:{model}", "--", workload("late_data"), kind,
                       str(kib), str(steps), timeout=300)
            self.assertEqual(done.code, 0, done.stderr)
            counts.append(event(done.json(), "cycles")["count"])
        return (counts[1] - counts[0]) / (many - few)

    def test_a_list_costs_the_latency_of_its_level(self):
        # data/models/skylake.toml: 4 and 12 cycles, 246 and a translation of 9 or 26 more
        self.assertAlmostEqual(self.cycles_a_step("list", 16, 100_000, 300_000), 4, delta=0.1)
        self.assertAlmostEqual(self.cycles_a_step("list", 128, 100_000, 300_000), 12, delta=0.2)
        far = self.cycles_a_step("list", 32 << 10, 10_000, 60_000)
        self.assertGreater(far, 246)
        self.assertLess(far, 246 + 4 + 26)

    def test_a_list_waits_for_a_line_that_another_load_has_asked_for(self):
        without, with_keys = (self.cycles_a_step(kind, 32 << 10, 10_000, 60_000) for kind in ("list", "keys"))
        self.assertAlmostEqual(with_keys, without, delta=0.02 * without)

    def test_loads_that_need_nothing_overlap(self):
        # 12 lines at a time, of 246 cycles each; some are in the last level
        self.assertGreater(self.cycles_a_step("random", 64 << 10, 10_000, 110_000), 0.8 * 246 / 12)
        self.assertLess(self.cycles_a_step("random", 64 << 10, 10_000, 110_000), 1.2 * 246 / 12)

    def test_a_condition_in_a_loop_changes_nothing(self):
        self.assertAlmostEqual(self.cycles_a_step("condition", 1, 100_000, 300_000), 4, delta=0.1)


if __name__ == "__main__":
    unittest.main()
