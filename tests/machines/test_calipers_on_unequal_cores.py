"""The library in programs that move between unequal cores. The truth is the CPU time that the program used on each core:
a made-up PMU counts one cycle for each nanosecond on its cores. User space can read no register on these machines;
tests/lab has a board that proves those reads."""
import json
import unittest

from machine import Machine, workload
from tacho_cli import workload as cli_workload

SYSTEM_CALL = 3
COUNTED = 0
UNAVAILABLE = 2
BOTH = ("0:60", "1:40", "0:20", "1:30")


class CalipersOnUnequalCores(unittest.TestCase):
    def read_own(self, machine, events, *stretches):
        result = machine.run(workload("self_reading"), events, *stretches)
        self.assertEqual(result.code, 0, result.stderr)
        seen = json.loads(result.stdout)
        self.assertEqual((seen["refused"], seen["backward"]), (0, 0), seen)
        self.assertGreater(seen["reads"], 100)
        return seen

    def assertCount(self, count, truth, share):
        self.assertEqual(count["status"], COUNTED, count)
        # Opening the counters and the last reading are not in the truth.
        self.assertGreater(count["value"], truth * 0.97)
        self.assertLess(count["value"], truth + 2e7)
        self.assertAlmostEqual(count["share"], share, delta=0.05)

    def test_an_event_without_a_pmu_is_the_sum_over_all_cores(self):
        with Machine("alder-lake") as machine:
            seen = self.read_own(machine, "cycles", *BOTH)
        self.assertCount(seen["counts"][0], sum(seen["used"].values()), 1)
        self.assertEqual(seen["method"], SYSTEM_CALL)
        self.assertIn("the cores are unequal, and cpu_core and cpu_atom are counted", seen["explain"])

    def test_where_the_program_opens_its_counters_does_not_matter(self):
        for first, then in ((0, 1), (1, 0)):
            with self.subTest(first), Machine("alder-lake") as machine:
                result = machine.run("taskset", "-c", first, workload("self_reading"), "cycles", f"{then}:50")
                self.assertEqual(result.code, 0, result.stderr)
                seen = json.loads(result.stdout)
                self.assertCount(seen["counts"][0], seen["used"][str(then)], 1)

    def test_an_event_of_one_pmu_counts_on_its_cores_alone_and_says_which_part_that_is(self):
        with Machine("alder-lake") as machine:
            seen = self.read_own(machine, "cpu_core/cycles/,cpu_atom/cycles/,cycles", *BOTH)
        whole = sum(seen["used"].values())
        core, atom, both = seen["counts"]
        self.assertCount(core, seen["used"]["0"], seen["used"]["0"] / whole)
        self.assertCount(atom, seen["used"]["1"], seen["used"]["1"] / whole)
        self.assertCount(both, whole, 1)

    def test_software_events_count_on_all_cores(self):
        with Machine("alder-lake") as machine:
            seen = self.read_own(machine, "cpu_atom/cycles/,task-clock", *BOTH)
        atom, clock = seen["counts"]
        self.assertCount(atom, seen["used"]["1"], seen["used"]["1"] / sum(seen["used"].values()))
        self.assertCount(clock, sum(seen["used"].values()), 1)

    def test_a_thread_that_was_never_on_the_cores_of_an_event_has_no_count(self):
        with Machine("alder-lake") as machine:
            result = machine.run("taskset", "-c", "0", workload("self_reading"), "cpu_atom/cycles/", "0:20")
            self.assertEqual(result.code, 0, result.stderr)
            count = json.loads(result.stdout)["counts"][0]
        self.assertEqual(count["status"], UNAVAILABLE)
        self.assertIn("not on its cores", count["error"])

    def test_an_event_that_one_pmu_lacks_is_refused_instead_of_counted_in_part(self):
        with Machine("alder-lake", all_events=True) as machine:
            seen = self.read_own(machine, "L1-icache-loads", "0:10", "1:10")  # cpu_core has none
        count = seen["counts"][0]
        self.assertEqual(count["status"], UNAVAILABLE)
        self.assertIn("not on all cores: cpu_core/L1-icache-loads/", count["error"])

    def test_regions_count_on_all_cores(self):
        """Two threads on two unequal cores. Cycles are nanoseconds here, so they are the task-clock."""
        with Machine("alder-lake") as machine:
            out = machine.directory / "regions.json"
            result = machine.run(cli_workload("regions"), "threads", "4", "400",
                                 env={"TACHO_REGIONS": f"json:{out}", "TACHO_REGIONS_EVENTS": "cycles,task-clock"})
            self.assertEqual(result.code, 0, result.stderr)
            report = json.loads(out.read_text())
        self.assertIn("the cores are unequal", report["counting"])
        piece = next(region for region in report["regions"] if region["name"] == "piece")
        quantities = {quantity["name"]: quantity for quantity in piece["quantities"]}
        cycles, clock = quantities["cycles"], quantities["task-clock"]
        self.assertEqual((cycles["status"], cycles["executions"]), ("counted", 1600), cycles)
        self.assertAlmostEqual(cycles["total"] / clock["total"], 1, delta=0.05)


if __name__ == "__main__":
    unittest.main()
