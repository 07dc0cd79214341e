"""The report tells the truth about difficult events: more events than counters, groups that don't fit, and events that
the board lacks or that read zero."""
import unittest

from lab_case import BOARDS, LabCase, event, on, run

# Eight different events of one PMU that count on every board. Both boards have six counters and one for cycles.
DISTINCT = ["r08", "r08:u", "r08:k", "r11", "r11:u", "r11:k", "r09", "r09:u"]


def said(document, words):
    return any(words in text for text in document["warnings"])


class Groups(LabCase):
    @on("arm64", "armv7")
    def test_doctor_and_stat_find_the_counters(self, name):
        result = run(name, "tacho doctor")
        self.assertEqual(result.code, 0, result.stderr)
        self.assertIn("tacho counts with hardware events here", result.stdout)
        self.assertRegex(result.stdout, r"ok +counters +6 beside cycles")

    @on("arm64")
    def test_doctor_says_how_to_allow_reads_from_user_space(self, name):
        doctor = run(name, "cd /proc/sys/kernel; echo 0 >perf_user_access; tacho doctor; echo 1 >perf_user_access")
        self.assertRegex(doctor.stdout, r"warning +reads from user space[^=]*remedy: sudo sysctl kernel.perf_user_access=1")

    @on("arm64", "armv7")
    def test_a_group_that_fits_counts_at_once(self, name):
        document = self.stat(name, f"-e '{{{','.join(DISTINCT[:6])}}}'", "two_phase 5")
        self.assertEqual({entry["status"] for entry in document["events"]}, {"counted"})
        self.assertEqual(document["sets"], 0)
        both, user, kernel = (event(document, e)["count"] for e in DISTINCT[:3])
        self.assertEqual(both, user + kernel, "in one group they start and stop together")
        for instructions, cycles in zip(DISTINCT[:3], DISTINCT[3:6]):
            self.assertEqual(event(document, cycles)["count"],
                             event(document, instructions)["count"] * 2 ** BOARDS[name].icount_shift)

    @on("arm64", "armv7")
    def test_a_group_that_opens_and_never_runs_is_taken_apart(self, name):
        """Eight events in a group: the kernel returns EINVAL, or it opens the group and never gives it counters."""
        document = self.stat(name, f"-e '{{{','.join(DISTINCT)}}}'", "two_phase 20")
        self.assertTrue(said(document, "needs more counters than there are"), document["warnings"])
        self.assertEqual(document["sets"], 2)
        for name in DISTINCT[:6]:
            entry = event(document, name)
            self.assertEqual(entry["status"], "estimated")
            self.assertGreater(entry["estimate"], 0)

    @on("arm64", "armv7")
    def test_more_events_than_counters_take_turns(self, name):
        truth = event(self.stat(name, "-e r08:u", "two_phase 60"), "r08:u")["count"]
        document = self.stat(name, f"-e {','.join(DISTINCT)},instructions:u,instructions:k,instructions,cycles:u",
                             "two_phase 60")
        self.assertGreaterEqual(document["sets"], 2)
        for entry in document["events"]:
            self.assertIn(entry["status"], ("estimated", "counted"), entry)
        for same in ("r08:u", "instructions:u"):
            entry = event(document, same)
            self.assertLessEqual(abs(entry["estimate"] - truth), 2 * entry["ci95"])  # 19 of 20 are within one ci95

    @on("arm64")
    def test_absent_events_are_said_to_be_absent(self, name):
        document = self.stat(name, "-e branches,cache-misses,L1-dcache-loads,instructions:u", "two_phase 2")
        for absent in ("branches", "cache-misses", "L1-dcache-loads"):
            entry = event(document, absent)
            self.assertIsNone(entry["count"])
            self.assertEqual(entry["status"], "unsupported")
            self.assertIn("ENOENT", entry["reason"])
            self.assertTrue(entry["remedy"])
        self.assertGreater(event(document, "instructions:u")["count"], 0)

    @on("armv7")
    def test_events_that_open_and_read_zero_are_not_believed(self, name):
        document = self.stat(name, "-e branches,cache-misses,L1-dcache-loads,instructions:u", "two_phase 2")
        for dead in ("branches", "cache-misses", "L1-dcache-loads"):
            entry = event(document, dead)
            self.assertIsNone(entry["count"], entry)
            self.assertIn("not believed", entry["reason"])
            self.assertIn("--pmu hardware", entry["remedy"])
        self.assertGreater(event(document, "instructions:u")["count"], 0)
        believed = self.stat(name, "--pmu hardware -e branches", "two_phase 2")
        self.assertEqual(event(believed, "branches")["count"], 0, "who insists gets what the counter says")
        doctor = run(name, "tacho doctor").stdout
        self.assertRegex(doctor, r"events not believed")
        self.assertIn("branches", doctor)

    @on("armv7-smp")
    def test_instructions_that_read_zero_are_not_believed(self, name):
        """Without icount QEMU's ARMv7 has no instruction counter, but the event opens."""
        document = self.stat(name, "-e instructions,cycles,task-clock", "two_phase 5")
        self.assertIsNone(event(document, "instructions")["count"])
        self.assertIn("not believed", event(document, "instructions")["reason"])
        cycles, clock = (event(document, e)["count"] for e in ("cycles", "task-clock"))
        self.assertAlmostEqual(cycles / clock, 1.0, delta=0.2)  # 1 GHz by QEMU's clock
        self.assertRegex(run(name, "tacho doctor").stdout, r"'instructions[:u]*' reads 0|'instructions[:u]*' reads zero")


if __name__ == "__main__":
    unittest.main()
