"""tacho stat --pmu simulated with the real simulator: counts compared with Valgrind's cachegrind, children,
ends of a workload, and event sets that take turns, compared with the true counts."""
import os
import pathlib
import platform
import re
import shutil
import signal
import subprocess
import tempfile
import tomllib
import unittest

from tacho_cli import SOURCE, TACHO, event, example, needs_mount, needs_simulator, run, sanitized, stat_json, workload

NINE = ("cycles", "instructions", "stalled-cycles-frontend", "l1d_cache", "l1d_cache_refill", "l1d_tlb_refill",
        "main-tlb-misses", "branches", "branch-misses")


@needs_simulator
class Simulated(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.directory = pathlib.Path(scratch.name)
        self.temporary = self.directory / "tmp"
        self.temporary.mkdir()

    def simulate(self, *args, model="arm1176"):
        result, document = stat_json(self.directory, "--pmu", f"simulated:{model}", *args, timeout=120,
                                     env={"TMPDIR": str(self.temporary)})
        self.assertEqual(list(self.temporary.iterdir()), [])
        return result, document

    def instructions(self, *command):
        result, document = self.simulate("-e", "instructions", "--", *command)
        self.assertEqual(result.code, 0, result.stderr)
        return event(document, "instructions")["count"]

    def test_instructions_are_those_of_cachegrind(self):
        log = self.directory / "cachegrind"
        subprocess.run(["valgrind", "--tool=cachegrind", "--cachegrind-out-file=/dev/null", f"--log-file={log}",
                        example("naive"), "150"], check=True, stdout=subprocess.DEVNULL)
        refs = int(re.search(r"I +refs: +([\d,]+)", log.read_text())[1].replace(",", ""))
        self.assertAlmostEqual(self.instructions(example("naive"), "150") / refs, 1, delta=1e-4)

    def test_programs_of_clang_are_simulated_without_trouble(self):
        # Valgrind 3.19 can't read the lines that clang describes in DWARF 5, and gives up on some of them.
        compiler = shutil.which("clang-19") or shutil.which("clang")
        if not compiler:
            self.skipTest("there is no clang")
        source = self.directory / "loop.c"
        source.write_text("int main() { for (volatile int i = 0; i < 1000; ++i) {} return 7; }\n")
        subprocess.run([compiler, "-g", "-gdwarf-5", "-o", self.directory / "loop", source], check=True)
        result, document = self.simulate("-e", "branches", "--", self.directory / "loop")
        self.assertEqual((result.code, document["warnings"]), (7, []))
        self.assertGreater(event(document, "branches")["count"], 1000)

    def test_children_are_counted_with_their_parents(self):
        one = self.instructions(example("naive"), "100")
        command = f"{example('naive')} 100 & {example('naive')} 100; wait"
        both = self.instructions("sh", "-c", command)
        shell = self.instructions("sh", "-c", ": & :; wait")
        self.assertAlmostEqual((both - shell) / (2 * one), 1, delta=0.05)

    def test_time_is_that_of_the_model(self):
        _, document = self.simulate("-e", "cycles", "--", example("naive"), "50")
        self.assertEqual(document["pmu"], {"kind": "simulated", "name": "arm1176", "counters": None})
        self.assertAlmostEqual(document["simulated_s"], event(document, "cycles")["count"] / 700e6, places=8)
        self.assertIsNone(document["elapsed_s"])

    def test_the_measured_error_of_a_model_is_said(self):
        model = tomllib.loads((SOURCE / "data" / "models" / "skylake.toml").read_text())["accuracy"]
        text = run("stat", "--pmu", "simulated:skylake", "-e", "cycles,instructions", "--", "true").stderr
        self.assertRegex(text, r"(?m) instructions .* simulated$")
        self.assertIn(f"Its cycles were wrong by {model['cycles_error']} % in the mean of {model['of']}.",
                      " ".join(text.split()))
        _, document = self.simulate("-e", "cycles", "--", "true", model="skylake")
        self.assertEqual(document["cycles_error"], {"mean_percent": model["cycles_error"], "of": model["of"]})
        text = run("stat", "--pmu", "simulated:cortex-a72", "-e", "cycles", "--", "true").stderr
        self.assertRegex(text, r"(?m) cycles .* simulated$")
        self.assertIn("was not measured", text)

    def test_a_run_can_be_repeated_exactly(self):
        counts = [self.simulate("-S", "rpistat", "--", example("naive"), "50")[1]["events"] for _ in range(2)]
        instructions = [event({"events": each}, "instructions")["count"] for each in counts]
        self.assertAlmostEqual(instructions[0] / instructions[1], 1, delta=1e-3)  # the kernel's addresses vary

    def test_nine_events_on_two_counters_have_intervals_and_their_truth(self):
        _, document = self.simulate("--counters", "2", "--", example("naive"), "200")
        self.assertEqual([e["name"] for e in document["events"]], list(NINE))
        self.assertEqual(event(document, "cycles")["status"], "simulated")
        for name in NINE[1:]:
            entry = event(document, name)
            self.assertEqual(entry["status"], "estimated")
            self.assertGreater(entry["ci95"], 0)
            self.assertGreater(entry["truth"], 0)
        # Events with a steady rate only: intervals can't cover bursts at the start.
        steady = event(document, "instructions")
        self.assertLess(abs(steady["estimate"] / steady["truth"] - 1), 0.05)

    def test_the_set_why_explains_the_cycles(self):
        _, document = self.simulate("-S", "why", "--", example("naive"), "100")
        self.assertTrue(all(e["status"] == "simulated" for e in document["events"]), document["events"])
        self.assertTrue(all(m["value"] is not None for m in document["metrics"]), document["metrics"])
        stalls = sum(e["count"] for e in document["events"] if e["name"].startswith("stall-"))
        cycles, instructions = (event(document, name)["count"] for name in ("cycles", "instructions"))
        self.assertAlmostEqual((stalls + instructions) / cycles, 1, delta=0.1)  # one is issued a cycle

    def test_programs_with_heaps_beyond_128_gib_run_to_their_end(self):
        """Go asks for memory at 768 GiB, Node anywhere."""
        go = self.directory / "far"
        sources = SOURCE / "bench" / "programs"
        environment = {**os.environ, "GOCACHE": str(self.directory / "go")}
        commands = {("node", sources / "closures.js"): "997 199945\n", (go,): "2584 1009\n"}
        # Where a processor hides RDTSCP, as under some hypervisors, Valgrind itself can't run Go's programs.
        if not shutil.which("go") or any(
                subprocess.run(command, env=environment, check=False, capture_output=True).returncode
                for command in (["go", "build", "-o", go, sources / "goroutines.go"], ["valgrind", "--tool=none", go])):
            del commands[(go,)]
        if not shutil.which("node"):
            del commands[("node", sources / "closures.js")]
        if not commands:
            self.skipTest("neither Go nor Node is here")
        for command, output in commands.items():
            with self.subTest(command[0]):
                result, document = self.simulate("-e", "instructions", "--", *command)
                self.assertEqual((result.code, result.stdout, document["warnings"]), (0, output, []))
                self.assertGreater(event(document, "instructions")["count"], 1e6)

    def test_a_command_that_ends_in_a_program_that_cannot_be_simulated_has_no_counts(self):
        narrow = self.directory / "narrow"
        narrow.write_bytes(b"\x7fELF\x01\x01\x01" + bytes(9) + bytes([2, 0, 3, 0]) + bytes(100))
        narrow.chmod(0o755)
        result = run("stat", "--pmu", "simulated", "-e", "instructions", "--", "sh", "-c", f"exec {narrow}", timeout=60)
        self.assertEqual(result.code, 125, result.stderr)
        self.assertIn("the simulator ended before the command did", result.stderr)
        self.assertNotIn(" instructions ", result.stderr)

    def test_the_default_set_and_the_set_cache_count_stores_that_miss(self):
        for options, names in (((), ("L1-dcache-stores", "L1-dcache-store-misses")),
                               (("-S", "cache"), ("L1-dcache-store-misses", "LLC-stores", "LLC-store-misses"))):
            _, document = self.simulate(*options, "--", example("naive"), "20", model="skylake")
            for name in names:
                self.assertGreater(event(document, name)["count"], 0, name)

    def test_without_its_prefetcher_a_model_misses_more(self):
        """naive's matrices of 180 KB outgrow the first level, and each line of them comes into the second once."""
        misses = {}
        for model in ("skylake", "skylake,prefetch=off"):
            _, document = self.simulate("-e", "instructions,l2-load-misses", "--", example("naive"), "150", model=model)
            misses[model] = event(document, "l2-load-misses")["count"]
        self.assertLess(misses["skylake"], 0.6 * misses["skylake,prefetch=off"])

    def test_ends_of_a_workload(self):
        spin = "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; "
        for command, code in (("exit 3", 3), ("kill -SEGV $$", 139), ("kill -KILL $$", 137), ("kill -TERM $$", 143)):
            with self.subTest(command):
                result, document = self.simulate("-e", "instructions", "--", "sh", "-c", spin + command)
                self.assertEqual(result.code, code)
                self.assertEqual(any("SIGKILL" in w for w in document["warnings"]), code == 128 + signal.SIGKILL)
                if code != 128 + signal.SIGKILL:
                    self.assertGreater(event(document, "instructions")["count"], 20_000)

    @unittest.skipIf(sanitized(), "the sanitizers do not run on Valgrind")
    def test_tacho_itself_is_a_command_like_any_other(self):
        """The process of its workload begins in tacho's memory, which Valgrind does not know."""
        result, document = self.simulate("-e", "instructions", "--", TACHO, "stat", "-e", "task-clock", "--", "echo", "done")
        self.assertEqual((result.code, result.stdout), (0, "done\n"))
        self.assertIn("task-clock", result.stderr)
        self.assertGreater(event(document, "instructions")["count"], 100_000)

    @unittest.skipUnless(platform.machine() == "x86_64", "knows the instructions of x86-64 only")
    def test_the_work_of_a_child_before_it_waited_is_counted_although_it_is_killed(self):
        self.assertGreater(self.instructions(workload("killed_child"), "10000000"), 0.9 * 20e6)

    @unittest.skipUnless(platform.machine() == "x86_64", "knows the instructions of x86-64 only")
    @unittest.skipUnless(os.geteuid() == 0, "only root can take on another root and another user")
    def test_the_work_of_a_process_behind_chroot_and_as_another_user_is_counted(self):
        for how in ("root", "user"):
            with self.subTest(how):
                result, document = self.simulate("-e", "instructions", "--", workload("confined"), how, "10000000")
                self.assertEqual((result.code, document["warnings"]), (0, []))
                self.assertGreater(event(document, "instructions")["count"], 20e6)

    def test_a_process_that_may_write_no_files_continues_uncounted_with_a_warning(self):
        both = f"{workload('confined')} files 10000000; echo $?; exec {example('naive')} 100"
        result, document = self.simulate("-e", "instructions", "--", "sh", "-c", both)
        self.assertEqual((result.code, result.stdout[:2]), (0, "0\n"))
        warning, = document["warnings"]
        self.assertRegex(warning, r"may not write files as large as .* its counts end early; .*\(ulimit -f\)")
        self.assertGreater(event(document, "instructions")["count"], 5e6)  # what came after it

    @needs_mount
    def test_a_full_directory_ends_the_counts_but_not_the_workload(self):
        for room, counts in (("96k", True), ("12k", False)):
            with self.subTest(room=room):
                inner = f'mount -t tmpfs -o size={room} none "$TMPDIR" && exec "$@"'
                result = run("-m", "sh", "-c", inner, "sh", TACHO, "stat", "--pmu", "simulated:skylake",
                             "-e", "instructions", "--", example("naive"), "400", program=shutil.which("unshare"),
                             env={"TMPDIR": str(self.temporary)}, timeout=120)
                self.assertEqual(result.code, 0 if counts else 125, result.stderr)
                self.assertIn("checksum", result.stdout)
                told = " ".join(result.stderr.split())
                self.assertRegex(told, rf"could not write on to '{self.temporary}/tacho-\w+': it is full")
                self.assertIn("set TMPDIR to a directory with more room", told)
                self.assertEqual("the counts end early" in told, counts)

    def steps_cost(self, size):
        """The counts of one step of chase through a list of this size: the difference of two runs, of which the
        second has a million steps more. So start and end cancel out."""
        names = ("cycles", "instructions", "loads", "L1-dcache-load-misses", "main-tlb-misses")
        runs = [self.simulate("-e", ",".join(names), "--", example("chase"), str(size), str(steps))[1]
                for steps in (1_000_000, 2_000_000)]
        return [(event(runs[1], name)["count"] - event(runs[0], name)["count"]) / 1e6 for name in names]

    def test_a_step_of_chase_takes_the_cycles_measured_on_the_first_raspberry_pi(self):
        # P. J. Drongowski's table: 3 cycles in the first level, 56 from memory, 116 with a table walk.
        # The list of 8 KB fits into the 16 KB of L1. The list of 256 KB fits into the 72 pages of the main TLB, and
        # a line stays in L1 until its next use with a probability of (3/4)^64. The TLB has 72 of the 4,096 pages of
        # the list of 16 MB. The tolerance is for the random replacement at the start, which differs.
        for size, expected in ((8 << 10, 3), (256 << 10, 56), (16 << 20, 116 - 60 * 72 / 4096)):
            with self.subTest(size=size):
                cycles, instructions, loads, misses, walks = self.steps_cost(size)
                self.assertAlmostEqual(instructions, 1 + 2 / 16, delta=0.001)  # a load, and a round's two
                self.assertAlmostEqual(loads, 1, delta=0.001)
                self.assertAlmostEqual(cycles, expected, delta=0.2)
                self.assertAlmostEqual(cycles, 3 + 53 * misses + 60 * walks, delta=0.05)

    @unittest.skipUnless(platform.machine() == "x86_64", "knows the instructions of x86-64 only")
    def test_each_kind_of_instruction_has_the_models_latency(self):
        # From data/models/arm1176.toml. A basic block does not wait for its last result.
        latencies = {"integer": 1, "add": 8, "compare": 8, "minimum": 8, "convert": 8, "divide": 33}
        if " avx " in pathlib.Path("/proc/cpuinfo").read_text():
            latencies |= {"divide-256": 33, "root-256": 33}
        for kind, latency in latencies.items():
            with self.subTest(kind):
                few, many = (event(self.simulate("-e", "cycles", "--", workload("chains"), kind, rounds)[1],
                                   "cycles")["count"] for rounds in ("10000", "30000"))
                cycles = (many - few) / 20_000 - 2  # without the loop's own two instructions
                self.assertGreater(cycles, 15 * latency)
                self.assertLess(cycles, 16 * latency + 1)

    @unittest.skipUnless(platform.machine() == "x86_64", "knows the instructions of x86-64 only")
    def test_rounds_of_a_loop_wait_for_each_other_out_of_order_too(self):
        # Of a Skylake core: uops.info, Agner Fog's instruction tables, and 7-cpu.com for a step of chase in L1 and L2.
        # Rounds of 16 floating-point instructions take 8 cycles on two ports, 16 lea on two others, 16 multiplications
        # on one port 16, and 16 divisions 64. 32 copies of registers need no port; four issue in a cycle. The last two
        # instructions of a round fuse.
        for kind, latency, busy in (("integer", 1, 8), ("multiply", 3, 16), ("move", 0, 8.25), ("add", 4, 8), ("compare", 4, 8),
                                    ("minimum", 4, 8), ("convert", 4, 8), ("divide", 13, 64)):
            with self.subTest(kind):
                few, many = ([event(self.simulate("-e", "cycles,stall-dependency", "--", workload("chains"), kind, rounds,
                                                  model="skylake")[1], name)["count"]
                              for name in ("cycles", "stall-dependency")] for rounds in ("10000", "30000"))
                cycles, waited = ((after - before) / 20_000 for before, after in zip(few, many))
                self.assertAlmostEqual(cycles, max(16 * latency, busy), delta=0.1)
                self.assertAlmostEqual(waited, cycles - busy, delta=0.1)
        # A sum in memory: one addition, and what a store needs to reach the next load (Agner Fog: 5 cycles).
        few, many = (event(self.simulate("-e", "cycles", "--", workload("chains"), "memory", rounds, model="skylake")[1],
                           "cycles")["count"] for rounds in ("10000", "30000"))
        self.assertAlmostEqual((many - few) / 20_000, 16 * 5, delta=0.1)
        for size, latency in ((8 << 10, 4), (128 << 10, 12)):
            with self.subTest(size=size):
                few, many = (event(self.simulate("-e", "cycles", "--", example("chase"), str(size), str(steps),
                                                 model="skylake")[1], "cycles")["count"] for steps in (1_000_000, 2_000_000))
                self.assertAlmostEqual((many - few) / 1e6, latency, delta=0.2)

    def test_the_workload_has_its_own_streams(self):
        result = run("stat", "--pmu", "simulated", "-o", self.directory / "out", "--", "cat", stdin="through\n", timeout=120)
        self.assertEqual((result.code, result.stdout, result.stderr), (0, "through\n", ""))


if __name__ == "__main__":
    unittest.main()
