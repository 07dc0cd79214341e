"""Counting with the core's registers, opened by the module tacho_pmu: compared with exact oracles and with perf_event,
and beside perf_event. A count on these boards must be right or not available."""
import pathlib
import tomllib
import unittest

from lab_case import BOARDS, LOADED, LabCase, event, on, run

ROOT = pathlib.Path(__file__).resolve().parents[2]
PER_WORD = 2_000_000  # user instructions of counted_loop: see counted_loop.S
REGISTERS = "--pmu arm-registers"
# QEMU's own core (-cpu max) has the events of a Cortex-A57, and no list in data/: a user's own list serves it.
LISTS = "/root/.config/tacho/events"
READY = f"""{LOADED}
! grep -q 'CPU part.*0x051' /proc/cpuinfo || [ -e {LISTS} ] || (mkdir -p {LISTS}
sed 's/^implementer .*/implementer = 0x00/; s/^part .*/part = 0x051/' share/tacho/events/cortex-a57.toml >{LISTS}/max.toml)"""
# tacho's list of a core's events, and libpfm4's name of the PMU. libpfm4 has no table of the Cortex-A72, which has the
# events of the A57, nor of the Cortex-A5, A55, A76, A78 and X1.
TABLES = {"arm1176": "arm_1176", "cortex-a7": "arm_ac7", "cortex-a15": "arm_ac15", "cortex-a53": "arm_ac53",
          "cortex-a57": "arm_ac57", "cortex-a72": "arm_ac57", "cortex-a8": "arm_ac8", "cortex-a9": "arm_ac9",
          "neoverse-n1": "arm_n1", "neoverse-n2": "arm_n2", "neoverse-v1": "arm_v1", "neoverse-v2": "arm_v2"}
# Names of libpfm4 that are left out: 0xff is the kernel's own number of the cycle counter on these two cores; 0x1e needs
# two counters in a row; ARM's manual of the Neoverse N1 has no 0x72.
NOT_LISTED = {("arm_ac8", "cpu_cycles"), ("arm_ac9", "cpu_cycles"), ("arm_n2", "counter_overflow"),
              ("arm_v1", "counter_overflow"), ("arm_v2", "counter_overflow"), ("arm_n1", "ldst_spec")}


def given_up(document):
    return [warning for warning in document["warnings"] if "were given up" in warning]


class Registers(LabCase):
    def count(self, name, arguments, command, **options):
        return self.stat(name, f"{REGISTERS} {arguments}", command, before=READY, **options)

    def fails(self, name, script, what):
        result = run(name, script)
        self.assertEqual(result.code, 125, result.stdout + result.stderr)
        self.assertIn(what, result.stderr)
        self.assertIn("remedy:", result.stderr)

    @on("arm64", "arm64-el2", "armv7")
    def test_instructions_of_a_loop_are_exact_to_the_instruction(self, name):
        """An iteration has two instructions, and the code around the loop is the same for every length."""
        lengths = 6 * [1000, 100_000, 250_000, 500_000]
        result = run(name, f"{READY}\nregister_loop instructions:u {' '.join(map(str, lengths))}")
        self.assertEqual(result.code, 0, result.stderr)
        counts = [tuple(map(int, line.split())) for line in result.stdout.splitlines()]
        self.assertEqual([length for length, _ in counts], list(lengths))
        # A read that is interrupted is repeated, and the repetition is counted. So take the least for each length.
        around = {length: min(count - 2 * length for of, count in counts if of == length) for length in lengths}
        self.assertGreater(around[1000], 0)
        self.assertLess(around[1000], 5000)
        self.assertEqual(set(around.values()), {around[1000]}, counts)

    @on("arm64", "arm64-el2", "armv7")
    def test_a_command_is_counted_with_little_around_it(self, name):
        """The count includes a few thousand instructions of tacho and of the launch."""
        for words in (1, 3, 10):
            document = self.count(name, "-e instructions:u,cycles:u", "counted_loop" + " x" * (words - 1))
            self.assertEqual(event(document, "instructions:u")["status"], "counted", document["warnings"])
            around = event(document, "instructions:u")["count"] - PER_WORD * words
            self.assertGreater(around, 0)
            self.assertLess(around, 20_000)

    @on("arm64", "arm64-el2", "armv7")
    def test_cycles_are_instructions_by_the_boards_clock(self, name):
        document = self.count(name, "-e '{instructions:u,cycles:u}'", "naive 60")
        ratio = 2 ** BOARDS[name].icount_shift
        counted = event(document, "instructions:u")["count"] * ratio
        # The two counters are started and read a few instructions apart.
        self.assertAlmostEqual(event(document, "cycles:u")["count"], counted, delta=200)

    @on("arm64", "arm64-el2", "armv7")
    def test_cycles_agree_with_perf_events(self, name):
        loop = "counted_loop" + " x" * 99
        perf = self.stat(name, "--pmu hardware -e cycles:u,instructions:u", loop, before=LOADED)
        registers = self.count(name, "-e cycles:u,instructions:u", loop)
        for of in ("cycles:u", "instructions:u"):
            expected = event(perf, of)["count"]
            self.assertAlmostEqual(event(registers, of)["count"], expected, delta=expected * 0.01)
        self.assertEqual(registers["pmu"]["kind"], "arm-registers")
        self.assertIn("registers through tacho_pmu", registers["pmu"]["name"])

    @on("arm64-smp", "big-little", "armv7-smp")
    def test_cycles_agree_on_two_cpus(self, name):
        loop = "counted_loop" + " x" * 99
        for cpu in (0, 1):
            registers = self.count(name, "-e cycles,task-clock", loop) if cpu == 1 else self.stat(
                name, f"{REGISTERS} -e cycles,task-clock", f"{loop}", before=f"{LOADED}\ntaskset -p 1 $$ >/dev/null")
            self.assertTrue(any(f"CPU {cpu}" in warning for warning in registers["warnings"]), registers["warnings"])
            # At 1 GHz a cycle is a nanosecond. The count is of the whole CPU, so it is at least the task's time.
            cycles, clock = event(registers, "cycles")["estimate"], event(registers, "task-clock")["count"]
            self.assertGreater(cycles, 0.99 * clock)

    @on("arm64", "armv7")
    def test_cycles_by_64_are_cycles(self, name):
        document = self.count(name, "-e cycles,cycles-div64,r11", "naive 60")
        cycles = event(document, "cycles")["count"]
        self.assertAlmostEqual(event(document, "cycles-div64")["count"], cycles, delta=cycles * 0.01)
        self.assertAlmostEqual(event(document, "r11")["count"], cycles, delta=cycles * 0.01)

    @on("arm64", "arm64-el2", "armv7")
    def test_counts_beyond_32_bits(self, name):
        """Counts cycles of more than 4.3 seconds at 1 GHz: the 32-bit registers overflow."""
        document = self.count(name, "-e cycles:u,instructions:u", "counted_loop" + " x" * 1199)
        instructions = event(document, "instructions:u")["estimate"]
        self.assertAlmostEqual(instructions, 1200 * PER_WORD, delta=1200 * PER_WORD * 0.005)
        self.assertGreater(event(document, "cycles:u")["estimate"], 1 << 32)

    @on("arm64", "armv7")
    def test_sets_take_turns(self, name):
        # Now and then a counter of QEMU's falls, which tacho takes for a write by somebody else: then once more.
        for _ in range(3):
            document = self.count(name, "--counters 1 -e cycles,instructions,instructions:u,r11", "naive 250")
            if not given_up(document):
                break
        self.assertEqual(event(document, "instructions")["status"], "estimated")
        self.assertEqual(event(document, "cycles")["status"], "counted", document["warnings"])
        self.assertGreater(document["periods"], 20)
        cycles = event(document, "cycles")["count"]
        # r11 is cycles, counted in turns. Cycles between two periods belong to no set.
        self.assertAlmostEqual(event(document, "r11")["estimate"], cycles, delta=cycles * 0.05)

    @on("arm64", "armv7")
    def test_a_perf_session_in_between_is_noticed(self, name):
        """Counts from the time when perf held the counters are discarded; the rest is right."""
        loop = "counted_loop" + " x" * 399
        document = self.stat(name, f"{REGISTERS} -e instructions:u,cycles", loop,
                             before=f"{LOADED}\n(sleep 0.4; tacho stat --pmu hardware -e cycles,instructions "
                                    "-- sleep 0.2 2>/tmp/perf) &")
        self.assertTrue(given_up(document), document["warnings"])
        entry = event(document, "instructions:u")
        self.assertEqual(entry["status"], "estimated")
        self.assertGreater(entry["share"], 0.2)
        self.assertLess(entry["count"], 400 * PER_WORD)
        # The loop has a constant rate, so every part of its time gives the same estimate.
        self.assertAlmostEqual(entry["estimate"], 400 * PER_WORD, delta=400 * PER_WORD * 0.1)

    @on("arm64-smp", "big-little", "armv7-smp")
    def test_a_workload_that_leaves_its_cpu_is_noticed(self, name):
        document = self.count(name, "-e cycles", "taskset 1 counted_loop" + " x" * 199)
        self.assertTrue(any("elsewhere than on CPU 1" in warning for warning in given_up(document)), document["warnings"])
        document = self.count(name, "-e cycles", "sh -c 'taskset 1 counted_loop" + " x" * 199 + "; true'")
        self.assertTrue(any("elsewhere than on CPU 1" in warning for warning in given_up(document)), document["warnings"])

    @on("arm64", "armv7")
    def test_events_that_the_core_does_not_have_say_so(self, name):
        document = self.count(name, "-e instructions,l1d_cache,r3f,page-faults", "true")
        for absent in ("l1d_cache", "r3f"):
            entry = event(document, absent)
            self.assertEqual((entry["status"], entry["count"]), ("unsupported", None))
            self.assertRegex(entry["reason"], "does not have event|reads 0 over a loop")
        self.assertGreater(event(document, "page-faults")["count"], 0, "the kernel's own events count beside")

    @on("arm64", "armv7")
    def test_targets_that_can_not_be_served(self, name):
        self.fails(name, f"{LOADED}\ntacho stat {REGISTERS} -e cycles -p 1", "can't attach to a running process")

    @on("arm64-smp")
    def test_every_cpu_can_not_be_counted(self, name):
        self.fails(name, f"{LOADED}\ntacho stat {REGISTERS} -a -e cycles -- true", "can't count every CPU")

    @on("arm64", "armv7", "armv6")
    def test_without_the_module_it_says_so(self, name):
        self.fails(name, f"rmmod tacho_pmu 2>/dev/null\ntacho stat {REGISTERS} -- true", "tacho_pmu is not loaded")
        doctor = run(name, "tacho doctor")
        self.assertIn("tacho_pmu is not loaded", " ".join(doctor.stdout.split()))

    @on("arm64", "armv7")
    def test_access_to_cycles_alone_is_not_enough(self, name):
        if name == "armv7":  # its hardware opens all counters or none
            return
        self.fails(name, "rmmod tacho_pmu 2>/dev/null; insmod /opt/tacho/modules/tacho_pmu.ko access=cycles\n"
                         f"tacho stat {REGISTERS} -- true; code=$?; rmmod tacho_pmu; exit $code", "access=cycles")

    @on("arm64-nopmu")
    def test_a_board_without_counters_says_so(self, name):
        result = run(name, f"insmod /opt/tacho/modules/tacho_pmu.ko; tacho stat {REGISTERS} -- true")
        self.assertEqual(result.code, 125, result.stderr)
        self.assertRegex(result.stderr, "no performance counters|is not loaded")

    @on("armv6")
    def test_dummies_are_refused(self, name):
        """QEMU's ARM1176 has registers that do not keep a written value: no number is printed."""
        self.fails(name, f"{LOADED}\ntacho stat {REGISTERS} -- true", "an emulator's dummies of them")
        doctor = run(name, f"{LOADED}\ntacho doctor")
        self.assertIn("CPU 0: no-pmu", " ".join(doctor.stdout.split()))

    @on("arm64", "armv7")
    def test_unloaded_while_it_counts(self, name):
        document = self.count(name, "-e instructions:u", "sh -c 'counted_loop x x x x; rmmod tacho_pmu; counted_loop x x x x'")
        entry = event(document, "instructions:u")
        self.assertNotEqual(entry["status"], "counted")
        self.assertTrue(given_up(document), document["warnings"])

    @on("arm64", "armv7")
    def test_one_at_a_time(self, name):
        result = run(name, f"{LOADED}\ntacho stat {REGISTERS} -e cycles -- tacho stat {REGISTERS} -e cycles -- true")
        self.assertEqual(result.code, 125, result.stderr)
        self.assertIn("another tacho counts with the registers", result.stderr)

    @on("arm64", "armv7")
    def test_leaves_the_cycle_counter_running_for_others(self, name):
        result = run(name, f"{LOADED}\ntacho stat {REGISTERS} -e cycles:u,instructions,cycles-div64 -- true 2>/dev/null; read_cycles 0")
        self.assertRegex(result.stdout, "^0 counts")

    @on("armv7")
    def test_auto_takes_the_registers_where_perf_may_not_count(self, name):
        """In Debian's kernels, level 3 forbids perf_event to users altogether."""
        result = run(name, f"{LOADED}\nlevel=$(cat /proc/sys/kernel/perf_event_paranoid)\n"
                           "echo 3 >/proc/sys/kernel/perf_event_paranoid\n"
                           "su user -c 'tacho stat -e cycles -- true' 2>&1; code=$?\n"
                           "echo $level >/proc/sys/kernel/perf_event_paranoid; exit $code")
        self.assertEqual(result.code, 0, result.stdout)
        self.assertIn("arm-registers events", result.stdout)

    @on("arm64", "armv7")
    def test_the_list_explains_the_cores_events(self, name):
        result = run(name, f"{LOADED}\ntacho list {REGISTERS} --json inst_retired\ntacho list {REGISTERS} cycles-div64")
        self.assertEqual(result.code, 0, result.stderr)
        self.assertIn("also instructions", result.stdout)
        self.assertIn("steps of 64", result.stdout)

    @on("armv7")
    def test_lists_have_libpfm4s_numbers(self, name):
        pmus = sorted(set(TABLES.values()))
        result = run(name, "pfm_events " + " ".join(pmus))
        self.assertEqual(result.code, 0, result.stderr)
        rows = [line.split() for line in result.stdout.splitlines()]
        for core, pmu in TABLES.items():
            with open(ROOT / f"data/events/{core}.toml", "rb") as file:
                listed = {name.lower(): entry["number"] for entry in tomllib.load(file)["events"]
                          for name in (entry["name"], *entry.get("also", []))}
            table = {pfm.lower(): int(number) for of, number, pfm in rows
                     if of == pmu and (pmu, pfm.lower()) not in NOT_LISTED}
            self.assertGreater(len(table), 20, pmu)
            self.assertEqual({pfm: listed.get(pfm) for pfm in table}, table, core)


if __name__ == "__main__":
    unittest.main()
