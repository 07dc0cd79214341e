"""Counts on two unequal cores, each with a PMU of its own. The board's clock is the truth: each CPU has 1 GHz and takes two
cycles for each instruction, so a loop's cycles are known on either core, however often it was moved.

The kernel moves the loops by taskset alone: one runs on CPU 0 (the big core), one on CPU 1 (the little core)."""
import base64
import pathlib
import re
import sys
import unittest

from lab_case import CLOSED, UNLOADED, event, on, run
from module_case import ModuleCase, states

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))

from perf_data import SAMPLE, records  # noqa: E402

BOARD = "big-little"
PMUS = {"armv8_cortex_a57": 0, "armv8_cortex_a53": 1}  # and the CPU of each
BIG, LITTLE = PMUS
PER_WORD = 4_000_000  # cycles of counted_loop for each word of its command line
ON_BIG, ON_LITTLE = 50, 150  # words of the two loops


def loop(cpu, words):
    return f"taskset {1 << cpu} counted_loop" + " x" * (words - 1)


BOTH = f"sh -c '{loop(0, ON_BIG)}; {loop(1, ON_LITTLE)}'"


def at(cpu):
    """Returns a script after which tacho itself runs on this CPU."""
    return f"taskset -p {1 << cpu} $$ >/dev/null"


class UnequalCores(ModuleCase):
    def assert_near(self, counted, expected, part=0.04):
        """The shell and taskset take some milliseconds, and the shorter loop 0.2 s."""
        self.assertIsNotNone(counted)
        self.assertAlmostEqual(counted, expected, delta=expected * part)

    @on(BOARD)
    def test_the_kernel_has_a_pmu_for_each(self, name):
        found = run(name, "cd /sys/bus/event_source/devices; grep . armv8*/cpus").stdout
        self.assertEqual(dict(re.findall(r"(\w+)/cpus:(\d+)", found)), {pmu: str(cpu) for pmu, cpu in PMUS.items()})

    @on(BOARD)
    def test_cycles_of_a_loop_on_either_core_from_either_core(self, name):
        for tachos in PMUS.values():
            for cpu in PMUS.values():
                document = self.stat(name, "-e cycles,instructions:u", loop(cpu, ON_BIG), before=at(tachos))
                self.assert_near(event(document, "cycles")["count"], PER_WORD * ON_BIG)
                self.assert_near(event(document, "instructions:u")["count"], PER_WORD * ON_BIG / 2)

    @on(BOARD)
    def test_cycles_on_both_cores_are_the_sum(self, name):
        for tachos in PMUS.values():
            document = self.stat(name, "-e cycles,task-clock", BOTH, before=at(tachos))
            counted = event(document, "cycles")
            self.assertEqual(counted["status"], "counted", counted)
            self.assert_near(counted["count"], PER_WORD * (ON_BIG + ON_LITTLE))
            self.assert_near(counted["count"], event(document, "task-clock")["count"])
            parts = {pmu: entry["count"] for entry in document["events"] for pmu in PMUS if entry["name"].startswith(pmu)}
            self.assert_near(parts[BIG], PER_WORD * ON_BIG)
            self.assert_near(parts[LITTLE], PER_WORD * ON_LITTLE)

    @on(BOARD)
    def test_events_of_the_two_pmus_are_not_scaled_by_one_another(self, name):
        """The raw numbers are those of cpu_cycles. Each is counted on its own core alone."""
        for pmu_option in ("", "--pmu hardware "):
            document = self.stat(name, f"{pmu_option}-e {BIG}/event=0x11/,{LITTLE}/event=0x11/", BOTH)
            self.assert_near(event(document, f"{BIG}/event=0x11/")["count"], PER_WORD * ON_BIG)
            self.assert_near(event(document, f"{LITTLE}/event=0x11/")["count"], PER_WORD * ON_LITTLE)

    @on(BOARD)
    def test_an_event_of_one_pmu_is_not_extrapolated_to_the_other_core(self, name):
        for pmu, words in ((BIG, ON_BIG), (LITTLE, ON_LITTLE)):
            counted = event(self.stat(name, f"-e {pmu}/cpu_cycles/", BOTH), f"{pmu}/cpu_cycles/")
            self.assert_near(counted["count"], PER_WORD * words)
            self.assert_near(counted["estimate"], PER_WORD * words)

    @on(BOARD)
    def test_every_cpu_is_counted_by_its_own_pmu(self, name):
        """In user mode: QEMU's idle CPUs count cycles, too, in the kernel."""
        mine = {"cycles:u": ON_BIG + ON_LITTLE, f"{BIG}/cpu_cycles/u": ON_BIG, f"{LITTLE}/cpu_cycles/u": ON_LITTLE}
        document = self.stat(name, f"-a -e {','.join(mine)}", BOTH)
        for which, words in mine.items():
            self.assert_near(event(document, which)["count"], PER_WORD * words)

    @on(BOARD)
    def test_a_recording_has_the_samples_of_both_cores(self, name):
        period = 1_000_000
        for tachos in PMUS.values():
            for target in ("", "-a "):
                result = run(name, f"{at(tachos)}\ntacho record -q -o /tmp/perf.data {target}-e cycles:u -c {period} -- {BOTH} "
                                   ">/tmp/out || exit\nbase64 /tmp/perf.data; tacho report -i /tmp/perf.data >/tmp/report")
                self.assertEqual(result.code, 0, result.stderr)
                samples = [kind for kind, _, _ in records(base64.b64decode(result.stdout)) if kind == SAMPLE]
                self.assert_near(len(samples), PER_WORD * (ON_BIG + ON_LITTLE) / period, 0.02)

    @on(BOARD)
    def test_doctor_names_both_pmus(self, name):
        result = run(name, "tacho doctor")
        self.assertEqual(result.code, 0, result.stderr)
        for pmu in PMUS:
            self.assertRegex(result.stdout, rf"ok +.*{pmu}")
        self.assertNotRegex(result.stdout, "problem|never gets a counter")


class Reads(ModuleCase):
    @on(BOARD)
    def test_a_program_that_reads_its_own_counters_survives_its_moves(self, name):
        """The register of a counter that the other core's PMU does not have open would end the program with SIGILL."""
        for start in PMUS.values():
            for which in ("cycles:u", f"{LITTLE}/cpu_cycles/u"):
                result = run(name, f"{UNLOADED}\n{at(start)}\nmoved_counters {which} 300 100")
                self.assertEqual(result.code, 0, f"{result.code}: {result.stdout}{result.stderr}")
                method, numbers = result.stdout.splitlines()
                self.assertNotIn("nothing", method)
                reads, refused, fell = map(int, numbers.split())
                self.assertEqual((refused, fell), (0, 0), result.stdout)
                self.assertGreater(reads, 1000)

    @on(BOARD)
    def test_a_program_that_stays_on_one_core_reads_by_itself(self, name):
        """The event names the PMU, and the affinity of the thread lies inside its CPUs: the kernel allows these reads."""
        for pmu, cpu in PMUS.items():
            result = run(name, f"{UNLOADED}\nTACHO_REGIONS_EVENTS={pmu}/cpu_cycles/u "
                               f"taskset {1 << cpu} measured_loop 3 100000")
            self.assertEqual(result.code, 0, result.stderr)
            self.assertIn("registers that the program reads by itself", result.stdout)

    @on(BOARD)
    def test_the_module_opens_the_counters_of_both_cores(self, name):
        self.assertEqual(self.reads(name, CLOSED), ["SIGILL"] * 2)
        self.load(name)
        self.assertEqual(self.reads(name), ["counts"] * 2)
        status = self.status(name)
        self.assertEqual((states(status), [cpu["counters"] for cpu in status["cpus"]]), (["on"] * 2, ["6"] * 2))
        self.unload(name)
        self.assertEqual(self.reads(name), ["SIGILL"] * 2)
        self.assert_no_complaint(name)


if __name__ == "__main__":
    unittest.main()
