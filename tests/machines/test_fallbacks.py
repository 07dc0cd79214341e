"""Parts of what tacho asks for that a kernel or a PMU refuses: it leaves them out and says so, or names the remedy."""
import json
import unittest

from machine import Machine, on_cpus
from tacho_cli import TACHO, event, unwrapped

BUSY = on_cpus((0, 100))  # uses 100 ms on CPU 0
SLACK = 30e6  # ns of CPU time that the command uses before and after


def refused(machine, errno):
    return [call for call in machine.calls() if call["answer"].get("errno") == errno]


def sampled(machine):
    """The calls that opened an event for sampling."""
    return [call for call in machine.calls() if "fd" in call["answer"] and call["sample"].get("type")]


class OnCpu0:
    """Runs tacho on the CPU of the PMU that is meant."""

    def __init__(self, machine):
        self.machine = machine

    def tacho(self, *args):
        return self.machine.run("taskset", "-c", "0", TACHO, *args)

    def stat(self, *args):
        out = self.machine.directory / "out.json"
        result = self.tacho("stat", "--json", "-o", out, *args)
        return result, json.loads(out.read_text())

    def record(self, *args):
        return self.tacho("record", "-o", self.machine.directory / "perf.data", *args)


class ExcludeGuest(unittest.TestCase):
    """Apple's cores, and PMUs that KVM lends to guests, count only with exclude_guest."""
    EVENT = "apple_icestorm_pmu/cycles/"

    def test_stat_counts_and_says_it_once(self):
        with Machine("apple-m1") as machine:
            result, document = OnCpu0(machine).stat("--pmu", "hardware", "-e", self.EVENT, "--", *BUSY)
            opened = machine.opened("apple_icestorm_pmu")
            again = [call for call in refused(machine, "EOPNOTSUPP") if call["pmu"] == "apple_icestorm_pmu"]
        self.assertEqual(result.code, 0, result.stderr)
        used = json.loads(result.stdout)["0"]
        counted = event(document, self.EVENT)
        self.assertEqual(counted["status"], "counted")
        self.assertGreaterEqual(counted["count"], 0.98 * used)
        self.assertLess(counted["count"], used + SLACK)
        self.assertTrue(opened)
        for call in opened:
            self.assertIn("exclude_guest", call["flags"])
        self.assertEqual(len(again), 1, "it is met once for each PMU")
        self.assertEqual(len([text for text in document["warnings"] if "guests are not counted" in text]), 1)

    def test_record_samples(self):
        with Machine("apple-m1") as machine:
            result = OnCpu0(machine).record("--pmu", "hardware", "-e", self.EVENT, "--", *BUSY)
            opened = sampled(machine)
        self.assertEqual(result.code, 0, result.stderr)
        self.assertRegex(result.stderr, r"[1-9]\d* samples of apple_icestorm_pmu/cycles/")
        self.assertIn("guests are not counted", result.stderr)
        cores = [call for call in opened if call["pmu"].startswith("apple")]
        self.assertTrue(cores and all("exclude_guest" in call["flags"] for call in cores))

    def test_guests_that_the_user_names_are_not_left_out(self):
        with Machine("apple-m1") as machine:
            _, document = OnCpu0(machine).stat("--pmu", "hardware", "-e", self.EVENT + "GH", "--", "true")
        counted = event(document, self.EVENT + "GH")
        self.assertEqual((counted["status"], counted["count"]), ("unsupported", None))
        self.assertIn("guests", counted["reason"])
        self.assertIn(":G", counted["remedy"])

    def test_doctor_says_what_is_left_out(self):
        with Machine("apple-m1") as machine:
            result = OnCpu0(machine).tacho("doctor")
        self.assertIn("ok left out virtual machines' guests are not counted", unwrapped(result.stdout))


class SamplingRate(unittest.TestCase):
    """The kernel lowers its limit by itself. The machine of aws-guest allows 1400 samples a second."""

    def test_the_default_follows_the_kernels_limit(self):
        with Machine("aws-guest") as machine:
            result = OnCpu0(machine).record("--", *BUSY)
            opened = sampled(machine)
        self.assertEqual(result.code, 0, result.stderr)
        self.assertIn("sampled 1400 times a second instead of 4000: kernel.perf_event_max_sample_rate = 1400", result.stderr)
        self.assertRegex(result.stderr, r"[1-9]\d* samples of cycles")
        self.assertEqual(opened[0]["sample"]["freq"], 1400)

    def test_what_the_user_asks_for_is_not_changed(self):
        with Machine("aws-guest") as machine:
            result = OnCpu0(machine).record("-F", "4000", "--", *BUSY)
            lower = OnCpu0(machine).record("-F", "1000", "--", *BUSY)
        self.assertEqual(result.code, 125)
        self.assertIn("the kernel samples at most 1400 times a second", result.stderr)
        self.assertIn("-F 1400", result.stderr)
        self.assertEqual(lower.code, 0, lower.stderr)
        self.assertNotIn("instead of", lower.stderr)

    def test_doctor_tells_the_limit_and_the_reason_for_no_branch_stacks(self):
        with Machine("aws-guest") as machine:
            result = OnCpu0(machine).tacho("doctor")
        self.assertRegex(result.stdout, r"warning +sampling rate +1400 samples a second by default")
        self.assertIn("branch stacks cannot sample cycles: no branch stacks come with it", unwrapped(result.stdout))


class OldKernel(unittest.TestCase):
    """Linux 4.19 knows no build IDs in mappings (5.12)."""

    def test_it_counts(self):
        with Machine("linux-4.19") as machine:
            result, document = machine.stat("-e", "cycles,task-clock", "--", *BUSY)
        used = json.loads(result.stdout)["0"]
        self.assertGreaterEqual(event(document, "cycles")["count"], 0.98 * used)
        self.assertEqual(document["warnings"], [])

    def test_it_records_without_build_ids_and_says_so(self):
        with Machine("linux-4.19") as machine:
            result = OnCpu0(machine).record("--", *BUSY)
            opened, again = sampled(machine), refused(machine, "EINVAL")
        self.assertEqual(result.code, 0, result.stderr)
        self.assertRegex(result.stderr, r"[1-9]\d* samples of cycles")
        self.assertIn("without build IDs (Linux before 5.12)", result.stderr)
        self.assertEqual(len(again), 1, "the kernel's refusal is met once, and not for each CPU")
        tracking = [call for call in opened if "mmap" in call["flags"]]
        self.assertTrue(tracking)
        for call in tracking:
            self.assertNotIn("build_id", call["flags"])
            self.assertLessEqual({"mmap2", "comm_exec", "task"}, set(call["flags"]))


class Precision(unittest.TestCase):
    def record(self, name, spec):
        with Machine(name) as machine:
            result = OnCpu0(machine).record("-e", spec, "--", *BUSY)
            return result, sampled(machine)

    def test_p_takes_the_highest_level_that_works(self):
        for name, level in (("skylake-watchdog", 3), ("zen4", 2), ("aws-guest", 0)):
            with self.subTest(name):
                result, opened = self.record(name, "cycles:P")
                self.assertEqual(result.code, 0, result.stderr)
                self.assertEqual({call["precise"] for call in opened if call["config"] == 0 and call["type"] == 0}, {level})
                self.assertEqual("its samples have skid" in result.stderr, level == 0)

    def test_an_error_names_the_highest_level(self):
        result, _ = self.record("zen4", "cycles:ppp")
        self.assertEqual(result.code, 125)
        self.assertIn("precision 3 does not work here: the highest level is 2", result.stderr)
        self.assertIn(":pp", result.stderr)

    def test_without_a_level_the_error_says_so(self):
        result, _ = self.record("aws-guest", "cycles:pp")
        self.assertEqual(result.code, 125)
        self.assertIn("can't sample it precisely", result.stderr)
        self.assertIn("leave the p's out", result.stderr)


class Amd(unittest.TestCase):
    def record(self, name, *args):
        with Machine(name) as machine:
            result = OnCpu0(machine).record(*args)
            return result, sampled(machine)

    def test_b_alone_takes_the_event_and_the_period_of_brs(self):
        result, opened = self.record("zen3", "-b", "--", *BUSY)
        self.assertEqual(result.code, 0, result.stderr)
        self.assertIn("-e cpu/branch-brs/ -c 200003", result.stderr)
        with_branches = [call for call in opened if call["sample"]["branch"]]
        self.assertTrue(with_branches)
        for call in with_branches:
            self.assertEqual((call["config"], call["sample"]["period"]), (0xc4, 200003))

    def test_b_keeps_the_users_period(self):
        result, opened = self.record("zen3", "-b", "-c", "500000", "--", *BUSY)
        self.assertEqual(result.code, 0, result.stderr)
        self.assertIn(500000, {call["sample"]["period"] for call in opened if call["sample"]["branch"]})

    def test_another_event_or_a_frequency_is_an_error_with_the_spelling(self):
        for args in (["-b", "-e", "cycles"], ["-b", "-F", "1000"], ["-b", "-e", "cpu/branch-brs/"],
                     ["-b", "-e", "cpu/branch-brs/", "-c", "16"]):
            with self.subTest(args):
                result, _ = self.record("zen3", *args, "--", *BUSY)
                self.assertEqual(result.code, 125)
                self.assertIn("AMD BRS", result.stderr)
                self.assertIn("-b -e cpu/branch-brs/ -c 200003", result.stderr)

    def test_zen_4_takes_cycles(self):
        result, opened = self.record("zen4", "-b", "--", *BUSY)
        self.assertEqual(result.code, 0, result.stderr)
        self.assertTrue([call for call in opened if call["sample"]["branch"] and call["config"] == 0])
        self.assertNotIn("BRS", result.stderr)

    def test_doctor_knows_brs(self):
        with Machine("zen3") as machine:
            result = OnCpu0(machine).tacho("doctor")
        self.assertRegex(result.stdout, r"ok +branch stacks +the core keeps the last branches \(AMD BRS")

    def test_ibs_of_linux_6_1_samples_cpus(self):
        result, _ = self.record("zen3", "-c", "160000", "-e", "ibs_op//", "--", *BUSY)
        self.assertEqual(result.code, 125)
        self.assertIn("not single tasks, before Linux 6.2", result.stderr)
        self.assertIn("-a", result.stderr)

    def test_ibs_takes_no_levels(self):
        for spec in ("ibs_op//u", "cycles:ppk"):
            with self.subTest(spec):
                result, _ = self.record("zen3", "-a", "-e", spec, "--", *BUSY)
                self.assertEqual(result.code, 125)
                self.assertIn("IBS", result.stderr)
                self.assertIn("no levels", result.stderr)

    def test_ibs_does_not_count(self):
        with Machine("zen4") as machine:
            _, document = machine.stat("-e", "ibs_op//,task-clock", "--", *BUSY)
        self.assertIn("samples, it does not count", event(document, "ibs_op//")["reason"])


class AbsentEvents(unittest.TestCase):
    def test_einval_of_a_cache_event_means_that_it_is_absent(self):
        """x86 marks combinations that a core can't have with EINVAL, and others that it lacks with ENOENT."""
        for name, absent in (("zen3", "node-stores"), ("aws-guest", "LLC-loads")):
            with self.subTest(name), Machine(name) as machine:
                _, document = machine.stat("-e", f"{absent},task-clock", "--", "true")
                listed = machine.tacho("list", absent)
                entry = event(document, absent)
                self.assertEqual((entry["status"], entry["count"]), ("unsupported", None))
                self.assertIn("this PMU does not have the event", entry["reason"])
                self.assertIn("this PMU does not have the event", listed.stdout)


class Leaders(unittest.TestCase):
    """Intel counts topdown metrics behind slots alone."""

    def test_a_group_that_needs_its_leader_is_counted_as_it_was_written(self):
        slots, metric = "cpu_core/slots/", "cpu_core/topdown-retiring/"
        with Machine("alder-lake") as machine:
            result, document = OnCpu0(machine).stat("--pmu", "hardware", "-e", "cpu_core/cycles/", "-e",
                                                    f"{{{slots},{metric}}}", "--", *BUSY)
            calls = machine.opened("cpu_core")
        self.assertEqual(result.code, 0, result.stderr)
        used = json.loads(result.stdout)["0"]
        for name in (slots, metric):
            counted = event(document, name)
            self.assertEqual(counted["status"], "counted", counted["reason"])
            self.assertGreaterEqual(counted["count"], 0.98 * used)
        # The last opening is that of the workload.
        behind = [call for call in calls if call["config"] == 0x8000][-1]
        leader = [call for call in calls if call["answer"]["fd"] == behind["group"]][-1]
        self.assertEqual(leader["config"], 0x400)

    def test_alone_the_metric_is_not_available(self):
        with Machine("alder-lake") as machine:
            _, document = OnCpu0(machine).stat("--pmu", "hardware", "-e", "cpu_core/topdown-retiring/", "--", "true")
        self.assertEqual(event(document, "cpu_core/topdown-retiring/")["status"], "unsupported")


class UserReads(unittest.TestCase):
    def test_the_switch_of_each_core_pmu_is_named(self):
        with Machine("alder-lake") as machine:
            result = OnCpu0(machine).tacho("doctor", "--json")
        reads = [each for each in json.loads(result.stdout)["findings"] if each["name"] == "reads from user space"]
        devices = "/sys/bus/event_source/devices"
        self.assertIn(f"{devices}/cpu_core/rdpmc {devices}/cpu_atom/rdpmc", reads[0]["remedy"])


if __name__ == "__main__":
    unittest.main()
