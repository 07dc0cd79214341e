"""tacho blocks on branch stacks of programs that were stepped instruction by instruction, on real recordings compared
with perf, and on recordings that cannot be used."""
import collections
import os
import pathlib
import re
import resource
import shutil
import subprocess
import tempfile
import unittest

import blocks_oracle
import branch_traces
from branch_traces import BRANCH_STACK, IP, TID, Mapping, Recording, build, needs_stepping, step
from tacho_cli import SOURCE, TACHO, for_everyone, run, sanitized, unwrapped

CORPUS = pathlib.Path(os.environ.get("TACHO_CORPUS", SOURCE.parent / "shared" / "corpus"))
PERF = shutil.which("perf")
needs_perf = unittest.skipUnless(PERF, "perf is not installed: packaging/setup bench installs it")
PID = 4242


class InADirectory(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="tacho-blocks-")
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name)

    def write(self, recording, name="perf.data"):
        path = self.directory / name
        path.write_bytes(recording if isinstance(recording, bytes) else recording.bytes())
        return path

    def blocks(self, path, *args):
        result = run("blocks", "-i", path, *args)
        self.assertEqual(result.code, 0, result.stderr)
        return result

    def refused(self, path, *args):
        """Returns the line of the error and the line of the remedy."""
        result = run("blocks", "-i", path, *args)
        self.assertEqual(result.code, 125, result.stdout)
        lines = [line for line in result.stderr.splitlines() if not line.startswith("tacho: warning: ")]
        self.assertTrue(lines[0].startswith("tacho: error: "), result.stderr)
        self.assertLessEqual(len(lines), 2)
        return lines


class Pictures(InADirectory):
    def test_the_report_is_printed_if_gnuplot_fails(self):
        recording = Recording()
        recording.process(PID, [Mapping(0x400000, 0x1000, 0, "/no/such/program", b"")])
        for cycles in range(1, 12000):  # each is a line of the script, which is then larger than a pipe
            recording.sample(PID, [(0x400020, 0x400010, cycles, False), (0x400040, 0x400010, 1, False)])
        path = self.write(recording)
        fake = self.directory / "gnuplot"
        fake.write_text("#!/bin/sh\nexit 1\n")
        fake.chmod(0o755)
        plain = self.blocks(path)
        result = run("blocks", "-i", path, "--plot", self.directory / "x.svg",
                     env={"PATH": f"{self.directory}:{os.environ['PATH']}"})
        self.assertEqual(result.code, 125, result.stderr)
        self.assertEqual(result.stdout, plain.stdout)
        self.assertIn("x.svg': 'gnuplot' failed with status 1", result.stderr)

    def test_the_picture_does_not_overwrite_the_report(self):
        recording = Recording()
        recording.process(PID, [Mapping(0x400000, 0x1000, 0, "/no/such/program", b"")])
        recording.sample(PID, [(0x400020, 0x400010, 9, False), (0x400040, 0x400010, 1, False)])
        both = self.directory / "both.svg"
        (self.directory / "gnuplot").write_text("#!/bin/sh\ncat >/dev/null\n")
        (self.directory / "gnuplot").chmod(0o755)
        result = run("blocks", "-i", self.write(recording), "--plot", both,
                     "-o", f"{self.directory}/./both.svg", env={"PATH": f"{self.directory}:{os.environ['PATH']}"})
        self.assertEqual(result.code, 125, result.stderr)
        self.assertIn("the picture and the report would go into the same file", result.stderr)
        self.assertFalse(both.exists())


class SaturatedCycles(InADirectory):
    """The cycles of an entry have 16 bits: the largest number means this many or more."""

    def of(self, most):
        recording = Recording()
        recording.process(PID, [Mapping(0x400000, 0x1000, 0, "/no/such/program", b"")])
        for cycles in [100] * 30 + [most] * 70:
            recording.sample(PID, [(0x400020, 0x400010, cycles, False), (0x400040, 0x400010, 1, False)])
        path = self.write(recording)
        text, (run,) = self.blocks(path), self.blocks(path, "--json").json()["runs"]
        row, = [line.split() for line in text.stdout.splitlines() if line.endswith("program")]
        return run["cycles"]["saturated"], row[6:], text

    def test_are_lower_bounds(self):
        saturated, row, text = self.of(65535)
        self.assertEqual((saturated, row[:4]), (70, ["100", "≥65535", "≥65535", "≥65535"]))
        self.assertRegex(text.stderr, "warning: 70 executions of 1 run took 65535 cycles or more")
        self.assertIn("at 65535 cycles or more: at least 65435 more", unwrapped(text.stdout))
        self.assertIn("median 65535 or more ", unwrapped(text.stdout))

    def test_and_one_less_is_exact(self):
        saturated, row, text = self.of(65534)
        self.assertEqual((saturated, row[:4]), (0, ["100", "65534", "65534", "65534"]))
        self.assertNotIn("or more", text.stdout + text.stderr)


class Comparisons(InADirectory):
    """A code run of which each recording has executions of known cycles."""
    BEFORE, AFTER = (100, 104, 99, 108, 101, 97, 103), (90, 95, 88, 99, 92, 89, 93)

    def recorded(self, name, mean, turn, runs=1, timed=True, saturated=False):
        """The turn is the place of the recording in time. There are so many code runs, the first with most cycles."""
        recording = Recording(**({} if timed else {"sample_type": IP | TID | BRANCH_STACK}))
        recording.time = 1_000_000 * (turn + 1)
        recording.process(PID, [Mapping(0x400000, 0x1000, 0, "/no/such/program", b"")])
        for at in range(40):
            cycles = mean - 10 if at % 2 else mean + 10
            entries = [(0x400020 + 64 * i, 0x400010 + 64 * max(0, i - 1), cycles - 20 * i, False) for i in range(runs)]
            recording.sample(PID, [*entries, (0x400040 + 64 * runs, 0x400010 + 64 * (runs - 1), 1, False)])
        if saturated:
            recording.sample(PID, [(0x400020, 0x400010, 65535, False), (0x400040, 0x400010, 1, False)])
        return self.write(recording, name)

    def in_turn(self, before, after, **kind):
        return ([self.recorded(f"b{at}", mean, 2 * at, **kind) for at, mean in enumerate(before)],
                [self.recorded(f"a{at}", mean, 2 * at + 1, **kind) for at, mean in enumerate(after)])

    def compare(self, before, after, *args):
        result = run("blocks", "-i", *before, "--compare", *after, *args)
        self.assertEqual(result.code, 0, result.stderr)
        return result

    def test_of_pairs_have_the_interval_of_the_pairs(self):
        before, after = self.in_turn(self.BEFORE, self.AFTER)
        report = self.compare(before, after, "--json").json()
        self.assertEqual(report["evidence"], "pairs")
        self.assertEqual(report["before"]["files"], [str(file) for file in before])
        (it,) = report["runs"]
        self.assertEqual((it["before"]["means"], it["after"]["means"]), (list(self.BEFORE), list(self.AFTER)))
        self.assertEqual((it["before"]["count"], it["after"]["count"]), (40 * len(before), 40 * len(after)))
        changes = [now - was for was, now in zip(self.BEFORE, self.AFTER)]
        averages = sorted((one + other) / 2 for at, one in enumerate(changes) for other in changes[at:])
        self.assertAlmostEqual(it["mean_moved"]["value"], averages[len(averages) // 2])
        # Seven pairs: at most 2 of the averages lie beyond a limit in 2 × 3 of 128 cases, 4.7 %.
        self.assertEqual(it["mean_moved"]["ci95"], [averages[2], averages[-3]])
        self.assertEqual((it["changed"], it["p_adjusted"]), (True, 2 / 128))
        text = self.compare(before, after).stdout
        self.assertRegex(text, r"\n result +an execution takes \d+\.\d % fewer cycles after than before\n")
        self.assertIn("their changes come from 7 pairs of them", " ".join(text.split()))
        self.assertIn("Modes are those of all executions together, without intervals.", " ".join(text.split()))
        self.assertEqual({shift["moved"]["ci95"] for shift in it["modes"] if shift["moved"]}, {None})

    def test_of_a_program_with_itself_claim_nothing(self):
        report = self.compare(*self.in_turn(self.BEFORE, (101, 99, 104, 103, 100, 102, 98)), "--json").json()
        (it,) = report["runs"]
        self.assertIs(it["changed"], False)
        self.assertLess(it["mean_moved"]["ci95"][0], 0)
        self.assertGreater(it["mean_moved"]["ci95"][1], 0)

    def test_without_pairs_are_about_these_recordings_only(self):
        in_turn = self.in_turn(self.BEFORE, self.AFTER)
        cut = self.directory / "cut"
        cut.write_bytes(in_turn[1][0].read_bytes()[:-1000])
        equal = [self.recorded(f"e{at}", 100, 2 * at) for at in range(7)]
        later = [self.recorded(f"l{at}", mean, 100 + at) for at, mean in enumerate(self.AFTER)]
        for before, after, evidence, why in (
                (in_turn[0][:1], in_turn[1][:1], "too_few", "At least 6 on each side are needed"),
                (in_turn[0], in_turn[1][:5], "too_few", "7 recordings before and 5 after do not show"),
                (equal, in_turn[1], "equal", "took the same samples"),
                (in_turn[0], later, "blocks", "The recordings were not made in turn"),
                (in_turn[0], [cut, *in_turn[1][1:]], "damaged", "A part of a recording could not be read")):
            with self.subTest(evidence):
                report = self.compare(before, after, "--json").json()
                self.assertEqual(report["evidence"], evidence)
                self.assertEqual({it["changed"] for it in report["runs"]}, {None})
                text = " ".join(self.compare(before, after).stdout.split())
                self.assertIn(why, text)
                self.assertIn("in these recordings, an execution takes", text)
                self.assertIn("So the intervals hold for these recordings only.", text)

    def test_of_six_pairs_decide_the_first_code_run_only(self):
        """Six pairs have p-values of 1 / 32 or more: enough at 5 %, but not at the half of it for two more runs."""
        report = self.compare(*self.in_turn(self.BEFORE[:6], self.AFTER[:6], runs=3), "--json").json()
        self.assertEqual([it["changed"] for it in report["runs"]], [True, None, None])
        self.assertEqual([it["mean_moved"]["ci95"] is None for it in report["runs"]], [False, True, True])
        text = " ".join(self.compare(*self.in_turn(self.BEFORE[:6], self.AFTER[:6], runs=3)).stdout.split())
        self.assertIn("not tested: 6 pairs of recordings have this code run, and at least 7 are needed", text)
        (only,) = self.compare(*self.in_turn(self.BEFORE[:6], self.AFTER[:6], runs=3), "--json", "-n", 1).json()["runs"]
        self.assertIs(only["changed"], True)

    def test_of_saturated_cycles_claim_nothing_about_the_mean(self):
        files = self.in_turn(self.BEFORE, self.AFTER, saturated=True)
        (it,) = self.compare(*files, "--json", "--address", "0x400020").json()["runs"]
        self.assertEqual((it["changed"], it["mean_moved"]["ci95"], it["saturated"]), (None, None, 14))
        self.assertLess(it["median_moved"]["ci95"][1], 0)
        self.assertIn("took 65535 cycles or more, so the means are lower bounds",
                      " ".join(self.compare(*files, "--address", "0x400020").stdout.split()))

    def test_without_times_say_that_the_order_is_unknown(self):
        files = self.in_turn(self.BEFORE, self.AFTER, timed=False)
        self.assertEqual(self.compare(*files, "--json").json()["order"], "unknown")
        self.assertIn("do not tell in which order they were made", " ".join(self.compare(*files).stdout.split()))

    @needs_stepping
    def test_of_a_function_that_changed_name_its_other_code(self):
        files = []
        for name, flags in (("walk", []), ("other", ["-O3", "-funroll-loops"])):
            trace, recording = step(build(self.directory, name, flags=flags)), Recording()
            recording.process(PID, trace.mappings)
            recording.stacks(PID, trace.stacks(5, 16))
            files.append(self.write(recording, f"{name}.data"))
        text = self.compare(files[:1], files[1:], "--function", "inner").stdout
        self.assertRegex(" ".join(text.split()),
                         r"not seen with cycles after the change, where the function has other code: most of its cycles "
                         r"are in inner\+0x")

    def test_name_the_recording_that_cannot_be_used(self):
        before, after = self.in_turn(self.BEFORE[:2], self.AFTER[:2])
        nonsense = self.directory / "nonsense"
        nonsense.write_text("no recording\n" * 100)
        for args, error in ((["-i", before[0], before[0], "--compare", *after], "-i has the recording"),
                            (["-i", *before, "--compare", after[0], nonsense], f"--compare {nonsense}: "),
                            (["-i", before[0], nonsense, "--compare", *after], f"-i {nonsense}: ")):
            with self.subTest(error):
                refused = run("blocks", *args)
                self.assertEqual((refused.code, refused.stdout), (125, ""))
                self.assertIn(error, refused.stderr)
                self.assertIn("remedy: ", refused.stderr)


class SampledByCycles(InADirectory):
    """The loop at 0x400010 takes 9 cycles for 40,000 iterations, and then 249 for as many. A sample comes every 10,007
    cycles, with the last 16 iterations."""
    FAST, SLOW, EACH, DEPTH = 9, 249, 40_000, 16

    def recording(self, period):
        recording = Recording(period=period)
        recording.process(PID, [Mapping(0x400000, 0x1000, 0, "/no/such/program", b"")])
        cycles, due = 0, period
        for i in range(2 * self.EACH):
            cycles += self.FAST if i < self.EACH else self.SLOW
            if cycles >= due and i >= self.DEPTH:
                due += period
                recording.sample(PID, [(0x400020, 0x400010, self.FAST if k < self.EACH else self.SLOW, False)
                                       for k in range(i, i - self.DEPTH, -1)] + [(0x400040, 0x400010, 1, False)])
        return self.write(recording)

    def test_a_warning_has_the_mean_of_all_executions(self):
        result = self.blocks(self.recording(10_007))
        mean, = [int(word) for word in re.findall(r"about (\d+) over the whole program", result.stderr)]
        self.assertAlmostEqual(mean, (self.FAST + self.SLOW) / 2, delta=5)
        self.assertRegex(result.stderr, r"takes 24\d cycles on average in the stacks")
        self.assertNotIn("longer than the period", result.stderr)

    def test_stacks_that_overlap_are_warned_of(self):
        result = self.blocks(self.recording(1009))
        self.assertRegex(result.stderr, r"of \d+ branch stacks are longer than the period between two samples")


class IntervalsOfMeans(InADirectory):
    """Stacks with code that tacho can read, so that instructions are known."""

    @needs_stepping
    def test_ipc_is_instructions_over_the_limits_of_the_mean(self):
        trace = step(build(self.directory, "walk"))
        recording = Recording(period=10_007)
        recording.process(PID, trace.mappings)
        recording.stacks(PID, trace.stacks(every=5, depth=16))
        path = self.write(recording)
        with_interval = 0
        for each in self.blocks(path, "--json").json()["runs"]:
            if each["ipc_ci95"] is None:
                continue
            with_interval += 1
            low, high = each["cycles"]["mean_ci95"]
            self.assertAlmostEqual(each["cycles"]["mean"], each["cycles"]["sum"] / each["cycles"]["count"])
            self.assertAlmostEqual(each["ipc_ci95"][0], each["instructions"] / high)
            self.assertAlmostEqual(each["ipc_ci95"][1], each["instructions"] / low)
            self.assertLessEqual(each["ipc_ci95"][0], each["ipc"])
            self.assertLessEqual(each["ipc"], each["ipc_ci95"][1])
        self.assertGreater(with_interval, 0)
        self.assertRegex(self.blocks(path).stdout, r"\d\.\d\d \(\d+\.\d\d…\d+\.\d\d\)")


@needs_stepping
class SteppedPrograms(InADirectory):
    """The truth is known: each executed instruction."""

    def record(self, pie=False, flags=(), **options):
        program = build(self.directory, "walk", pie=pie, flags=flags)
        trace = step(program)
        recording = Recording(**options)
        recording.process(PID, trace.mappings)
        recording.stacks(PID, trace.stacks(every=5, depth=16))
        return trace, recording

    def truth(self, trace, every=5, depth=16):
        """{(start, end): [instructions, [cycles]]} of the stacks' entries, with the addresses of the file."""
        runs = collections.defaultdict(lambda: [None, []])
        for end in range(2, len(trace.taken) + 1, every):
            first = max(0, end - depth)
            for i in range(end - 1, first, -1):
                branch, before = trace.taken[i], trace.taken[i - 1]
                newest = i == end - 1
                if newest and (branch.source, branch.target) == (before.source, before.target):
                    continue
                run_of = runs[before.target - trace.bias, branch.source - trace.bias]
                run_of[0] = branch.instructions
                run_of[1].append(trace.cycles(i))
        return {key: (instructions, sorted(cycles)) for key, (instructions, cycles) in runs.items()}

    def check_runs(self, trace, path, *args):
        found = {}
        for each in self.blocks(path, "--json", *args).json()["runs"]:
            cycles = [value for value, count in each["cycles"]["histogram"] for _ in range(count)]
            found[int(each["start"], 16), int(each["end"], 16)] = each["instructions"], cycles
            self.assertEqual(each["count"], len(cycles))
            self.assertAlmostEqual(each["ipc"], each["instructions"] * len(cycles) / sum(cycles))
        self.assertEqual(found, self.truth(trace))

    def test_have_the_instructions_and_cycles_that_were_executed(self):
        for pie in (False, True):
            with self.subTest(pie=pie):
                trace, recording = self.record(pie)
                self.check_runs(trace, self.write(recording))

    @needs_perf
    def test_are_the_same_as_perfs(self):
        for pie in (False, True):
            with self.subTest(pie=pie):
                path = self.write(self.record(pie)[1])
                report, mappings, compared = blocks_oracle.blocks(TACHO, path), blocks_oracle.Mappings(), []
                self.assertEqual([], list(blocks_oracle.edge_differences(report, blocks_oracle.edges_of(path))))
                self.assertEqual([], list(blocks_oracle.run_differences(
                    report, blocks_oracle.runs_of(path, mappings), mappings)))
                self.assertEqual([], list(blocks_oracle.instruction_differences(
                    report, blocks_oracle.printed_runs(path), compared)))
                self.assertGreater(len(compared), 10)

    def test_give_loops_the_trips_they_made(self):
        """outer has 20 iterations, and iteration i calls inner, which has 2 + i % 9."""
        trace, recording = self.record()
        loops = self.blocks(self.write(recording), "--json").json()["loops"]
        functions = {(each["start"], each["end"]): each["function"]
                     for each in self.blocks(self.write(recording), "--json").json()["runs"]}
        trips = {}
        for loop in loops:
            names = {functions[each["start"], each["end"]] for each in loop["runs"]}
            if names == {"inner"} and len(loop["runs"]) == 1:
                trips["inner"] = loop["trips_ci95"]
        self.assertIn("inner", trips)
        truth = sum(2 + i % 9 for i in range(20)) / 20
        self.assertLess(trips["inner"][0], truth)
        self.assertGreater(trips["inner"][1], truth)
        self.assertTrue(trace.taken)

    def test_of_several_processes_are_one(self):
        trace, recording = self.record(pie=True)
        mapped = trace.mappings[0]
        moved = 0x7000000000 - mapped.start
        recording.process(PID + 1, [Mapping(mapped.start + moved, *list(vars(mapped).values())[1:])])
        shifted = [[(a + moved, b + moved, *rest) for a, b, *rest in stack] for stack in trace.stacks(5, 16)]
        recording.stacks(PID + 1, shifted)
        report = self.blocks(self.write(recording), "--json").json()
        self.assertEqual({(int(each["start"], 16), int(each["end"], 16)): each["count"] for each in report["runs"]},
                         {key: 2 * len(cycles) for key, (_, cycles) in self.truth(trace).items()})

    def test_are_found_by_build_ids_of_8_bytes_that_were_padded(self):
        trace, recording = self.record(flags=["-Wl,--build-id=0x1122334455667788"])
        self.assertEqual(len(trace.mappings[0].build_id), 8)
        for padded in (False, True):
            with self.subTest(padded=padded):
                recording = Recording()
                mapping = trace.mappings[0]
                build_id = mapping.build_id + bytes(12 if padded else 0)
                recording.process(PID, [Mapping(mapping.start, mapping.length, mapping.offset, mapping.path, build_id)])
                recording.stacks(PID, trace.stacks(5, 16))
                self.check_runs(trace, self.write(recording))

    def test_of_another_machine_are_found_below_symfs(self):
        trace, _ = self.record()
        program = pathlib.Path(trace.mappings[0].path)
        recording = Recording()
        mapping = trace.mappings[0]
        recording.process(PID, [Mapping(mapping.start, mapping.length, mapping.offset, "/opt/there/walk", mapping.build_id)])
        recording.stacks(PID, trace.stacks(5, 16))
        path = self.write(recording)
        self.assertIsNone(self.blocks(path, "--json").json()["runs"][0]["instructions"])
        root = self.directory / "root"
        (root / "opt" / "there").mkdir(parents=True)
        shutil.copy(program, root / "opt" / "there" / "walk")
        self.check_runs(trace, path, "--symfs", root)

    def test_with_the_wrong_binary_are_shown_by_address_and_it_is_refused(self):
        trace, recording = self.record()
        build(self.directory, "walk", flags=["-O1"])
        result = self.blocks(self.write(recording), "--json")
        self.assertIn("is not the file that was recorded: its build-id is", result.stderr)
        runs = result.json()["runs"]
        self.assertEqual({each["instructions"] for each in runs}, {None})
        self.assertEqual({(int(each["start"], 16), int(each["end"], 16)) for each in runs}, set(self.truth(trace)))

    def test_stripped_have_instructions_and_no_names(self):
        trace, recording = self.record()
        subprocess.run(["strip", trace.mappings[0].path], check=True)
        self.check_runs(trace, self.write(recording))
        self.assertEqual({each["function"] for each in self.blocks(self.write(recording), "--json").json()["runs"]}, {None})

    def test_can_be_chosen_by_function_address_and_line(self):
        trace, recording = self.record()
        path = self.write(recording)
        everything = self.blocks(path, "--json").json()["runs"]
        inner = [each for each in everything if each["function"] == "inner"]
        self.assertEqual(self.blocks(path, "--json", "--function", "inner").json()["runs"], inner)
        at = inner[0]["end"]
        self.assertEqual(self.blocks(path, "--json", "--address", at).json()["runs"],
                         [each for each in everything if int(each["start"], 16) <= int(at, 16) <= int(each["end"], 16)])
        number = next(number for number, text in enumerate(branch_traces.SOURCE.splitlines(), 1) if "sum * 5" in text)
        by_line = self.blocks(path, "--json", "--line", f"walk.c:{number}").json()["runs"]
        self.assertTrue(by_line)
        self.assertLess(len(by_line), len(everything))
        self.assertTrue(all(each in inner for each in by_line))
        self.assertIn("no run has an instruction of walk.c:9999", self.refused(path, "--line", "walk.c:9999")[0])
        self.assertIn("no run passes 0x1", self.refused(path, "--address", "0x1")[0])
        self.assertTrue(trace.taken)

    def test_text_has_the_code_its_source_and_its_cycles_at_the_branch(self):
        _, recording = self.record()
        text = self.blocks(self.write(recording), "--function", "leaf").stdout
        self.assertRegex(text, r"walk\.c:\d+ .*unsigned leaf")
        self.assertRegex(text, r"ret\w*\s+# PRED \d+ cycles \d\.\d\d IPC \(median of \d+ executions; \d")
        self.assertRegex(text, r"cycles  times\n +\d+ +\d+ #+")

    def test_csv_is_a_runs_histogram(self):
        _, recording = self.record()
        path = self.write(recording)
        hottest = self.blocks(path, "--json", "-n", "1").json()["runs"][0]
        out = self.directory / "run.csv"
        self.blocks(path, "--csv", "-n", "1", "-o", out)
        self.assertEqual(out.read_text(), "cycles,count\n" + "".join(
            f"{cycles},{count}\n" for cycles, count in hottest["cycles"]["histogram"]))
        rows = self.blocks(path, "--csv").stdout.splitlines()
        self.assertEqual(rows[0], "start,end,function,module,cycles,count")
        self.assertEqual(sum(int(row.rsplit(",", 1)[1]) for row in rows[1:]),
                         sum(each["count"] for each in self.blocks(path, "--json").json()["runs"]))

    def test_a_comparison_does_not_overwrite_what_it_reads(self):
        recording = self.record()[1]
        before, after = self.write(recording), self.write(recording, "after.data")
        error, _ = self.refused(before, "--compare", after, "-o", after)
        self.assertIn("is the recording that is read", error)
        self.assertEqual(after.read_bytes(), before.read_bytes())

    def test_a_function_that_was_inlined_everywhere_is_shown_where_it_went(self):
        _, recording = self.record()
        result = self.blocks(self.write(recording), "--json", "--function", "twist")
        self.assertIn("'twist' was inlined everywhere: the runs of inner with its code are shown", result.stderr)
        self.assertEqual({each["function"] for each in result.json()["runs"]}, {"inner"})

    def test_a_function_without_a_run_names_the_nearest(self):
        path = self.write(self.record()[1])
        error, remedy = self.refused(path, "--function", "iner")
        self.assertIn("no run belongs to a function 'iner'", error)
        self.assertIn("the nearest recorded names are: inner", remedy)
        self.assertIn("there is a function 'never_called', and no run of it was recorded",
                      self.refused(path, "--function", "never_called")[0])

    def test_cut_off_are_shown_up_to_there(self):
        whole = self.record()[1].bytes()
        result = self.blocks(self.write(whole[:len(whole) * 2 // 3]), "--json")
        self.assertIn("the recording is damaged, and only the samples before the damage are shown", result.stderr)
        self.assertGreater(len(result.json()["runs"]), 3)

    def test_without_their_binary_have_addresses_and_cycles(self):
        trace, recording = self.record()
        os.unlink(trace.mappings[0].path)
        result = self.blocks(self.write(recording))
        self.assertIn("there is no such file here", result.stderr)
        first = next(iter(self.truth(trace)))
        self.assertIn(f"0x{first[0]:x}…0x{first[1]:x}", self.blocks(self.write(recording), "-n", "0").stdout)
        self.assertRegex(result.stdout, r"# PRED \d+ cycles \(median of")


class OtherRecordings(InADirectory):
    ENTRIES = [(0x1020, 0x3000, 7, False), (0x2000, 0x1000, 9, True)]

    def test_without_branch_stacks_are_refused(self):
        recording = Recording(sample_type=7)
        recording.sample(PID, self.ENTRIES)
        error, remedy = self.refused(self.write(recording))
        self.assertIn("no sample has a branch stack, of 1 in the recording", error)
        self.assertIn("record -b", remedy)

    def test_without_cycles_have_executions_and_say_which_processors_record_cycles(self):
        recording = Recording()
        recording.sample(PID, [(a, b, 0, missed) for a, b, _, missed in self.ENTRIES])
        result = self.blocks(self.write(recording), "--json")
        self.assertIn("no branch has cycles", result.stderr)
        self.assertIn("Skylake", result.stderr)
        one, = result.json()["runs"]
        self.assertEqual((one["count"], one["cycles"]["median"], one["ipc"]), (1, None, None))

    def test_of_some_branches_only_have_no_runs(self):
        recording = Recording(branch_type=1 << 4)
        recording.sample(PID, self.ENTRIES)
        result = self.blocks(self.write(recording), "--json")
        self.assertIn("has some kinds of branches only", result.stderr)
        self.assertEqual((result.json()["runs"], len(result.json()["branches"])), ([], 2))

    def test_of_generated_code_have_addresses(self):
        recording = Recording()
        recording.process(PID, [Mapping(0x1000, 0x3000, 0, "//anon")])
        recording.sample(PID, self.ENTRIES)
        one, = self.blocks(self.write(recording), "--json").json()["runs"]
        self.assertEqual((one["start"], one["end"], one["module"]), ("0x1000", "0x1020", f"[anonymous of process {PID}]"))

    def test_that_are_no_recordings_are_refused(self):
        self.assertIn("the recording has no event 'nothing'", self.refused(self.write(self.one()), "-e", "nothing")[0])
        self.assertIn("is no recording", self.refused(self.write(b"nothing of the kind" * 10))[0])
        self.assertIn("'x12z' is no address", self.refused(self.write(self.one()), "--address", "x12z")[0])
        self.assertIn("'12' is no line of a file", self.refused(self.write(self.one()), "--line", "12")[0])

    def one(self):
        recording = Recording()
        recording.sample(PID, self.ENTRIES)
        return recording


@unittest.skipUnless(CORPUS.exists(), f"the real recordings are not here: {CORPUS} (TACHO_CORPUS says where)")
@needs_perf
class RealRecordings(unittest.TestCase):
    """Every branch and every run, compared with an independent sum of perf's entries."""

    def compare(self, name):
        path = CORPUS / name
        report, mappings = blocks_oracle.blocks(TACHO, path), blocks_oracle.Mappings()
        edges = blocks_oracle.edges_of(path)
        self.assertGreater(len(edges), 10)
        self.assertEqual([], list(blocks_oracle.edge_differences(report, edges)))
        self.assertEqual([], list(blocks_oracle.run_differences(report, blocks_oracle.runs_of(path, mappings), mappings)))
        return report

    def test_of_a_skylake_server(self):
        report = self.compare("lbr-cycles-xeon-gold-6154.data")
        self.assertEqual((report["samples"], report["entries"]), (4639, 148448))
        self.assertEqual(report["skipped"]["doubled"], 1054)
        self.assertEqual(sum(each["cycles"]["count"] for each in report["branches"]), 148070)

    def test_of_a_skylake_laptop(self):
        report = self.compare("branch-4.14.data")
        self.assertEqual((report["samples"], report["entries"]), (13, 416))

    @unittest.skipIf(os.geteuid() != 0, "only root can become a user who may start no thread")
    @unittest.skipIf(sanitized(), "the leak sanitizer starts a thread of its own")
    def test_where_no_thread_can_be_started(self):
        def become_a_user_without_threads():
            resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)

        with tempfile.TemporaryDirectory(prefix="tacho-blocks-") as directory:
            os.chmod(directory, 0o755)
            program = for_everyone(directory)
            recording = shutil.copy(CORPUS / "lbr-cycles-xeon-gold-6154.data", directory)
            os.chmod(recording, 0o644)
            args = ("blocks", "-i", recording, "--json")
            limited = run(*args, program=program, preexec_fn=become_a_user_without_threads)
            self.assertEqual(limited.code, 0, limited.stderr)
            self.assertEqual(limited.json(), run(*args, program=program).json())

    def test_without_cycles(self):
        for name in ("branch_stack_hw_index.data", "branch_stack_spec.data", "raw_callgraph_branch-3.4.data"):
            with self.subTest(name):
                self.assertFalse(self.compare(name)["has_cycles"])


if __name__ == "__main__":
    unittest.main()
