"""What a hostile user can do through the kernel module: counters that were reprogrammed are as before after the module
is unloaded, perf's counts are right beside it, and readers of the status can't interrupt the CPUs without end."""
import unittest

from lab_case import BOARDS, event, on, run
from module_case import ModuleCase, cpus, log_of

COUNTED_LOOP = 2_000_000 + 6  # user instructions of `counted_loop`
SEVERAL = "arm64-smp", "armv7-smp"
CPU1 = "/sys/devices/system/cpu/cpu1/online"
CYCLES_ALONE = 0x80000000
DIVIDER = 8  # the bit of the control register


class Hostile(ModuleCase):
    def reprogram(self, name, before=":", user=1000):
        """Runs the hostile program as a user. Returns what it found on each CPU: (control, enabled), or None."""
        words = " ".join(map(str, cpus(name)))
        result = run(name, f"{before}\nreprogram_counters {words}", user=user)
        self.assertEqual(result.code, 0, result.stderr)
        lines = [line.split()[1:] for line in result.stdout.splitlines()]
        return [None if words == ["SIGILL"] else tuple(int(word, 16) for word in words) for words in lines]

    def assert_perf_counts_right(self, name):
        document = self.stat(name, "--pmu hardware -e cycles:u,instructions:u", "counted_loop")
        self.assertEqual(event(document, "instructions:u")["count"], COUNTED_LOOP)
        self.assertEqual(event(document, "cycles:u")["count"], COUNTED_LOOP * 2 ** BOARDS[name].icount_shift)

    @on("arm64", "armv7")
    def test_perf_counts_right_after_a_user_has_reprogrammed_the_counters(self, name):
        self.load(name)
        self.assertNotIn(None, self.reprogram(name))
        self.unload(name)
        self.assertEqual(self.reprogram(name), [None])
        self.assert_perf_counts_right(name)
        self.assert_no_complaint(name)

    @on("arm64", "armv7")
    def test_while_perf_counts_no_user_can_reprogram_the_counters(self, name):
        """The module notices perf at its next check. The counts after it are perf's alone."""
        self.load(name, "recheck_ms=1")
        self.reprogram(name)
        hostile = "sh -c 'sleep 0.1; reprogram_counters 0; cat /proc/tacho_pmu'"
        result = run(name, f"tacho stat --pmu hardware -a -e cycles -- {hostile}")
        self.assertIn("0 SIGILL\n", result.stdout, result.stderr)
        self.assertIn("cpu 0 state=perf", result.stdout)
        self.assertNotEqual(self.reprogram(name, "sleep 0.1", user=0), [None])  # and users get the counters back

    @on("arm64", "arm64-smp", "armv7-smp")
    def test_no_counter_is_left_running(self, name):
        self.load(name)
        self.reprogram(name)
        self.unload(name)
        self.load(name, "recheck_ms=1000")
        for control, enabled in self.reprogram(name):
            self.assertEqual(control & DIVIDER, 0)
            self.assertEqual(enabled, CYCLES_ALONE)

    @on("arm64-smp", "armv7-smp")
    def test_not_even_if_perf_counts_at_the_unloading(self, name):
        self.load(name)
        self.reprogram(name)
        result = run(name, "tacho stat --pmu hardware -a -e instructions -- rmmod tacho_pmu")
        self.assertEqual(result.code, 0, result.stderr)
        self.assertEqual(self.reprogram(name), [None] * len(cpus(name)))
        self.load(name, "recheck_ms=1000")
        for control, enabled in self.reprogram(name):
            self.assertEqual(control & DIVIDER, 0)
            self.assertEqual(enabled, CYCLES_ALONE)

    @on(*SEVERAL)
    def test_a_cpu_that_goes_offline_and_comes_back_is_as_before(self, name):
        self.addCleanup(run, name, f"echo 1 >{CPU1}")
        self.load(name)
        self.reprogram(name)
        self.assertNotIn(None, self.reprogram(name, f"echo 0 >{CPU1}; echo 1 >{CPU1}", user=0))
        run(name, f"echo 0 >{CPU1}")
        self.unload(name)
        self.assertEqual(self.reprogram(name, f"echo 1 >{CPU1}", user=0), [None] * len(cpus(name)))
        self.load(name, "recheck_ms=1000")
        self.assertEqual([enabled for _, enabled in self.reprogram(name)], [CYCLES_ALONE] * len(cpus(name)))
        self.assert_no_complaint(name)

    @on("arm64-smp")
    def test_readers_of_the_status_share_interrupts(self, name):
        """At most one round of interrupts a millisecond, whoever reads and how often. The kernel counts them, and those
        that wake a reader on the other CPU, which are fewer than the rounds. Without the limit, each of 1,200 reads is
        a round, within some 100 ms."""
        self.load(name, "recheck_ms=1000")
        reader = "i=0; while [ $i -lt 400 ]; do read line </proc/tacho_pmu; i=$((i + 1)); done"
        script = ("interrupts() { sed -n 's/^ *IPI[0-9]*: *\\([0-9]*\\) *\\([0-9]*\\) *Function call.*/\\1 \\2/p' "
                  "/proc/interrupts; cut -d' ' -f1 /proc/uptime; }\n"
                  f"interrupts; ({reader}) & ({reader}) & ({reader}) & wait; interrupts")
        result = run(name, script, user=1000)
        self.assertEqual(result.code, 0, result.stderr)
        numbers = [float(word) for word in result.stdout.split()]
        self.assertEqual(len(numbers), 6, result.stdout)
        milliseconds = 1000 * (numbers[5] - numbers[2])
        for before, after in ((numbers[0], numbers[3]), (numbers[1], numbers[4])):
            self.assertLess(after - before, 2 * milliseconds + 100)

    @on("armv6")
    def test_the_arm1176_finds_perfs_driver(self, name):
        """QEMU has no counters of the ARM1176. So only this is tested: perf's driver is found, and works on."""
        self.load(name)
        self.assertTrue(log_of(name, "perf's driver armv6_1176 says which counters it holds"))
        self.unload(name)
        self.assertEqual(run(name, "tacho stat --pmu hardware -e cycles -- true").code, 0)
        self.assert_no_complaint(name)


if __name__ == "__main__":
    unittest.main()
