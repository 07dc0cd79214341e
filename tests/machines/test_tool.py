"""The tool that makes machines up: what it shows, hands out and refuses, against the kernel's own clocks."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import unittest

from machine import IMPOSSIBLE_HERE, MACHINES, TOOL, Machine, workload
from tacho_cli import Scratch, finish, run, stat_json, workload as cli_workload

NAMESPACES, BUILD_ID = 1 << 28, 1 << 34  # flags of the attributes
EXCLUDE_KERNEL, EXCLUDE_GUEST = 1 << 5, 1 << 20
GENERIC = "type=0,config={}"
CYCLES, BRANCHES, BRANCH_MISSES, REFERENCES, MISSES = (GENERIC.format(number) for number in (0, 4, 5, 2, 3))
ON_PMU_10 = "type=0,config=0xa00000000"
ANYWHERE = ("0:30", "1:20")


class ToolCase(unittest.TestCase):
    def calls(self, machine, *words, **options):
        """What perf_calls prints on the machine."""
        result = machine.run(workload("perf_calls"), *words, **options)
        self.assertEqual(result.code, 0, result.stderr)
        return json.loads(result.stdout)

    def answers(self, name, *words, all_events=False):
        with Machine(name, all_events=all_events) as machine:
            return self.calls(machine, *words)["calls"]

    def assertCounts(self, reading, enabled, running):
        """A reading against the CPU time that was used; opening and reading take less than 20 ms more."""
        for name, seen, truth in zip(("value", "enabled", "running"), reading, (running, enabled, running)):
            self.assertGreater(seen, truth * 0.98, name)
            self.assertLess(seen, truth + 2e7, name)


class WhatIsHandedOut(ToolCase):
    def test_an_event_counts_the_time_on_its_cores_and_is_enabled_on_all(self):
        with Machine("alder-lake") as machine:
            seen = self.calls(machine, CYCLES, ON_PMU_10, "type=1,config=1", *ANYWHERE)
        on_p, on_e = seen["used"]["0"], seen["used"]["1"]
        core, atom, task_clock = seen["readings"]
        self.assertCounts(core, on_p + on_e, on_p)
        self.assertCounts(atom, on_p + on_e, on_e)
        self.assertCounts(task_clock, on_p + on_e, on_p + on_e)

    def test_a_group_counts_where_its_pmu_counts(self):
        with Machine("alder-lake") as machine:
            seen = self.calls(machine, "type=1,config=1", ON_PMU_10 + ",group=0", "type=1,config=2,group=0", *ANYWHERE)
        self.assertEqual(seen["calls"], ["ok", "ok", "ok"])
        for reading in seen["readings"][:2]:
            self.assertCounts(reading, seen["used"]["0"] + seen["used"]["1"], seen["used"]["1"])

    def test_a_group_that_needs_the_counter_of_the_watchdog_never_runs(self):
        fits = [CYCLES, *(f"{event},group=0" for event in (BRANCHES, BRANCH_MISSES, REFERENCES))]
        with Machine("skylake-watchdog", all_events=True) as machine:
            seen = self.calls(machine, *fits, "0:20")
            self.assertGreater(min(reading[2] for reading in seen["readings"]), 19e6)
            seen = self.calls(machine, *fits, f"{MISSES},group=0", "0:20")
        for value, enabled, running in seen["readings"]:
            self.assertGreater(enabled, 19e6)
            self.assertEqual((value, running), (0, 0))

    def test_a_group_is_refused_when_it_needs_more_counters_than_there_are(self):
        leader, *others = BRANCHES, *[f"{BRANCHES},group=0"] * 8
        self.assertEqual(self.answers("alder-lake", leader, *others, all_events=True), ["ok"] * 8 + ["EINVAL"])
        # The fixed counter serves one of them.
        self.assertEqual(self.answers("alder-lake", CYCLES, *[f"{CYCLES},group=0"] * 9), ["ok"] * 9 + ["EINVAL"])

    def test_a_closed_event_frees_its_counter(self):
        closed = [f"{BRANCHES},group=0,close=1"] * 20
        self.assertEqual(self.answers("zen4", BRANCHES, *closed, all_events=True), ["ok"] * 21)

    def test_generic_events_other_than_clocks_are_there_when_asked_for(self):
        self.assertEqual(self.answers("zen4", BRANCHES), ["ENOENT"])
        self.assertEqual(self.answers("zen4", BRANCHES, all_events=True), ["ok"])


class WhatIsRefused(ToolCase):
    def test_an_event_opens_on_the_cpus_of_its_pmu(self):
        words = (f"{CYCLES},pid=-1,cpu=1", "type=4,config=0x3c,pid=-1,cpu=1", "type=10,config=0x3c,pid=-1,cpu=1",
                 "type=10,config=0x3c,cpu=0", f"{CYCLES},pid=-1,cpu=2")
        self.assertEqual(self.answers("alder-lake", *words), ["ok", "ENOENT", "ok", "ENOENT", "ENODEV"])

    def test_a_generic_event_names_a_pmu_where_the_kernel_can(self):
        self.assertEqual(self.answers("alder-lake", ON_PMU_10), ["ok"])
        self.assertEqual(self.answers("big-little", ON_PMU_10), ["ENOENT"])
        on_the_only_pmu = "type=0,config=0x400000000"
        self.assertEqual(self.answers("zen4", on_the_only_pmu, ON_PMU_10), ["ok", "ENOENT"])
        self.assertEqual(self.answers("linux-4.19", on_the_only_pmu), ["EINVAL"])

    def test_a_group_belongs_to_one_core_pmu(self):
        self.assertEqual(self.answers("alder-lake", CYCLES, ON_PMU_10 + ",group=0"), ["ok", "EINVAL"])

    def test_topdown_wants_slots_as_its_leader(self):
        slots, metric = "type=4,config=0x400", "type=4,config=0x8000"
        self.assertEqual(self.answers("alder-lake", metric, CYCLES, f"{metric},group=1", slots, f"{metric},group=3"),
                         ["EINVAL", "ok", "EINVAL", "ok", "ok"])

    def test_apple_wants_exclude_guest(self):
        self.assertEqual(self.answers("apple-m1", CYCLES, f"{CYCLES},flags={EXCLUDE_GUEST}"), ["EOPNOTSUPP", "ok"])

    def test_branch_stacks_of_zen_3_want_their_event_and_a_period(self):
        stack = "sample_type=0x800,branch=9"
        taken = f"type=4,config=0xc4,{stack}"
        self.assertEqual(self.answers("zen3", f"{CYCLES},freq=1000,{stack}", f"{taken},freq=1000", f"{taken},period=16",
                                      f"{taken},period=100000"), ["EINVAL", "EINVAL", "EINVAL", "ok"])
        self.assertEqual(self.answers("zen4", f"{CYCLES},freq=1000,{stack}"), ["ok"])

    def test_ibs_takes_no_exclusion(self):
        op = "type=11,config=0,period=160000"
        self.assertEqual(self.answers("zen4", op, f"{op},flags={EXCLUDE_KERNEL}", f"{CYCLES},precise=2,freq=99",
                                      f"{CYCLES},precise=2,freq=99,flags={EXCLUDE_KERNEL}", f"{CYCLES},precise=3,freq=99"),
                         ["ok", "EINVAL", "ok", "EINVAL", "EOPNOTSUPP"])
        self.assertEqual(self.answers("zen3", op, f"{op},pid=-1,cpu=0"), ["EINVAL", "ok"])

    def test_precise_events_of_amd_are_those_of_ibs(self):
        precise = "precise=1,freq=99"
        words = (f"{CYCLES},{precise}", f"{BRANCHES},{precise}", f"type=4,config=0xc1,{precise}", f"type=4,config=0xc4,{precise}")
        self.assertEqual(self.answers("zen4", *words, all_events=True), ["ok", "ENOENT", "ok", "ENOENT"])
        self.assertEqual(self.answers("zen3", words[0], f"{words[0]},pid=-1,cpu=1"), ["EINVAL", "ok"])

    def test_the_guest_has_a_small_maximum_rate(self):
        self.assertEqual(self.answers("aws-guest", f"{CYCLES},freq=1400", f"{CYCLES},freq=1401"), ["ok", "EINVAL"])
        with Machine("aws-guest") as machine:
            self.assertEqual(machine.run("cat", "/proc/sys/kernel/perf_event_max_sample_rate").stdout, "1400\n")

    def test_attributes_that_cannot_be_read(self):
        self.assertEqual(self.answers("zen4", f"{CYCLES},unreadable=1"), ["EFAULT"])

    def test_an_old_kernel_refuses_what_it_does_not_know_and_says_its_size(self):
        with Machine("linux-4.19") as machine:
            seen = self.calls(machine, f"{CYCLES},flags={NAMESPACES}", f"{CYCLES},flags={BUILD_ID}", f"{CYCLES},size=136",
                              f"{CYCLES},size=136,beyond=1", f"{CYCLES},sample_type=0x1000000,period=100000")
        self.assertEqual(seen["calls"], ["ok", "EINVAL", "ok", "E2BIG", "EINVAL"])
        self.assertEqual(seen["sizes"][3], 112)

    def test_an_uncore_pmu_counts_on_its_cpu_alone(self):
        read = "type=24,config=0x20ff"
        self.assertEqual(self.answers("alder-lake", read, f"{read},pid=-1,cpu=0", f"{read},pid=-1,cpu=1",
                                      f"{read},pid=-1,cpu=0,freq=99"), ["EINVAL", "ok", "EINVAL", "EINVAL"])

    def test_absent_cache_events(self):
        prefetches, stores = "type=3,config=0x203", "type=3,config=0x101"  # of the dTLB; of the L1-icache
        self.assertEqual(self.answers("zen4", prefetches, stores), ["ENOENT", "EINVAL"])
        self.assertEqual(self.answers("big-little", prefetches, stores), ["ENOENT", "ENOENT"])

    def test_the_container_forbids_every_call(self):
        self.assertEqual(self.answers("container", CYCLES, "type=1,config=0"), ["EPERM", "EPERM"])


class WhatIsSeen(ToolCase, Scratch):
    def test_each_machine_shows_the_pmus_of_its_table(self):
        for name in MACHINES:
            with self.subTest(machine=name), Machine(name) as machine:
                shown = machine.run("sh", "-c", "cd /sys/bus/event_source/devices && head */type").stdout
                self.assertIn("==> software/type <==\n1\n", shown)
                for line in machine.table.read_text().splitlines():
                    if line.startswith("name = "):
                        self.assertIn(f"==> {line.split(chr(34))[1]}/type <==", shown)

    def test_the_log_has_each_call_with_its_answer(self):
        with Machine("apple-m1") as machine:
            self.calls(machine, f"{CYCLES},cpu=1,flags={EXCLUDE_GUEST | 1},freq=99,sample_type=1", "type=1,config=1,group=0",
                       CYCLES)
            first, second, third = machine.calls()
            self.assertEqual(len(machine.opened("apple_firestorm_pmu")), 1)
        expected = {"call": "perf_event_open", "type": 0, "config": 0, "size": 128, "cpu": 1, "group": -1, "pid": 0,
                    "flags": ["disabled", "freq", "exclude_guest"], "sample": {"freq": 99, "type": 1, "branch": 0},
                    "pmu": "apple_firestorm_pmu"}
        self.assertEqual({key: first[key] for key in expected}, expected)
        self.assertEqual(second["group"], first["answer"]["fd"])
        self.assertEqual(second["answer"], {"errno": "EINVAL"})  # a group has one CPU
        self.assertEqual((third["answer"], third["pmu"]), ({"errno": "EOPNOTSUPP"}, "apple_firestorm_pmu"))

    def test_the_status_of_the_command_is_passed_on(self):
        with Machine("zen4") as machine:
            self.assertEqual(machine.run("sh", "-c", "exit 7").code, 7)
            self.assertEqual(machine.run("sh", "-c", "kill -9 $$").code, 137)
            self.assertEqual(machine.run("/no/such/command").code, 127)

    def test_signals_are_passed_on(self):
        with Machine("zen4") as machine:
            started = machine.start(cli_workload("receive"), stdin=subprocess.PIPE)
            self.assertEqual(started.stdout.readline(), "ready\n")
            started.send_signal(signal.SIGUSR1)
            self.assertEqual(started.stdout.readline(), f"{signal.SIGUSR1.value}\n")
            self.assertEqual(finish(started).code, 0)

    def test_nothing_is_left_behind(self):
        devices = pathlib.Path("/sys/bus/event_source/devices")
        before = sorted(devices.iterdir())
        with Machine("zen4") as machine:
            machine.run("true")
        self.assertEqual(sorted(devices.iterdir()), before)
        self.assertNotIn("made_up", pathlib.Path("/proc/mounts").read_text())

    @unittest.skipUnless(os.geteuid() == 0, "becomes another user; without root, all tests here run as one")
    def test_no_privileges_are_needed(self):
        with Machine("alder-lake") as machine:
            os.chmod(self.directory, 0o755)
            tool, table, calls = (shutil.copy(file, self.directory) for file in (TOOL, machine.table, workload("perf_calls")))
            user = f"{CYCLES},flags={EXCLUDE_KERNEL}"
            seen = subprocess.run([tool, table, calls, user, "type=10,config=0x3c", f"{user},group=0", *ANYWHERE], text=True,
                                  capture_output=True, user=65534, group=65534, extra_groups=[])
        if seen.returncode == IMPOSSIBLE_HERE:
            self.skipTest(f"this system allows no user namespaces: {seen.stderr.strip()}")
        seen = json.loads(seen.stdout)
        self.assertEqual(seen["calls"][::2], ["ok", "ok"])
        self.assertCounts(seen["readings"][0], sum(seen["used"].values()), seen["used"]["0"])

    def test_software_events_are_those_of_this_kernel(self):
        words = ("-e", "page-faults", "--", cli_workload("touch_pages"), "2000", "0")
        _, here = stat_json(self.directory, *words)
        with Machine("zen4") as machine:
            _, there = machine.stat(*words)
        counts = [document["events"][0]["count"] for document in (here, there)]
        self.assertLess(abs(counts[0] - counts[1]), 20)
        self.assertGreater(counts[0], 2000)

    def test_a_wrong_table_is_named_with_its_line(self):
        for text, said in (("cpu = 2", "wrong.toml:1: unknown key 'cpu'"),
                           ("cpus = 2\n[[pmu]]\nname = 'cpu'\ncore = true\ncpus = 0\nevents = ['circles']", "'circles'"),
                           ("[[refuse]]\nerrno = 'EODD'\nbecause = 'x'", "'EODD'"),
                           ("[[refuse]]\nerrno = 'EPERM'\nbecause = 'x'\nwhen = { colour = 1 }", "'colour'")):
            with self.subTest(text=text):
                table = self.directory / "wrong.toml"
                table.write_text(text)
                result = run(table, "true", program=TOOL)
                self.assertEqual(result.code, 125)
                self.assertIn(said, result.stderr)


if __name__ == "__main__":
    unittest.main()
