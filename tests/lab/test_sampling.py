"""Sampling by overflows of hardware counters. Under QEMU's icount the truth is known: how often a loop's instructions
overflow, where the processor is then, and the share of each function."""
import base64
import pathlib
import shutil
import struct
import sys
import tempfile
import unittest

from binomial import fewest_held
from lab_case import BOARDS, LabCase, build_directory, documents, on, run
from tacho_cli import run as here

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))

from perf_data import SAMPLE, records  # noqa: E402

WORDS = 40
INSTRUCTIONS = 2_000_000 * WORDS  # see counted_loop.S
LOOP = "counted_loop" + " x" * (WORDS - 1)
FUNCTIONS = "first", "second", "third"
RUNS = 100
ROUNDS = 500  # of three_functions: some 20 million instructions


class Sampling(LabCase):
    def recording(self, name, arguments, command):
        """Runs `tacho record` on a board and returns the bytes of the recording."""
        result = run(name, f"tacho record -q -o /tmp/perf.data {arguments} -- {command} >/tmp/out; code=$?\n"
                           "base64 /tmp/perf.data; exit $code")
        self.assertEqual(result.code, 0, result.stderr)
        return base64.b64decode(result.stdout)

    def samples(self, recording):
        """Returns the instruction pointer of each sample. The recording has one event."""
        return [struct.unpack_from("<Q", body)[0] for kind, _, body in records(recording) if kind == SAMPLE]

    @on("arm64", "arm64-el2", "armv7")
    def test_cycles_overflow_as_often_as_the_boards_clock_says(self, name):
        period = 500_000
        samples = self.samples(self.recording(name, f"-e cycles:u -c {period}", LOOP))
        cycles = INSTRUCTIONS * 2 ** BOARDS[name].icount_shift
        self.assertAlmostEqual(len(samples), cycles / period, delta=1)
        # All samples are in the loop's two instructions of 4 bytes each, or at the address to which an interrupt returns.
        self.assertLessEqual(max(samples) - min(samples), 4 * 2)

    @on("arm64", "arm64-el2", "armv7")
    def test_instructions_overflow_as_often_as_the_loop_has_them(self, name):
        """QEMU notices an overflow at the timer's next tick, in the kernel. So the period is longer than a tick."""
        period = 5_000_000
        samples = self.samples(self.recording(name, f"-e instructions:u -c {period}", LOOP))
        self.assertAlmostEqual(len(samples), INSTRUCTIONS / period, delta=1)

    def profiles(self, name, arguments, runs):
        """Records programs with different seeds. Yields the true instructions of their functions, tacho's rows of these
        functions, and tacho's count of the whole program."""
        result = run(name, f"for i in $(seq {runs}); do\n"
                           f"tacho record -q -o /tmp/perf.data {arguments} -- three_functions $i {ROUNDS} >/tmp/truth || exit\n"
                           "echo \"[$(echo $(cat /tmp/truth) | tr ' ' ,)]\"; tacho report --json -i /tmp/perf.data || exit\n"
                           "done", limit=600)
        self.assertEqual(result.code, 0, result.stderr)
        found = documents(result.stdout)
        for truth, report in zip(found[::2], found[1::2]):
            rows = {row["function"]: row for row in report["rows"]}
            yield truth, [rows.get(function) for function in FUNCTIONS], report["events"][0]["count"]

    @on("arm64", "armv7")
    def test_intervals_hold_the_exact_shares_and_counts_of_functions(self, name):
        """Samples cycles, which are 2^shift times the instructions."""
        shares, counts, widths = 0, 0, []
        for truth, rows, whole in self.profiles(name, "-e cycles:u -F 20000", RUNS):
            for instructions, row in zip(truth, rows):
                cycles = instructions * 2 ** BOARDS[name].icount_shift
                low, high = row["ci95"]
                shares += low <= cycles / whole <= high
                widths.append(high - low)
                low, high = row["events"][0]["ci95"]
                counts += low <= cycles <= high
        number = RUNS * len(FUNCTIONS)
        print(f"{name}: of {number} shares {shares} held, of counts {counts}, "
              f"median width {100 * sorted(widths)[number // 2]:.1f} %")
        self.assertGreaterEqual(shares, fewest_held(number))
        self.assertGreaterEqual(counts, fewest_held(number))
        self.assertLess(sorted(widths)[number // 2], 0.1, "an interval that is honest by being wide is no merit")

    @on("arm64", "armv7")
    def test_samples_of_instructions_fall_to_functions_by_their_shares(self, name):
        """QEMU notices overflows at the timer's ticks. A run has about eight samples, so all runs are taken together."""
        instructions, samples = [0] * len(FUNCTIONS), [0] * len(FUNCTIONS)
        for truth, rows, _ in self.profiles(name, "-e instructions:u -c 2500000", RUNS // 2):
            for i, row in enumerate(rows):
                instructions[i] += truth[i]
                samples[i] += row["samples"] if row else 0
        for i in range(len(FUNCTIONS)):
            share, number = instructions[i] / sum(instructions), sum(samples)
            self.assertAlmostEqual(samples[i], number * share, delta=3.5 * (number * share * (1 - share)) ** 0.5)

    @on("arm64", "armv7")
    def test_the_kernels_functions_have_their_names(self, name):
        """Both if /proc/kallsyms lists data (_text is no function) and if it does not."""
        result = run(name, "tacho record -q -o /tmp/perf.data -e cycles:k -F 2000 -- cat /proc/kallsyms >/tmp/symbols\n"
                           "tacho report --json -i /tmp/perf.data >/tmp/report || exit; grep -c ' _text$' /tmp/symbols\n"
                           "cut -d' ' -f3 /tmp/symbols | sort -u >/tmp/names; cat /tmp/report")
        self.assertEqual((result.code, result.stderr), (0, ""))
        report = documents(result.stdout)[1]
        named = sum(row["samples"] for row in report["rows"] if row["function"])
        self.assertGreater(named, 0.95 * sum(row["samples"] for row in report["rows"]))

    @on("arm64", "armv7")
    def test_a_sleep_is_a_wait_of_its_length(self, name):
        result = run(name, "tacho record -q --off-cpu -g -o /tmp/perf.data -- sleep 1 || exit\n"
                           "tacho report --off-cpu --json -i /tmp/perf.data")
        self.assertEqual(result.code, 0, result.stderr)
        report = documents(result.stdout)[0]
        sleeps = [row for row in report["reasons"] if row["reason"] == "sleep"]
        self.assertEqual([row["times"] for row in sleeps], [1])
        self.assertAlmostEqual(sleeps[0]["ns"], 1e9, delta=0.02e9)
        life = report["all"]
        self.assertEqual(life["running_ns"] + life["ready_ns"] + life["waiting_ns"], life["life_ns"])

    @on("arm64")
    def test_the_critical_path_of_a_pipeline_is_its_sleep(self, name):
        """The shell waits for cat, cat for what another shell writes into the pipe, and that one for sleep."""
        result = run(name, "tacho record -q --off-cpu -g -o /tmp/perf.data -- sh -c '(sleep 0.5; echo) | cat >/dev/null' || exit\n"
                           "tacho report --off-cpu --json -i /tmp/perf.data")
        self.assertEqual(result.code, 0, result.stderr)
        report = documents(result.stdout)[0]
        self.assertTrue(report["wake_ups_recorded"])
        sleeps = [part["ns"] for part in report["critical_path"]["parts"] if part["state"] == "waiting"
                  and part["place"] is not None and report["places"][part["place"]]["reason"] == "sleep"]
        self.assertAlmostEqual(sum(sleeps), 0.5e9, delta=0.02e9)

    @on("arm64")
    def test_a_leafs_caller_is_found_by_the_link_register(self, name):
        """On this machine, because the board's tacho has no elfutils, which reads the call frame information."""
        with tempfile.TemporaryDirectory() as directory:
            programs = pathlib.Path(directory, "opt/tacho/workloads")
            programs.mkdir(parents=True)
            shutil.copy(build_directory(BOARDS[name].architecture) / "tests/cli/workloads/leaf_callers", programs)
            data = pathlib.Path(directory, "perf.data")
            data.write_bytes(self.recording(name, "-g -e cycles:u -c 200000", "leaf_callers 100"))
            report = here("report", "-i", data, "--symfs", directory, "--callers", "leaf", "--json")
        self.assertEqual(report.code, 0, report.stderr)
        shares = {row["function"]: row["share"] for row in report.json()["callers"]}
        self.assertEqual(set(shares), {"often", "seldom"})
        self.assertAlmostEqual(shares["often"], float(run(name, "cat /tmp/out").stdout), delta=0.05)

    @on("arm64")
    def test_more_events_than_counters_are_told(self, name):
        for events, told in (("instructions:u,cycles:u", False),  # of seven counters
                             ("instructions,instructions:u,instructions:k,cycles,cycles:u,cycles:k,r8,r8:u,r8:k,r11", True)):
            result = run(name, f"tacho record -o /tmp/perf.data -e {events} -c 10000000 -- {LOOP}")
            self.assertEqual(result.code, 0, result.stderr)
            self.assertEqual("% of the time: there are too few counters" in result.stderr, told, result.stderr)


if __name__ == "__main__":
    unittest.main()
