"""tacho doctor and tacho list on each made-up machine: they name its PMUs, and the events that it has."""
import json
import re
import unittest

from machine import MACHINES, Machine

AWS_GUEST = {"cycles", "instructions", "ref-cycles", "bus-cycles", "branches"}  # its table's events


class WhatIsThere(unittest.TestCase):
    def doctor(self, machine):
        result = machine.tacho("doctor", "--json")
        return {finding["name"]: finding for finding in json.loads(result.stdout)["findings"]}

    def test_doctor_names_the_core_pmus_of_each_machine(self):
        for name in MACHINES:
            with self.subTest(machine=name), Machine(name) as machine:
                cores = re.findall(r'name = "([^"]*)"\ntype = \d+\ncore = true', machine.table.read_text())
                self.assertTrue(cores)
                detail = self.doctor(machine)["hardware PMU"]["detail"]
                for core in cores:
                    self.assertIn(core, detail)

    def test_doctor_sees_the_watchdog_and_the_settings_of_the_machine(self):
        with Machine("skylake-watchdog") as machine:
            self.assertEqual(self.doctor(machine)["NMI watchdog"]["status"], "warning")
        with Machine("zen4") as machine:
            findings = self.doctor(machine)
            self.assertEqual(findings["NMI watchdog"]["status"], "ok")
            self.assertIn("= 1", findings["perf_event_paranoid"]["detail"])

    def test_list_opens_the_generic_events_that_the_machine_has(self):
        with Machine("aws-guest", all_events=True) as machine:
            listed = json.loads(machine.tacho("list", "--json", "--pmu", "hardware").stdout)["events"]
        generic = {entry["name"]: entry["opens"] for entry in listed if entry["source"] in ("hardware", "cache")}
        self.assertEqual({name for name, opens in generic.items() if opens}, AWS_GUEST)
        self.assertIn("cache-misses", generic)
        self.assertIn("LLC-loads", generic)

    def test_list_has_the_aliases_of_the_pmu(self):
        with Machine("zen3") as machine:
            self.assertIn("branch-brs", machine.tacho("list", "--pmu", "hardware").stdout)
        with Machine("big-little") as machine:
            listed = machine.tacho("list", "--pmu", "hardware").stdout
        self.assertIn("armv8_cortex_a53/inst_retired/", listed)
        self.assertIn("armv8_cortex_a72/inst_retired/", listed)


if __name__ == "__main__":
    unittest.main()
