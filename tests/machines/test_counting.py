"""What tacho counts on made-up machines. One count is one nanosecond of CPU time, so the workload knows the truth."""
import json
import unittest

from machine import Machine, on_cpus, workload
from tacho_cli import TACHO, event

ALIKE = {"zen3": "cpu", "zen4": "cpu", "aws-guest": "cpu (skylake)", "linux-4.19": "cpu (haswell)"}  # equal cores
MOST_OF_START = 20e6  # ns: the start and the end of a process, which the workload can't see


class Counting(unittest.TestCase):
    def assertCounts(self, count, truth):
        """A count of a whole process against the time that its main() used."""
        self.assertGreater(count, truth * 0.98)
        self.assertLess(count, truth + MOST_OF_START)

    def test_cycles_of_a_task_on_equal_cores(self):
        for name, pmu in ALIKE.items():
            with self.subTest(machine=name), Machine(name) as machine:
                result, document = machine.stat("-e", "cycles,task-clock", "--", *on_cpus((0, 50), (1, 30)))
                cycles = event(document, "cycles")
                self.assertEqual((result.code, cycles["status"], document["pmu"]["kind"], document["pmu"]["name"]),
                                 (0, "counted", "hardware", pmu))
                self.assertCounts(cycles["count"], sum(json.loads(result.stdout).values()))
                self.assertLess(abs(cycles["count"] - event(document, "task-clock")["count"]), 3e6)

    def test_energy_is_that_of_the_package_and_has_its_power(self):
        """The set asks for what the machine has: AMD's has the package alone."""
        for name, parts in (("zen4", ["pkg"]), ("alder-lake", ["pkg", "cores", "gpu", "ram", "psys"])):
            with self.subTest(machine=name), Machine(name) as machine:
                result, document = machine.stat("-a", "-S", "energy", "--", "sleep", "0.3")
                self.assertEqual((result.code, [each["name"] for each in document["events"]]),
                                 (0, [f"power/energy-{part}/" for part in parts]))
                package = document["events"][0]
                self.assertEqual((package["unit"], package["status"]), ("Joules", "counted"))
                self.assertGreater(package["count"], 0.3e9 * 2 ** -32)
                power = {each["name"]: each for each in document["metrics"]}["Package power"]
                self.assertEqual((power["unit"], len(document["metrics"])), ("W", len(parts)))
                self.assertAlmostEqual(power["value"] * document["elapsed_s"] / package["count"], 1, places=6)
                refused = machine.stat("-S", "energy", "--", "true")[1]["events"][0]
                self.assertEqual((refused["status"], refused["count"]), ("unsupported", None))
                self.assertIn("-a", refused["remedy"])

    def test_cycles_of_a_task_on_one_kind_of_core(self):
        for pmu, cpu in (("cpu_core", 0), ("cpu_atom", 1)):
            with self.subTest(pmu), Machine("alder-lake") as machine:
                result = machine.run("taskset", "-c", str(cpu), workload("self_reading"), "cycles", f"{cpu}:50")
                seen = json.loads(result.stdout)
                self.assertEqual(seen["counts"][0]["status"], 0, seen)
                self.assertLess(abs(seen["counts"][0]["value"] - seen["used"][str(cpu)]), 1e7)
                self.assertTrue(machine.opened(pmu))

    def test_cycles_of_every_cpu(self):
        expected = {"zen4": ["cpu", "cpu"], "alder-lake": ["cpu_core", "cpu_atom"],
                    "big-little": ["armv8_cortex_a72", "armv8_cortex_a53"]}
        for name, pmus in expected.items():
            with self.subTest(machine=name), Machine(name) as machine:
                result, document = machine.stat("--pmu", "hardware", "-a", "-e", "cycles", "--", "sleep", "0.1")
                cycles = event(document, "cycles")
                self.assertEqual((result.code, cycles["status"]), (0, "counted"))
                # Each CPU counts as long as the command runs.
                self.assertGreater(cycles["count"], 2 * 0.1e9)
                self.assertLess(cycles["count"], 2 * (document["elapsed_s"] + 0.1) * 1e9)
                opened = {call["cpu"]: call["pmu"] for call in machine.calls()
                          if "fd" in call["answer"] and call["pid"] == -1 and call["pmu"] != "software"}
                self.assertEqual(opened, dict(enumerate(pmus)))

    def test_children_are_counted(self):
        with Machine("zen4") as machine:
            result, document = machine.stat("-e", "cycles", "--", "sh", "-c", '"$@" & wait', "sh", *on_cpus((0, 40)))
            self.assertCounts(event(document, "cycles")["count"], json.loads(result.stdout)["0"])

    def test_a_process_that_runs_already(self):
        attach = 'out=$1; tacho=$2; shift 2; "$@" & "$tacho" stat --json -o "$out" -e cycles,task-clock -p $! && wait'
        with Machine("zen4") as machine:
            out = machine.directory / "attached.json"
            result = machine.run("sh", "-c", attach, "sh", out, TACHO, *on_cpus((0, 400)))
            document = json.loads(out.read_text())
        cycles, clock = (event(document, name)["count"] for name in ("cycles", "task-clock"))
        self.assertLess(abs(cycles - clock), 3e6)
        self.assertGreater(cycles, 0)
        self.assertLess(cycles, json.loads(result.stdout)["0"] + MOST_OF_START)

    def test_more_events_than_counters_take_turns(self):
        events = "branches,branch-misses,cache-references,cache-misses,L1-dcache-loads,L1-dcache-load-misses"
        with Machine("skylake-watchdog", all_events=True) as machine:
            result, document = machine.stat("--pmu", "hardware", "-e", f"{events},dTLB-loads,dTLB-load-misses", "--",
                                            *on_cpus((0, 600)))
        truth = json.loads(result.stdout)["0"]
        for entry in document["events"]:
            with self.subTest(event=entry["name"]):
                self.assertEqual(entry["status"], "estimated")
                self.assertLess(abs(entry["estimate"] - truth), MOST_OF_START + 4 * entry["ci95"])

    def test_the_container_counts_nothing_and_says_why(self):
        with Machine("container") as machine:
            result, document = machine.stat("-e", "cycles,page-faults", "--", "sh", "-c", "exit 3")
        self.assertEqual(result.code, 3)
        for entry in document["events"]:
            self.assertIsNone(entry["count"])
            self.assertIn("EPERM", entry["reason"])
            self.assertIn("--cap-add PERFMON", entry["remedy"])


class TheLibrary(unittest.TestCase):
    def read(self, name, events, *stretches):
        with Machine(name) as machine:
            result = machine.run(workload("self_reading"), events, *stretches)
        self.assertEqual(result.code, 0, result.stderr)
        return json.loads(result.stdout)

    def test_a_thread_counts_itself_while_it_moves(self):
        for name in ALIKE:
            with self.subTest(machine=name):
                seen = self.read(name, "cycles", "0:20", "1:20", "0:20", "1:20")
                cycles = seen["counts"][0]
                self.assertEqual((cycles["status"], seen["refused"], seen["backward"]), (0, 0, 0))
                self.assertLess(abs(cycles["value"] - sum(seen["used"].values())), 1e7)

    def test_where_the_call_is_forbidden_each_event_says_so(self):
        for count in self.read("container", "cycles,page-faults", "0:5")["counts"]:
            self.assertEqual((count["status"], count["value"]), (2, 0))
            self.assertIn("EPERM", count["error"])


if __name__ == "__main__":
    unittest.main()
