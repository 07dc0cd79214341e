"""Each board has the properties that boards.py says. Also the kernel module on boards that other tests seldom use."""
import unittest

from lab_case import BOARDS, event, on, run
from module_case import ModuleCase, cpus, log_of, states

MACHINES = {"arm64": "aarch64", "armhf": "armv7l", "armel": "armv6l"}
WITHOUT_PMU = "arm64-nopmu",
# Event counters beside the cycle counter, by the cores' manuals.
COUNTERS_OF_VERSION_1 = {"cubieboard": "4", "vexpress-a9": "6"}


class Boards(ModuleCase):
    @on(*BOARDS)
    def test_each_board_is_what_its_table_says(self, name):
        board = BOARDS[name]
        result = run(name, "nproc; uname -m; ls /sys/bus/event_source/devices")
        processors, machine, *pmus = result.stdout.split()
        self.assertEqual(int(processors), board.cpus)
        self.assertEqual(machine, MACHINES[board.architecture.debian])
        self.assertEqual(any(pmu.startswith("armv") for pmu in pmus), name not in WITHOUT_PMU, pmus)

    @on("arm64")
    def test_output_status_and_user_come_back(self, name):
        result = run(name, "printf 'a\\000b\\n@lab out x y\\n'; echo wrong >&2; id -u; exit 3", user=1000)
        self.assertEqual((result.code, result.stdout, result.stderr), (3, "a\0b\n@lab out x y\n1000\n", "wrong\n"))
        self.assertEqual(run(name, "kill -9 $$").code, 137)
        size = 300_000
        self.assertEqual(len(run(name, f"head -c {size} /dev/zero").stdout), size)
        self.assertEqual(run(name, "(sleep 50; echo late) & echo now").stdout, "now\n", "what is left running is not waited for")

    @on("raspi2b")
    def test_the_module_opens_the_counters_of_four_cpus(self, name):
        self.assertEqual(self.reads(name), ["SIGILL"] * 4)
        self.load(name)
        self.assertEqual(self.reads(name), ["counts"] * 4)
        for cpu in self.status(name)["cpus"]:
            self.assertEqual((cpu["state"], cpu["counters"], cpu["counting"]), ("on", "4", "yes"))
        self.unload(name)
        self.assertEqual(self.reads(name), ["SIGILL"] * 4)
        self.assert_no_complaint(name)

    @on("armv6")
    def test_the_module_says_that_counters_which_are_dummies_do_not_count(self, name):
        self.load(name)
        status = self.status(name)
        self.assertEqual(status["architecture"], "armv6")
        self.assertEqual(states(status), ["no-pmu"])
        self.assertEqual((status["cpus"][0]["counting"], status["cpus"][0]["perf"]), ("no", "unknown"))
        self.assertTrue(log_of(name, "cpu 0: the PMU's registers do not keep what is written: no user access"))
        self.assertEqual(self.reads(name), ["SIGILL"])
        self.unload(name)
        self.load(name, "access=cycles reset=1")
        self.assertEqual(self.status(name)["access"], "all")
        self.unload(name)
        self.assert_no_complaint(name)

    @on("cubieboard", "vexpress-a9")
    def test_counters_of_version_1_that_the_emulator_does_not_advance_are_called_frozen(self, name):
        """QEMU's Cortex-A8 and A9 keep the registers of their PMUs, but no counter of theirs advances."""
        self.load(name)
        status = self.status(name)
        self.assertEqual((status["architecture"], status["access"]), ("armv7", "all"))
        first = status["cpus"][0]
        self.assertEqual((first["state"], first["counters"], first["counting"]), ("on", COUNTERS_OF_VERSION_1[name], "no"))
        self.assertEqual([line.split()[1:3] for line in self.looks(name)], [["frozen", "open"]])
        result = run(name, "tacho stat --pmu arm-registers -e cycles -- true")
        self.assertEqual(result.code, 125, result.stdout)
        self.unload(name)
        self.assertEqual(self.reads(name), ["SIGILL"])
        self.assert_no_complaint(name)

    @on("cubieboard", "vexpress-a9")
    def test_a_pmu_of_which_every_counter_reads_0_is_not_believed(self, name):
        document = self.stat(name, "-e cycles,instructions,page-faults", "counted_loop")
        for which in ("cycles", "instructions"):
            entry = event(document, which)
            self.assertEqual((entry["status"], entry["count"]), ("unsupported", None))
            self.assertIn("reads 0 over a loop", entry["reason"])
        self.assertGreater(event(document, "page-faults")["count"], 0)

    @on("arm64-nopmu")
    def test_the_module_refuses_a_processor_without_a_pmu(self, name):
        said = self.refused(name)
        self.assertIn("No such device", said)
        self.assertIn("this processor has no PMU that the module knows", said)
        self.assertEqual(self.reads(name), ["SIGILL"] * len(cpus(name)))
        self.assert_no_complaint(name)


if __name__ == "__main__":
    unittest.main()
