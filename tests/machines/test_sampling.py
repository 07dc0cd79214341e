"""What tacho samples on made-up machines. A sample stands for nanoseconds of CPU time."""
import json
import unittest

from machine import Machine, on_cpus
from tacho_cli import run

PERIOD = 1_000_000
FEW = 30  # samples of the start and the end of a process, on a busy machine


class Sampling(unittest.TestCase):
    def record(self, machine, *args):
        data = machine.directory / "perf.data"
        result = machine.tacho("record", "-o", data, *args)
        self.assertEqual(result.code, 0, result.stderr)
        report = json.loads(run("report", "--json", "-i", data).stdout)
        return result, report["events"][0]

    def test_a_period_of_cycles_on_equal_cores(self):
        for name in ("zen4", "linux-4.19", "aws-guest"):
            with self.subTest(machine=name), Machine(name) as machine:
                result, recorded = self.record(machine, "--pmu", "hardware", "-e", "cycles", "-c", PERIOD, "--",
                                               *on_cpus((0, 100), (1, 60)))
                samples = sum(json.loads(result.stdout).values()) / PERIOD
                self.assertEqual((recorded["name"], recorded["lost"]), ("cycles", 0))
                self.assertGreater(recorded["samples"], samples * 0.95)
                self.assertLess(recorded["samples"], samples + FEW)

    def test_branch_stacks_and_call_chains_are_asked_for(self):
        with Machine("zen4") as machine:
            for option, sample_type in (("-b", 1 << 11), ("-g", 1 << 5)):
                self.record(machine, option, "-e", "cycles", "-c", PERIOD, "--", *on_cpus((0, 30)))
                self.assertTrue(any(call["sample"]["type"] & sample_type for call in machine.opened("cpu")))

    def test_call_stacks_of_the_processor_are_asked_for(self):
        """Branches of user mode, as a stack of calls, without flags and cycles: what the kernel accepts and perf asks for."""
        user, call_stack, no_flags, no_cycles = 1, 1 << 11, 1 << 14, 1 << 15
        with Machine("skylake-watchdog") as machine:
            self.record(machine, "--call-graph", "lbr", "-e", "cycles", "-c", PERIOD, "--", *on_cpus((0, 30)))
            asked = [call["sample"] for call in machine.opened("cpu") if call["sample"]["type"] & 1 << 11]
            self.assertTrue(asked)
            for sample in asked:
                self.assertTrue(sample["type"] & 1 << 5, "the kernel's part of the chain")
                self.assertEqual(sample["branch"], user | call_stack | no_flags | no_cycles)

    def test_a_core_without_call_stacks_is_named(self):
        with Machine("zen4") as machine:
            result = machine.tacho("record", "--call-graph", "lbr", "-e", "cycles", "-o", machine.directory / "x", "--",
                                   *on_cpus((0, 5)))
            self.assertEqual(result.code, 125)
            self.assertIn("cannot sample cycles: no call stacks of the processor come with it", result.stderr)
            self.assertIn("--call-graph dwarf", result.stderr)

    def test_every_cpu_is_sampled_by_its_own_pmu(self):
        with Machine("alder-lake") as machine:
            data = machine.directory / "perf.data"
            result = machine.tacho("record", "--pmu", "hardware", "-a", "-e", "cycles", "-F", "500", "-o", data, "--",
                                   "sleep", "0.2")
            self.assertEqual(result.code, 0, result.stderr)
            sampling = {call["cpu"]: call["pmu"] for call in machine.calls()
                        if call["sample"].get("freq") == 500 and "fd" in call["answer"]}
            self.assertEqual(sampling, {0: "cpu_core", 1: "cpu_atom"})

    def test_a_rate_above_the_maximum_is_refused(self):
        with Machine("aws-guest") as machine:
            result = machine.tacho("record", "-e", "cycles", "-F", "4000", "-o", machine.directory / "perf.data", "--",
                                   *on_cpus((0, 5)))
            self.assertEqual(result.code, 125)
            self.assertIn("1400", result.stderr)


if __name__ == "__main__":
    unittest.main()
