"""Unequal cores, on made-up machines with two kinds of core: CPU 0 has one, CPU 1 the other. The truth is the CPU time
that the program says it used on each CPU: one count of a core's event is a nanosecond there. The program's start and
end are beside it, so the sum is held against task-clock, too.
"""
import csv
import json
import os
import pathlib
import re
import sys
import tempfile
import unittest

from machine import Machine, on_cpus
from tacho_cli import TACHO

CPU_0_MS, CPU_1_MS = 120, 60
# A PMU's own events (big-little) count time like all others there, so tacho's loops of known instructions refute them.
UNTRIED = {"alder-lake": (), "big-little": ("--pmu", "hardware")}
PLACES = {"alder-lake": ("cpu_core", "cpu_atom"), "big-little": ("armv8_cortex_a72", "armv8_cortex_a53")}
BOTH = on_cpus((0, CPU_0_MS), (1, CPU_1_MS))
RAW = "event=0xc0,umask=0x1"


def by_name(document):
    return {event["name"]: event for event in document["events"]}


def truth(result):
    """CPU time in ns on CPU 0 and CPU 1, as the program printed it."""
    used = json.loads(result.stdout.splitlines()[-1])
    return used.get("0", 0), used.get("1", 0)


def many(pmu, count):
    return [f"{pmu}/event={0x40 + i:#x},name={pmu}-{i}/" for i in range(count)]


class UnequalCores(unittest.TestCase):
    def near(self, value, expected, part):
        self.assertLessEqual(abs(value - expected), part * expected, f"{value} instead of {expected}")

    def check_cycles(self, result, document, big, little):
        events = by_name(document)
        on_0, on_1 = truth(result)
        total = events["cycles"]["estimate"]
        self.near(total, events["task-clock"]["estimate"], 0.01)
        outside = events["task-clock"]["estimate"] - on_0 - on_1
        for name, used in ((f"{big}/cycles/", on_0), (f"{little}/cycles/", on_1)):
            part = events[name]
            self.assertEqual((part["status"], part["part_of"], part["ci95"]), ("counted", "cycles", 0))
            self.assertGreaterEqual(part["estimate"], 0.99 * used)
            self.assertLessEqual(part["estimate"], 1.01 * used + outside)
        self.assertEqual(total, sum(event["estimate"] for event in document["events"] if event.get("part_of") == "cycles"))
        names = [event["name"] for event in document["events"]]
        self.assertEqual(names[names.index("cycles") + 1:][:2], [f"{big}/cycles/", f"{little}/cycles/"] if big == "cpu_core"
                         else [f"{little}/cycles/", f"{big}/cycles/"])


class GenericEvents(UnequalCores):
    def test_cycles_are_a_sum_with_a_row_for_each_kind_of_core(self):
        for name, (big, little) in PLACES.items():
            with self.subTest(name), Machine(name) as machine:
                result, document = machine.stat(*UNTRIED[name], "-e", "cycles,task-clock", "--", *BOTH)
                self.check_cycles(result, document, big, little)
                for pmu in (big, little):
                    self.assertIn(pmu, document["pmu"]["name"])
                shares = {core["pmu"]: core["share"] for core in document["cores"]}
                self.assertAlmostEqual(sum(shares.values()), 1, delta=0.01)

    def test_the_cpu_on_which_tacho_runs_makes_no_difference(self):
        for cpu in ("0", "1"):
            with self.subTest(cpu), Machine("alder-lake") as machine:
                out = machine.directory / "pinned.json"
                result = machine.run("taskset", "-c", cpu, TACHO, "stat", "--json", "-o", out, "-e", "cycles,task-clock",
                                     "--", *BOTH)
                self.check_cycles(result, json.loads(out.read_text()), "cpu_core", "cpu_atom")

    def test_trials_leave_the_workload_all_its_cpus(self):
        with Machine("alder-lake") as machine:
            here = sorted(os.sched_getaffinity(0))
            result = machine.tacho("stat", "-o", os.devnull, "-e", "cycles", "--", sys.executable, "-c",
                                   "import os; print(sorted(os.sched_getaffinity(0)))")
            self.assertEqual(result.stdout.strip(), str(here))

    def test_an_event_that_one_kind_of_core_lacks_has_no_sum_but_a_part(self):
        with Machine("alder-lake", all_events=True) as machine:
            result, document = machine.stat("--pmu", "hardware", "-e", "L1-dcache-load-misses", "--", *BOTH)
            events = by_name(document)
            self.assertIsNone(events["L1-dcache-load-misses"]["estimate"])
            self.assertIn("no sum without cpu_atom", events["L1-dcache-load-misses"]["reason"])
            self.assertGreaterEqual(events["cpu_core/L1-dcache-load-misses/"]["estimate"], 0.99 * truth(result)[0])

    def test_raw_codes_count_on_all_cores(self):
        with Machine("alder-lake") as machine:
            result, document = machine.stat("--pmu", "hardware", "-e", "r01c2:u,task-clock", "--", *BOTH)
            events = by_name(document)
            self.near(events["r01c2:u"]["estimate"], events["task-clock"]["estimate"], 0.01)
            self.assertIn("cpu_atom/r01c2/u", events)

    def test_metrics_are_of_the_sums(self):
        with Machine("alder-lake", all_events=True) as machine:
            _, document = machine.stat("--pmu", "hardware", "-e", "cycles,instructions", "--", *BOTH)
            self.near({metric["name"]: metric["value"] for metric in document["metrics"]}["CPI"], 1, 0.001)

    def test_text_and_csv_have_the_parts_below_the_sum(self):
        with Machine("alder-lake") as machine:
            text = machine.tacho("stat", "-e", "cycles", "--", *BOTH).stderr
            lines = text.splitlines()
            at = next(i for i, line in enumerate(lines) if " of which cpu_core/cycles/ " in line)
            self.assertRegex(lines[at - 1], r"^ +[\d,. ]+ +cycles ")
            self.assertRegex(lines[at + 1], r"  cpu_atom/cycles/ .*on cpu_atom \(CPU 1\): [\d.]+ % of the CPU time")
            self.assertRegex(" ".join(text.split()), r"Unequal cores: [\d.]+ % of the CPU time on cpu_core \(CPU 0\), [\d.]+ % on cpu_atom")
            printed = machine.tacho("stat", "--csv", "-e", "cycles", "--", *BOTH).stdout
        rows = list(csv.DictReader(printed[printed.index("kind,"):].splitlines()))
        parts = [(row["name"], row["status"], row["pmu"], row["part_of"]) for row in rows if row["kind"] == "event"]
        self.assertEqual(parts, [("cycles", "counted", "", ""),
                                 ("cpu_core/cycles/", "counted", "cpu_core", "cycles"),
                                 ("cpu_atom/cycles/", "counted", "cpu_atom", "cycles")])

    def test_intervals_repeats_and_series_have_sums_and_parts(self):
        with Machine("alder-lake") as machine:
            _, document = machine.stat("-r", "3", "-e", "cycles,task-clock", "--", *BOTH)
            events = by_name(document)
            self.near(events["cycles"]["estimate"], events["task-clock"]["estimate"], 0.02)
            self.assertIsNotNone(events["cpu_atom/cycles/"]["ci95"])
            lines = machine.tacho("stat", "--json", "-I", "50", "-e", "cycles", "--", *BOTH).stdout.splitlines()
            slices = [json.loads(line) for line in lines if line.startswith('{"interval"')]
            whole = by_name(json.loads(lines[-1]))["cycles"]["estimate"]
            self.near(sum(by_name(each)["cycles"]["estimate"] for each in slices), whole, 0.001)


class NamedPmus(UnequalCores):
    def test_one_pmu_counts_a_part_of_the_run_and_says_so(self):
        for name, (big, _) in PLACES.items():
            with self.subTest(name), Machine(name) as machine:
                result, document = machine.stat(*UNTRIED[name], "-e", f"{big}/cycles/,task-clock", "--", *BOTH)
                event = by_name(document)[f"{big}/cycles/"]
                clock = by_name(document)["task-clock"]["estimate"]
                on_0, on_1 = truth(result)
                self.assertEqual((event["status"], event["estimate"]), ("counted", event["count"]))
                self.assertGreaterEqual(event["estimate"], 0.99 * on_0)
                self.assertLessEqual(event["estimate"], clock - 0.99 * on_1)
                self.assertAlmostEqual(event["share"], event["estimate"] / clock, delta=0.02)
                self.assertRegex(event["reason"], rf"on {big} \(CPU 0\): [\d.]+ % of the CPU time")
                self.assertIn(big, document["pmu"]["name"])
                self.assertNotIn(PLACES[name][1], document["pmu"]["name"])

    def test_a_pmu_whose_cores_were_never_used(self):
        with Machine("alder-lake") as machine:
            _, document = machine.stat("-e", "cycles", "--", "taskset", "-c", "0", *on_cpus((0, 30)))
            events = by_name(document)
            self.assertLessEqual(events["cpu_atom/cycles/"]["estimate"], 0.5 * events["cycles"]["estimate"])
            result, document = machine.stat("-p", str(os.getpid()), "-e", "cpu_atom/cycles/", "--", "true")
            self.assertIn(by_name(document)["cpu_atom/cycles/"]["status"], ("counted", "failed"))

    def test_events_that_take_turns_are_scaled_by_their_own_cores(self):
        """The proxy's run of the finding: 505 M ± 0.22 % for 204 M."""
        for name, (big, little) in PLACES.items():
            with self.subTest(name), Machine(name) as machine:
                asked = ",".join(many(big, 14) + many(little, 14) + [f"{big}/cycles/", f"{little}/cycles/"])
                result, document = machine.stat("--pmu", "hardware", "--period", "2", "-e", asked, "--",
                                                *on_cpus(*[(0, 40), (1, 20)] * 10))
                self.assertGreaterEqual(document["sets"], 4)
                events = by_name(document)
                for pmu in (big, little):
                    known = events[f"{pmu}/cycles/"]["estimate"]
                    covered = 0
                    for i in range(14):
                        event = events[f"{pmu}-{i}"]
                        self.assertEqual(event["status"], "estimated")
                        # On a busy machine there are few turns: then intervals are wide, or there is none.
                        half = known if event["ci95"] is None else event["ci95"]
                        self.assertLessEqual(abs(event["estimate"] - known), max(0.02 * known, 2 * half))
                        covered += abs(event["estimate"] - known) <= half
                    self.assertGreaterEqual(covered, 10, "one count is one cycle here: intervals have to hold it")
                self.assertFalse([text for text in document["warnings"] if "other users" in text])


class EveryCpu(UnequalCores):
    def test_a_core_pmus_event_is_opened_on_its_own_cpus_alone(self):
        for name, (big, little) in PLACES.items():
            with self.subTest(name), Machine(name) as machine:
                _, document = machine.stat(*UNTRIED[name], "-a", "-e", "cycles,cpu-clock", "--", "sleep", "0.1")
                for pmu, cpu in ((big, 0), (little, 1)):
                    self.assertEqual({call["cpu"] for call in machine.opened(pmu) if call["pid"] == -1}, {cpu})
                events = by_name(document)
                self.near(events["cycles"]["estimate"], events["cpu-clock"]["estimate"], 0.02)
                self.assertEqual(events[f"{little}/cycles/"]["share"], 1)
                self.assertEqual(events["cycles"]["share"], 1)

    def test_per_cpu_has_each_kind_where_it_is(self):
        with Machine("alder-lake") as machine:
            _, document = machine.stat("-a", "--per-cpu", "-e", "cycles", "--", "sleep", "0.1")
            self.assertEqual(by_name(document)["cycles"]["status"], "counted")
            parts = {part["label"]: by_name(part) for part in document["parts"]}
            for cpu, here, there in (("CPU 0", "cpu_core", "cpu_atom"), ("CPU 1", "cpu_atom", "cpu_core")):
                self.assertEqual(parts[cpu]["cycles"]["estimate"], parts[cpu][f"{here}/cycles/"]["estimate"])
                self.assertGreater(parts[cpu]["cycles"]["estimate"], 0)
                self.assertIsNone(parts[cpu][f"{there}/cycles/"]["estimate"])
                self.assertIn(f"not counted on {cpu}", parts[cpu][f"{there}/cycles/"]["reason"])


class Recordings(UnequalCores):
    def record(self, machine, *args):
        data = machine.directory / "perf.data"
        result = machine.tacho("record", "-o", data, *args)
        self.assertEqual(result.code, 0, result.stderr)
        report = machine.tacho("report", "-i", data, "--json")
        self.assertEqual(report.code, 0, report.stderr)
        return result, {event["name"]: event for event in json.loads(report.stdout)["events"]}

    def test_the_default_event_is_the_cycles_of_each_kind_of_core(self):
        for name, (big, little) in PLACES.items():
            with self.subTest(name), Machine(name) as machine:
                result, events = self.record(machine, *UNTRIED[name], "-c", "1000000", "--", *BOTH)
                on_0, on_1 = truth(result)
                self.near(events[f"{big}/cycles/"]["samples"], on_0 / 1e6, 0.15)
                self.near(events[f"{little}/cycles/"]["samples"], on_1 / 1e6, 0.2)
                self.assertNotIn("had a counter for only", result.stderr)

    def test_one_kind_of_core_alone_is_said_and_places_are_found(self):
        with Machine("alder-lake") as machine:
            result, events = self.record(machine, "-e", "cpu_core/cycles/", "-c", "1000000", "--", *BOTH)
            self.assertRegex(result.stderr, r"cpu_core/cycles/ was sampled on its own cores only \(CPU 0\)")
            self.near(events["cpu_core/cycles/"]["samples"], truth(result)[0] / 1e6, 0.15)
            report = machine.tacho("report", "-i", machine.directory / "perf.data", "--json", "--sort", "module")
            rows = json.loads(report.stdout)["rows"]
            self.assertIn("on_cpus", [pathlib.Path(row["module"]).name for row in rows], "mappings are recorded on every CPU")

    def test_branch_stacks_of_one_kind_of_core_are_recorded(self):
        with Machine("alder-lake") as machine:
            result, events = self.record(machine, "-b", "-e", "cpu_core/cycles/", "--", *BOTH)
            self.assertEqual(result.code, 0, result.stderr)
            self.assertGreater(events["cpu_core/cycles/"]["samples"], 0)

    def test_every_cpu(self):
        with Machine("alder-lake") as machine:
            _, events = self.record(machine, "-a", "-c", "1000000", "--", "sleep", "0.2")
            for name in ("cpu_core/cycles/", "cpu_atom/cycles/"):
                self.assertGreater(events[name]["samples"], 0)


class Examinations(UnequalCores):
    def test_a_group_behind_its_leader_is_not_extrapolated_to_other_cores(self):
        with Machine("alder-lake") as machine:
            result, document = machine.stat("--pmu", "hardware", "-e", "{cpu_core/slots/,cpu_core/topdown-retiring/}",
                                            "--", *BOTH)
        slots = by_name(document)["cpu_core/slots/"]
        self.assertEqual(slots["status"], "counted")
        self.near(slots["count"], truth(result)[0], 0.1)
        self.assertLess(slots["share"], 0.9)

    def test_a_pmu_without_cpus_that_are_online_is_left_out(self):
        with Machine("alder-lake") as machine:
            table = machine.table.read_text().replace('cpus = "1"', 'cpus = ""')
            without = machine.directory / "without.toml"
            without.write_text(table)
            with Machine(without) as all_offline:
                result, document = all_offline.stat("-e", "cycles", "--", *on_cpus((0, 30)))
        self.assertEqual(by_name(document)["cycles"]["status"], "counted", document)
        self.assertNotIn("cpu_atom", document["pmu"]["name"])

    def test_a_cluster_that_is_offline_is_left_out_of_sums(self):
        with Machine("big-little") as machine:
            offline = re.search(r"\[\[pmu\]\]\nname = \"armv8_cortex_a53\".*?(?=\[\[pmu\]\])", machine.table.read_text(), re.DOTALL)
            third = offline.group().replace("armv8_cortex_a53", "armv8_cortex_x1").replace("type = 11", "type = 12").replace(
                'cpus = "1"', 'cpus = "2"')
            with_third = machine.directory / "with-third.toml"
            with_third.write_text(machine.table.read_text().replace(offline.group(), offline.group() + third))
            with Machine(with_third) as three:
                for scope in ((), ("-a",)):
                    with self.subTest(scope):
                        _, document = three.stat(*UNTRIED["big-little"], *scope, "-e", "cycles", "--", *BOTH)
                        events = by_name(document)
                        self.assertEqual(events["cycles"]["status"], "counted", document)
                        self.assertNotIn("armv8_cortex_x1/cycles/", events)

    def test_doctor_warns_of_cores_on_which_it_may_not_run(self):
        with Machine("alder-lake") as machine:
            result = machine.run("taskset", "-c", "0", TACHO, "doctor", "--json")
        found = {each["name"]: each for each in json.loads(result.stdout)["findings"]}
        self.assertEqual(found["core PMU cpu_core"]["status"], "ok")
        self.assertEqual(found["core PMU cpu_atom"]["status"], "warning")
        self.assertIn("may not run there", found["core PMU cpu_atom"]["detail"])
        self.assertNotIn("hardware counters, cpu_atom", found)

    def test_doctor_examines_each_kind_of_core_on_its_cpus(self):
        for name, pmus in PLACES.items():
            with self.subTest(name), Machine(name) as machine:
                document = json.loads(machine.tacho("doctor", "--json").stdout)
                findings = {finding["name"]: finding for finding in document["findings"]}
                for cpu, pmu in enumerate(pmus):
                    self.assertEqual(findings[f"core PMU {pmu}"]["detail"], f"counts on CPU {cpu}")
                    self.assertIn("plausible", findings[f"events not believed, {pmu}"]["detail"])
                    if not UNTRIED[name]:
                        self.assertNotIn(" 0 plausible", findings[f"events not believed, {pmu}"]["detail"])
                    self.assertNotIn("never gets a counter", findings[f"hardware counters, {pmu}"]["detail"])
                self.assertEqual(document["pmu"]["kind"], "software" if UNTRIED[name] else "hardware")

    def test_list_says_what_opens(self):
        with Machine("alder-lake", all_events=True) as machine:
            listed = json.loads(machine.tacho("list", "--json", "--pmu", "hardware", "cycles").stdout)["events"]
            self.assertTrue(next(event for event in listed if event["name"] == "cycles")["opens"])
            listed = json.loads(machine.tacho("list", "--json", "--pmu", "hardware", "L1-dcache-load-misses").stdout)["events"]
            event = next(event for event in listed if event["name"] == "L1-dcache-load-misses")
            self.assertTrue(event["opens"])
            self.assertIn("not on cpu_atom", event["description"])

    def test_rpistat_counts_the_cycles_of_all_cores(self):
        with Machine("alder-lake") as machine:
            out = machine.directory / "rpistat.txt"
            result = machine.tacho("stat", "--report", "rpistat", "-o", out, "--", *BOTH)
            self.assertEqual(result.code, 0, result.stderr)
            line = next(line for line in out.read_text().splitlines() if "Cycles" in line or "cycles" in line)
            counted = int(line.split(":")[1].split()[0].replace(",", ""))
            self.assertGreaterEqual(counted, 0.99 * sum(truth(result)))


class OnePmuForSomeCpus(UnequalCores):
    """A board whose device tree has the PMU of one cluster only."""

    TABLE = """description = "a board with the PMU of one cluster"
cpus = 2
[[pmu]]
name = "armv8_cortex_a53"
type = 11
core = true
cpus = 1
counters = 6
fixed = ["cycles"]
events = ["cycles"]
[pmu.sysfs]
cpus = "1"
"format/event" = "config:0-15"
[files]
"/proc/sys/kernel/perf_event_paranoid" = "1"
"""

    def test_a_count_of_the_time_on_these_cpus_is_named_so(self):
        with tempfile.TemporaryDirectory() as directory:
            table = pathlib.Path(directory, "one-cluster.toml")
            table.write_text(self.TABLE)
            with Machine(table) as machine:
                result, document = machine.stat("-e", "cycles,task-clock", "--", *BOTH)
                event = by_name(document)["cycles"]
                self.assertEqual(event["pmu"], "armv8_cortex_a53")
                self.assertEqual(event["status"], "counted")
                self.assertGreaterEqual(event["estimate"], 0.99 * truth(result)[1])
                self.assertLessEqual(event["estimate"], by_name(document)["task-clock"]["estimate"] - 0.99 * truth(result)[0])
                self.assertRegex(event["reason"], r"on armv8_cortex_a53 \(CPU 1\): [\d.]+ % of the CPU time")
                _, document = machine.stat("-a", "-e", "cycles", "--", "sleep", "0.05")
                self.assertEqual(by_name(document)["cycles"]["status"], "counted")
                self.assertEqual({call["cpu"] for call in machine.opened("armv8_cortex_a53") if call["pid"] == -1}, {1})


if __name__ == "__main__":
    unittest.main()
