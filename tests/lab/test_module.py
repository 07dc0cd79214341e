"""The kernel module: users have access on every CPU while the module is loaded, and no longer. perf comes first, and the
status never calls a frozen counter counting."""
import unittest

from lab_case import BOARDS, UNLOADED, event, on, on_booted, run
from module_case import MODULE, ModuleCase, cpus, disturbed, log_of, parsed, states

EVERY = "arm64", "arm64-el2", "arm64-smp", "armv7-smp"
SEVERAL = "arm64-smp", "armv7-smp"
CPU1 = "/sys/devices/system/cpu/cpu1/online"
# Longer than a test, so the periodic check can't have set the access.
RARELY = "recheck_ms=1000"


class Access(ModuleCase):
    @on(*EVERY)
    def test_it_begins_with_the_module_and_ends_with_it(self, name):
        everywhere = len(cpus(name))
        self.assertEqual(self.reads(name), ["SIGILL"] * everywhere)
        self.load(name)
        self.assertEqual(self.reads(name), ["counts"] * everywhere)
        self.assertEqual([line.split()[2] for line in self.looks(name)], ["open"] * everywhere)
        self.assertEqual(len(log_of(name, "user access to all counters is on")), everywhere)
        self.unload(name)
        self.assertEqual(self.reads(name), ["SIGILL"] * everywhere)
        self.assertEqual(len(log_of(name, "let go: the user access register is 0x0")), everywhere)
        self.assertEqual(run(name, "cat /proc/tacho_pmu").code, 1)
        self.assert_no_complaint(name)

    @on(*EVERY)
    def test_the_status_says_how_each_cpu_stands_to_everybody(self, name):
        self.load(name)
        status = self.status(name, user=1000)
        arm64 = BOARDS[name].architecture.debian == "arm64"
        self.assertEqual((status["interface"], status["architecture"], status["access"]),
                         ("1", "aarch64" if arm64 else "armv7", "all"))
        self.assertRegex(status["module"], r"^\d+\.\d+\.\d+$")
        self.assertEqual(status["cpus"], [{"state": "on", "counters": "6", "counting": "yes", "perf": "0x00000000",
                                           "disturbed": "0"}] * len(cpus(name)))

    @on("arm64-smp")
    def test_the_cycle_counter_can_be_opened_alone(self, name):
        self.load(name, "access=cycles")
        self.assertEqual(self.status(name)["access"], "cycles")
        self.assertEqual([line.split()[1:3] for line in self.looks(name)], [["counts", "SIGILL"]] * 2)

    @on("armv7-smp")
    def test_where_it_cannot_be_the_status_says_what_is_open(self, name):
        self.load(name, "access=cycles")
        self.assertEqual(self.status(name)["access"], "all")
        self.assertEqual([line.split()[1:3] for line in self.looks(name)], [["counts", "open"]] * 2)
        self.assertTrue(log_of(name, "access=cycles: this processor can't open the cycle counter alone"))

    @on("arm64")
    def test_counters_are_left_as_they_stand_unless_a_reset_is_asked_for(self, name):
        """At 1 GHz the loop takes 0.2 s of the board's time, and the rest of its script a hundredth of that. (Between two
        scripts the counter also counts the time in which the board waits for this machine.)"""
        def value(before=":"):
            return int(self.looks(name, before)[0].split()[3])
        self.addCleanup(run, name, UNLOADED)
        begun = value(f"insmod {MODULE} reset=1")
        self.assertLess(begun, 50_000_000)
        run(name, "counted_loop $(seq 2 50)")
        self.unload(name)
        self.load(name)
        self.assertGreater(value(), begun + 50 * 2_000_000)
        self.unload(name)
        self.assertLess(value(f"insmod {MODULE} reset=1"), 50_000_000)

    @on(*EVERY)
    def test_what_is_wrong_is_refused_by_its_name(self, name):
        said = self.refused(name, "access=some")
        self.assertIn("Invalid argument", said)
        self.assertIn("access=some is unknown: give all or cycles", said)
        self.assertIn("recheck_ms=0 is out of range", self.refused(name, "recheck_ms=0"))
        self.refused(name, "recheck_ms=often")
        self.refused(name, "reset=maybe")
        self.assertEqual(self.reads(name), ["SIGILL"] * len(cpus(name)))
        self.load(name)
        self.assertIn("File exists", self.refused(name))
        self.assertEqual(self.reads(name), ["counts"] * len(cpus(name)))


class ComingAndGoing(ModuleCase):
    def setUp(self):
        self.addCleanup(on_booted, SEVERAL, f"echo 1 >{CPU1} 2>/dev/null")

    @on(*SEVERAL)
    def test_a_cpu_that_comes_back_has_access_at_once(self, name):
        self.load(name, RARELY)
        before = disturbed(self.status(name))
        self.assertEqual(self.reads(name, f"echo 0 >{CPU1}"), ["counts", "offline"])
        self.assertEqual(self.status(name)["cpus"][1], {"state": "offline"})
        self.assertEqual(self.reads(name, f"echo 1 >{CPU1}"), ["counts", "counts"])
        after = disturbed(self.status(name))
        self.assertEqual(after[0], before[0])
        self.assertGreater(after[1], before[1], "its counters were lost")

    @on(*SEVERAL)
    def test_a_cpu_that_was_offline_at_load_has_access_and_at_unload_has_none(self, name):
        run(name, f"echo 0 >{CPU1}")
        self.load(name, RARELY)
        self.assertEqual(self.reads(name, f"echo 1 >{CPU1}"), ["counts", "counts"])
        run(name, f"echo 0 >{CPU1}")
        self.unload(name)
        self.assertEqual(self.reads(name, f"echo 1 >{CPU1}"), ["SIGILL", "SIGILL"])
        self.assert_no_complaint(name)

    @on("armv7-smp")
    def test_a_cpu_that_slept_has_access_when_it_wakes_up(self, name):
        """The kernel's test of hibernation puts all devices and CPUs to sleep, and wakes them after 5 s."""
        self.load(name, RARELY)
        before = disturbed(self.status(name))
        self.assertEqual(self.reads(name, "echo core >/sys/power/pm_test; echo disk >/sys/power/state || exit"),
                         ["counts", "counts"])
        self.assertTrue(all(b > a for a, b in zip(before, disturbed(self.status(name)))))


class Perf(ModuleCase):
    @on(*EVERY)
    def test_while_it_holds_counters_the_status_says_so_and_afterwards_users_count_again(self, name):
        self.load(name)
        before = disturbed(self.status(name))
        result = run(name, "tacho stat -a -e cycles -- cat /proc/tacho_pmu")
        self.assertEqual(result.code, 0, result.stderr)
        during = parsed(result.stdout)
        self.assertEqual(states(during), ["perf"] * len(cpus(name)))
        for cpu in during["cpus"]:
            self.assertNotEqual(int(cpu["perf"], 16), 0)
            self.assertEqual(cpu["counting"], "no")
        # The status is not read before, because that would apply the setting, too: this tests the periodic check.
        self.assertEqual(self.reads(name, "sleep 0.1"), ["counts"] * len(cpus(name)))
        after = self.status(name)
        self.assertEqual(states(after), ["on"] * len(cpus(name)))
        self.assertTrue(all(b > a for a, b in zip(before, disturbed(after))))

    @on(*EVERY)
    def test_what_the_status_calls_counting_counts(self, name):
        self.load(name, RARELY)
        for arguments in ("-e cycles:u", "-a -e cycles", "-e cycles:u,instructions:u"):
            result = run(name, f"tacho stat {arguments} -- true; cat /proc/tacho_pmu; read_cycles {' '.join(map(str, cpus(name)))}")
            lines = result.stdout.splitlines()
            status = parsed("\n".join(lines[:-len(cpus(name))]))
            self.assertEqual(states(status), ["on"] * len(cpus(name)))
            self.assertEqual({cpu["counting"] for cpu in status["cpus"]}, {"yes"})
            self.assertEqual([line.split()[1] for line in lines[-len(cpus(name)):]], ["counts"] * len(cpus(name)), arguments)

    @on("arm64")
    def test_its_counts_are_the_same_with_the_module(self, name):
        self.load(name, "recheck_ms=1")
        document = self.stat(name, "-e instructions:u,cycles:u", "counted_loop 2 3 4 5")
        self.assertEqual(event(document, "instructions:u")["count"], 5 * 2_000_000 + 6)

    @on(*EVERY)
    def test_the_module_comes_and_goes_beside_it(self, name):
        self.addCleanup(run, name, UNLOADED)
        result = run(name, f"tacho stat -a -e cycles -- sh -c 'insmod {MODULE} && cat /proc/tacho_pmu'")
        self.assertEqual(states(parsed(result.stdout)), ["perf"] * len(cpus(name)), result.stderr)
        self.assertTrue(log_of(name, "perf holds counters 0x[0-9a-f]+: nothing is set until it lets go"))
        self.assertEqual(self.reads(name, "sleep 0.1"), ["counts"] * len(cpus(name)))
        document = self.stat(name, "-a -e cycles,task-clock", "sh -c 'rmmod tacho_pmu; counted_loop 2 3 4 5'")
        self.assertGreater(event(document, "cycles")["count"], 5 * 2_000_000, "and it counts on")
        self.assertEqual(self.reads(name), ["SIGILL"] * len(cpus(name)))
        self.assert_no_complaint(name)


if __name__ == "__main__":
    unittest.main()
