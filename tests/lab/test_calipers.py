"""Calipers on real PMUs: regions and counters of a program. They are exact where a board's instruction counts are exact,
and no read mixes two CPUs when the thread migrates."""
import json
import unittest

from lab_case import UNLOADED, access, on, run
from module_case import ModuleCase

LENGTHS = (1000, 30_000, 500_000)
TIMES = 20


class Calipers(ModuleCase):
    def regions(self, name, before, command):
        self.addCleanup(run, name, access(1))
        result = run(name, f"{before}\nexport TACHO_REGIONS_EVENTS=instructions:u\n{command}")
        self.assertEqual(result.code, 0, result.stderr)
        return json.loads(result.stdout)

    def assert_exact(self, name, before, way, others=0):
        """An iteration has two instructions, and the code around the loop is the same for every length. Over all
        executions, at most `others` more instructions may be counted, which are not the program's own."""
        report = self.regions(name, before, f"measured_loop {TIMES} {' '.join(map(str, LENGTHS))}")
        self.assertRegex(report["counting"], way)
        around = set()
        for region in report["regions"]:
            counted = region["quantities"][1]
            self.assertEqual((counted["status"], counted["executions"]), ("counted", TIMES), counted)
            around.add(counted["min"] - 2 * int(region["name"]))
            self.assertLessEqual(counted["total"] - TIMES * counted["min"], others, counted)
        self.assertEqual(len(around), 1, report["regions"])
        self.assertIn(around.pop(), range(1, 8))

    @on("arm64", "arm64-el2")
    def test_regions_are_exact_by_reading_registers(self, name):
        # A read that the kernel interrupts is repeated, and the repetition is counted.
        self.assert_exact(name, access(1), "registers that the program reads by itself", others=100)

    @on("arm64", "armv7")
    def test_regions_are_exact_by_system_call(self, name):
        why = {"arm64": "perf_user_access is 0", "armv7": "on 32-bit ARM the kernel does not open"}[name]
        # Interrupts inside the loop add nothing. But one execution of some thousands counted one instruction more
        # (armv7), presumably when an interrupt came exactly at the return from the kernel.
        self.assert_exact(name, f"{access(0)}\n{UNLOADED}", rf"one read\(2\).*{why}.*tacho_pmu is not loaded",
                          others=TIMES // 2)

    @on("arm64", "armv7")
    def test_regions_are_exact_by_the_modules_registers(self, name):
        self.load(name)
        # The library's thread that watches the registers runs on the same CPU, and its instructions are counted.
        self.assert_exact(name, access(0), "a CPU's registers, with all that runs there, opened by the module",
                          others=2000)

    @on("arm64")
    def test_what_regions_inside_cost_is_taken_off_events_that_take_turns_too(self, name):
        """An iteration has two instructions. A read of the counters by system call costs a fifth of the inner loop."""
        self.addCleanup(run, name, access(1))
        others = "r11:u,r11:k,r08:u,r08:k,r00,r00:u,r00:k"  # more counters than there are
        result = run(name, f"{access(0)}\n{UNLOADED}\nexport TACHO_REGIONS_EVENTS=instructions,{others}\n"
                           "nested_regions 40 1000 10000")
        self.assertEqual(result.code, 0, result.stderr)
        report = json.loads(result.stdout)
        self.assertIn("take turns", report["counting"])
        outer = next(region for region in report["regions"] if region["name"] == "outer")["quantities"][1]
        self.assertEqual((outer["name"], outer["status"]), ("instructions", "estimated"), outer)
        self.assertAlmostEqual(outer["total"] / (40 * 1000 * 2 * 10_000), 1, delta=0.03)

    @on("armv7")
    def test_what_is_scaled_is_scaled_by_the_time_since_the_reset(self, name):
        """An iteration has two instructions. Another tacho takes all counters during a part of the second loop."""
        others = "tacho stat -a -o /tmp/others -e r08,r08:u,r08:k,r11:u,r11:k,r00 -- sleep 0.4 &"
        for before in (1000, 300_000_000):
            result = run(name, f"{UNLOADED}\nreset_counters {before} 200000000 '{others}'")
            self.assertEqual(result.code, 0, result.stderr)
            status, count, share = result.stdout.split()
            self.assertEqual(status, "estimated")
            self.assertAlmostEqual(float(count), 400_000_000, delta=8_000_000)
            self.assertLess(float(share), 0.8)

    def costs(self, name, before, *lists):
        """Returns the cost of one read of each list of events, and the methods of the reads."""
        self.addCleanup(run, name, access(1))
        result = run(name, f"{before}\nread_cost {' '.join(lists)}")
        self.assertEqual(result.code, 0, result.stderr)
        rows = [line.split(maxsplit=3) for line in result.stdout.splitlines()]
        return [int(cost) for _, _, cost, _ in rows], {way for _, way, _, _ in rows}

    @on("arm64")
    def test_reading_costs_few_instructions(self, name):
        by_page, ways = self.costs(name, access(1), "instructions:u", "instructions:u,cycles:u,r08:u,r11:u")
        self.assertEqual(ways, {"user_page"})
        self.assertLessEqual(by_page[0], 40)
        self.assertLessEqual(by_page[1], 100)
        # The cost of a system call includes the kernel's instructions.
        by_call, ways = self.costs(name, f"{access(0)}\n{UNLOADED}", "instructions", "instructions,cycles,r08,r11")
        self.assertEqual(ways, {"system_call"})
        print("instructions of one read of 1 and 4 counters:", by_page, "by read(2):", by_call)
        self.assertGreater(by_call[0], 10 * by_page[0])
        self.assertGreater(by_call[1], 10 * by_page[1])

    @on("arm64-smp")
    def test_counts_are_neither_torn_nor_backward_when_moved_about(self, name):
        self.addCleanup(run, name, access(1))
        result = run(name, f"{access(1)}\nmigrating_reader 500")
        self.assertEqual(result.code, 0, result.stderr)
        seen = {word: int(count) for word, count in map(str.split, result.stdout.splitlines())}
        self.assertEqual((seen["backward"], seen["outside"]), (0, 0), seen)
        self.assertGreater(seen["retries"], 0, "the kernel never came between: nothing was proved")
        self.assertGreater(min(seen["moves"], seen["switches"]), 50, seen)
        self.assertGreater(min(seen["reads"], seen["asked"]), 1000, seen)

    @on("armv7")
    def test_what_perf_disturbs_is_not_believed(self, name):
        self.load(name)
        session = "(sleep 0.2; tacho stat --pmu hardware -e cycles -- sleep 0.1 2>/tmp/perf) &"
        report = self.regions(name, session, "measured_loop 150 1000000")
        counted = report["regions"][0]["quantities"][1]
        self.assertEqual((counted["status"], counted["total"]), ("unavailable", None), counted)
        self.assertIn("were given up: ", counted["reason"])

    @on("armv7")
    def test_counters_of_the_module_end_with_it(self, name):
        self.load(name)
        report = self.regions(name, "(sleep 0.2; rmmod tacho_pmu) &", "measured_loop 150 1000000")
        self.assertEqual(report["regions"][0]["quantities"][1]["status"], "unavailable", report)
        self.assertEqual(report["regions"][0]["quantities"][0]["executions"], 150, "the program goes on")

    @on("armv7-smp")
    def test_a_thread_of_several_cpus_is_not_bound_to_one(self, name):
        self.load(name)
        run_on = "TACHO_REGIONS_EVENTS=cycles:u"
        report = self.regions(name, ":", f"{run_on} measured_loop 3 1000")
        self.assertRegex(report["counting"], r"one read\(2\).*this thread may run on 2")
        # The kernel has closed the counters after its own use, until the module checks them again.
        report = self.regions(name, "sleep 1", f"{run_on} taskset 2 measured_loop 3 1000")
        self.assertIn("a CPU's registers", report["counting"])


if __name__ == "__main__":
    unittest.main()
