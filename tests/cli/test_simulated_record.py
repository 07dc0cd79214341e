"""`tacho record --pmu simulated`: compares samples with the counts of the same simulation, with loops whose
instructions are all known, and with what perf reads."""
import collections
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))

import perf_data  # noqa: E402
from perf_data import SAMPLE  # noqa: E402
from tacho_cli import SOURCE, TACHO, Scratch, event, example, needs_mount, needs_simulator, run, start, workload  # noqa: E402

needs_perf = unittest.skipUnless(shutil.which("perf"), "reading recordings back needs perf (Debian: linux-perf)")


@needs_simulator
class SimulatedRecord(Scratch):
    def setUp(self):
        super().setUp()
        self.file = str(self.directory / "perf.data")
        self.temporary = self.directory / "tmp"
        self.temporary.mkdir()
        self.env = {"TMPDIR": str(self.temporary)}
        self.model = "skylake"

    def leave_out_the_prefetcher(self):
        """From now on, streams of lines take as long as each of their misses."""
        text = (SOURCE / "data" / "models" / "skylake.toml").read_text()
        self.model = self.directory / "no-prefetcher.toml"
        self.model.write_text(re.sub(r"\[prefetch\][^\[]*", "", text))

    def record(self, *args, code=0):
        result = run("record", "--pmu", f"simulated:{self.model}", "-o", self.file, *args, timeout=120, env=self.env)
        self.assertEqual(result.code, code, result.stderr)
        self.assertEqual(list(self.temporary.iterdir()), [])
        return result

    def counts(self, events, *command):
        """The counts of tacho stat for the same command in the same environment."""
        out = self.directory / "stat.json"
        result = run("stat", "--pmu", f"simulated:{self.model}", "-e", ",".join(events), "--json", "-o", out, "--", *command,
                     timeout=120, env=self.env)
        self.assertEqual(result.code, 0, result.stderr)
        document = json.loads(out.read_text())
        return {name: event(document, name)["count"] for name in events}

    def script(self, fields, *options):
        """The lines of `perf script`, which must print no complaints."""
        done = subprocess.run(["perf", "script", "-i", self.file, "-F", fields, *options], capture_output=True, text=True)
        self.assertEqual((done.returncode, re.sub(".*addr2line.*\n", "", done.stderr)), (0, ""))
        return [line for line in done.stdout.splitlines() if line.strip()]

    def places(self, *options):
        """The number of samples at each function+offset."""
        return collections.Counter(line.split()[1] for line in self.script("ip,sym,symoff", *options))

    def test_annotate_has_metrics_of_several_events(self):
        period = 1009
        self.record("-e", "cycles,instructions,L1-dcache-load-misses", "-c", period, "--", example("naive"), "120")

        def annotate(*args):
            return run("annotate", "-i", self.file, *args, "multiply")

        annotation = annotate("--json").json()
        derived = 0
        parts = [(annotation["counts"], annotation["metrics"])]
        parts += [(each["events"], each["metrics"]) for each in (*annotation["lines"], *annotation["instructions"])]
        for counts, metrics in parts:
            cycles, instructions, misses = (count["samples"] for count in counts)
            for name, above, times in (("CPI", cycles, 1), ("L1D miss rate", misses, 1000)):
                metric = metrics[name]
                if min(above, instructions) < 10:
                    self.assertIsNone(metric["value"], counts)
                    continue
                derived += 1
                value = times * above / instructions
                self.assertAlmostEqual(metric["value"], value)
                # The relative variances of independent sums add up. With few samples the interval is wider.
                least = 1.96 * value * (1 / above + 1 / instructions) ** 0.5
                self.assertGreater(metric["ci95"], 0.99 * least)
                self.assertLess(metric["ci95"], 1.6 * least)
        self.assertGreater(derived, 6)
        # Only the load that goes down a column misses.
        missed = max(annotation["instructions"], key=lambda each: each["events"][2]["samples"])
        self.assertRegex(missed["text"], r"^mulss \(%r")
        text = annotate().stdout
        titles = next(line for line in text.splitlines() if line.split()[:1] == ["samples"])
        self.assertRegex(titles, r"instructions +share +95 % +cycles +95 % +L1-dcache-load-misses +95 % +CPI +95 % .* "
                                 r"L1D miss rate +95 % +line +source$")
        self.assertIn("sampled precisely", text)
        self.assertIn("also ", text)  # the other events' shares of all
        # Only one load misses, and the figures of that event mark it.
        self.assertRegex(text, r"(?m)^.* > \d+\.\d % .* mulss \(%r")
        # Valgrind's own files have no source lines, which users do not miss.
        self.assertNotIn("vgpreload", run("report", "-i", self.file, "--sort", "line").stderr)
        # The annotation of another event has the same metrics.
        other = annotate("--json", "-e", "cycles").json()
        self.assertEqual(other["event"]["name"], "cycles")
        self.assertEqual(other["metrics"], annotation["metrics"])
        self.assertEqual(other["samples"], annotation["counts"][0]["samples"])

    def test_a_comparison_has_the_metrics_of_both(self):
        other = str(self.directory / "other.data")
        self.record("-e", "cycles,instructions", "-c", 1009, "--", example("naive"), "100")
        os.rename(self.file, other)
        self.record("-e", "cycles,instructions", "-c", 1009, "--", example("interchange"), "100")
        alone = [next(row for row in run("report", "-i", file, "--json").json()["rows"] if row["function"].endswith("multiply"))
                 for file in (other, self.file)]
        both = run("report", "-i", other, "--compare", self.file, "--json").json()
        row = next(row for row in both["rows"] if (row["function"] or "").endswith("multiply"))
        cpi = row["metrics"]["CPI"]
        for side, each in zip(("before", "after"), alone):
            metric = each["metrics"]["CPI"]
            self.assertEqual(cpi[side], {"value": metric["value"], "ci95": metric["ci95"]})
        self.assertAlmostEqual(cpi["gained"]["value"], cpi["after"]["value"] - cpi["before"]["value"])
        text = run("report", "-i", other, "--compare", self.file).stdout
        self.assertRegex(text, r"\n CPI +[\d.]+ +± [\d.]+ +[\d.]+ +± [\d.]+ +[+-][\d.]+ +\S.*multiply\n")

    @needs_perf
    def test_there_is_a_sample_for_each_period_that_is_counted(self):
        names = ("cycles", "instructions", "L1-dcache-load-misses", "branch-misses", "LLC-load-misses",
                 "stalled-cycles-backend", "stall-branch", "dTLB-load-misses", "L1-icache-load-misses")
        command = (example("naive"), "40")
        counted = self.counts(names, *command)
        self.record("-e", ",".join(names), "-c", 101, "--", *command)
        samples = collections.Counter(line.split(":")[0].split()[-1] for line in self.script("event,period"))
        self.assertEqual(dict(samples), {name: counted[name] // 101 for name in names if counted[name] > 100})
        self.assertTrue(all(line.split()[0] == "101" for line in self.script("period,event")))

    @needs_perf
    def test_each_instruction_of_a_loop_is_sampled_as_often_as_it_is_executed(self):
        self.record("-e", "instructions", "-c", 7, "--", workload("known_code"), "instructions", 70_000)
        places = self.places()
        for offset in (0x0, 0x1, 0x4, 0x5, 0x8):
            self.assertAlmostEqual(places[f"known_instructions+{offset:#x}"], 10_000, delta=1)

    @needs_perf
    def test_a_miss_is_sampled_at_the_load_that_missed(self):
        self.leave_out_the_prefetcher()
        self.record("-e", "L1-dcache-load-misses,LLC-load-misses", "-c", 10, "--", workload("known_code"), "misses", 20_000)
        for each in ("L1-dcache-load-misses", "LLC-load-misses"):
            at = collections.Counter(line.split()[2] for line in self.script("event,ip,sym,symoff") if each in line)
            here = {place: count for place, count in at.items() if place.startswith("known_misses")}
            self.assertAlmostEqual(here.pop("known_misses+0x0"), 2_000, delta=1)
            # The return address is no longer in the cache: one miss; every tenth miss is sampled.
            self.assertIn(here, ({}, {"known_misses+0xc": 1}))

    def test_a_prefetcher_brings_all_but_two_lines_of_a_page(self):
        names = ("cycles", "L1-dcache-load-misses", "LLC-load-misses")
        command = (workload("known_code"), "misses", 20_000)
        with_it = self.counts(names, *command)
        self.leave_out_the_prefetcher()
        without = self.counts(names, *command)
        self.assertEqual(with_it["L1-dcache-load-misses"], without["L1-dcache-load-misses"])
        # Of the loop; the loader has streams, too. 12 misses overlap, and memory sends a prefetched line each 8 cycles.
        brought = 20_000 * 62 // 64
        self.assertGreaterEqual(without["LLC-load-misses"] - with_it["LLC-load-misses"], brought)
        self.assertGreater(without["cycles"] - with_it["cycles"], brought * (242 / 12 - 8 - 1))

    @needs_perf
    def test_cycles_are_sampled_where_the_core_waits(self):
        self.leave_out_the_prefetcher()
        # A load from memory takes 246 cycles; 4 are of the first level, and 12 misses overlap. The other instructions of a
        # round take less than a cycle of some 20. The phase decides whether one ends in them.
        self.record("-e", "cycles", "-c", 97, "--", workload("known_code"), "misses", 20_000)
        places = self.places()
        inside = sum(count for place, count in places.items() if place.startswith("known_misses"))
        self.assertGreater(places["known_misses+0x0"] / inside, 1 - 1 / 18)
        self.assertAlmostEqual(inside * 97 / 20_000, (246 - 4) / 12, delta=0.2)

    @needs_perf
    def test_branch_stacks_hold_the_branches_that_were_taken_and_their_cycles(self):
        """128 instructions at 4 per cycle up to the return. A call issues as two micro-operations: five up to it take one cycle or
        two, as the phase of the round decides. A comparison and its jump are one, so there are three up to the jump."""
        self.record("-b", "-e", "instructions", "-c", 1_009, "--", workload("known_code"), "branches", 4_000)
        symbols = dict(reversed(line.split()[::2]) for line in subprocess.run(
            ["nm", workload("known_code")], capture_output=True, text=True).stdout.splitlines() if " known_" in line)
        base = None
        entries = collections.Counter()
        for line in self.script("brstack,ip,sym,symoff"):
            fields = line.split()
            if not fields[1].startswith("known_work"):
                continue
            base = int(fields[0], 16) - int(fields[1].split("+")[1], 16) - int(symbols["known_work"], 16)
            stack = [entry.split("/") for entry in fields[2:]]
            self.assertLessEqual(len(stack), 32)
            if len(stack) == 32 and all(int(e[1], 16) - base < 0x10000 for e in stack):
                self.assertEqual(stack[0][1], stack[3][1], "the newest is the call, and every third is")
                for entry in stack:
                    entries[tuple(entry)] += 1
        at = {name: int(address, 16) + (base or 0) for name, address in symbols.items()}
        expected = {(hex(at["known_call"]), hex(at["known_work"])): "12",
                    (hex(at["known_return"]), hex(at["known_call"] + 5)): ["32"],
                    (hex(at["known_jump"]), hex(at["known_branches"])): "1"}
        # Without the waits of the first round, which are in the stacks of the first samples.
        found = {(e[0], e[1], e[5]): count for e, count in entries.items() if e[2] == "P" and count > 50}
        self.assertEqual({place[:2] for place in found}, set(expected))
        for begin, end, cycles in found:
            self.assertIn(cycles, expected[begin, end])
        self.assertLess(max(found.values()) / min(found.values()), 1.2)
        self.assertGreater(sum(found.values()) / sum(entries.values()), 0.99)

    @needs_perf
    def test_code_runs_straight_between_two_branches_of_a_stack(self):
        """Covers forks and signals of a shell, and string instructions, which repeat without a branch."""
        text = self.directory / "text"
        text.write_text("".join(f"{i * i}\n" for i in range(3_000)))
        self.record("-b", "-e", "instructions", "-c", 9_973, "--", "sh", "-c",
                    f"trap : USR1; kill -USR1 $$; sort {text} | gzip -c > {text}.gz; kill -USR1 $$")
        runs = 0
        for line in self.script("brstack"):
            stack = [entry.split("/") for entry in line.split()]
            for later, earlier in zip(stack, stack[1:]):
                length = int(later[0], 16) - int(earlier[1], 16)
                self.assertTrue(0 <= length < 4096, line)
                runs += 1
        self.assertGreater(runs, 10_000)

    @needs_perf
    def test_a_prefetch_shortens_the_wait_of_a_load_by_its_distance(self):
        """A round has 404 instructions: 101 cycles at 4 per cycle. A load from memory takes 246 cycles from its prefetch at
        the round's begin, and is the oldest of 224 instructions then. The other 180 of the next round take 45 cycles more:
        two rounds take 246 + 45. If the line was prefetched a round earlier, the work hides all of it."""
        self.leave_out_the_prefetcher()
        for distance, expected in ((0, (246 + 45) / 2), (64, 101), (1024, 101)):
            with self.subTest(distance=distance):
                code = (workload("known_code"), "prefetched", "4000", str(distance))
                counted = self.counts(("instructions", "cycles", "stall-load"), *code)
                self.record("-b", "-e", "cycles", "-c", 997, "--", *code)
                stacks = self.script("brstack,ip,sym", "-S", "known_prefetched")
                rounds = [int(entry.split("/")[5]) for line in stacks for entry in line.split()[3:31]
                          if entry.endswith("/COND")]
                self.assertGreater(len(rounds), 1_000)
                # Within a block of code, all times are those of its end.
                self.assertAlmostEqual(sum(rounds) / len(rounds), expected, delta=0.05 * expected)
                self.assertEqual(len(self.script("ip")), counted["cycles"] // 997, "as in the loop that only counts")

    @needs_perf
    def test_perf_and_tacho_read_the_same_samples(self):
        self.record("-e", "instructions,cycles", "-c", 1_000, "--", example("naive"), "40")
        lines = [line.split() for line in self.script("event,ip,sym,dso")]
        for name in ("instructions", "cycles"):
            rows = run("report", "-i", self.file, "--event", name, "--json").json()["rows"]
            mine = [line for line in lines if line[0] == name + ":"]
            self.assertEqual(sum(row["samples"] for row in rows), len(mine))
            theirs = collections.Counter(line[-2] for line in mine if line[-1].endswith("/naive)"))
            ours = {(row["function"] or "no name").split("::")[-1].split("(")[0]: row["samples"]
                    for row in rows if row["module"] == "naive"}
            self.assertEqual(ours["multiply"], sum(n for name, n in theirs.items() if "multiply" in name and "print" not in name))

    @needs_perf
    def test_functions_have_the_shares_of_instructions_that_callgrind_counts(self):
        out = self.directory / "callgrind"
        subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", example("naive"), "60"], check=True,
                       capture_output=True)
        listed = subprocess.run(["callgrind_annotate", str(out)], capture_output=True, text=True).stdout
        exact = {}
        for line in listed.splitlines():
            row = re.match(r" *([\d,]+) \(.*?\) +\S+:(.+?)(?: \[|$)", line)
            if row:
                exact[row[2]] = int(row[1].replace(",", ""))
        total = int(re.search(r"([\d,]+) \(100\.0%\)", listed)[1].replace(",", ""))
        multiply = next(count for name, count in exact.items() if "multiply(" in name)
        self.record("-e", "instructions", "-c", 499, "--", example("naive"), "60")
        rows = run("report", "-i", self.file, "--json").json()["rows"]
        samples = sum(row["samples"] for row in rows)
        sampled = next(row["samples"] for row in rows if "multiply" in row["function"] and "print" not in row["function"])
        self.assertAlmostEqual(sampled / samples, multiply / total, delta=0.01)

    @needs_perf
    def test_periods_by_frequency_add_up_to_what_was_counted(self):
        command = (example("naive"), "60")
        counted = self.counts(("cycles", "instructions"), *command)
        self.record("-e", "cycles,instructions", "-F", 200_000, "--", *command)
        for name, count in counted.items():
            periods = [int(line.split()[0]) for line in self.script("period,event") if f" {name}:" in line]
            self.assertLess(abs(sum(periods) / count - 1), 0.05)
            self.assertGreater(len(set(periods)), len(periods) / 2, "they are dithered")
            # The expected number of samples in the simulated time, at 4 GHz.
            self.assertAlmostEqual(len(periods) / (counted["cycles"] / 4e9 * 200_000), 1, delta=0.2)

    @needs_perf
    def test_children_are_sampled_under_their_names(self):
        code = workload("known_code")
        self.record("-e", "instructions", "-c", 1_000, "--", "sh", "-c",
                    f"{code} instructions 20000 & {code} instructions 40000; wait")
        by_process = collections.Counter(tuple(line.split()[:2]) for line in self.script("comm,pid,ip,sym") if "known_instr" in line)
        self.assertEqual({name for name, _ in by_process}, {"known_code"})
        self.assertEqual(len(by_process), 2)
        for count, expected in zip(sorted(by_process.values()), (100, 200)):
            self.assertAlmostEqual(count, expected, delta=1)
        listed = subprocess.run(["perf", "buildid-list", "-i", self.file], capture_output=True, text=True).stdout
        notes = subprocess.run(["readelf", "-n", code], capture_output=True, text=True).stdout
        self.assertIn(f"{re.search('Build ID: ([0-9a-f]+)', notes)[1]} {code}", listed)

    @needs_perf
    def test_threads_are_distinguished(self):
        self.record("-e", "instructions", "-c", 1_000, "--", workload("known_code"), "threads", 100_000)
        by_thread = collections.Counter(line.split()[0] for line in self.script("tid,ip,sym") if "known_instr" in line)
        self.assertEqual(len(by_thread), 2)
        for count, expected in zip(sorted(by_thread.values()), (500, 1_000)):
            self.assertAlmostEqual(count, expected, delta=1)

    @needs_perf
    def test_call_chains_name_the_callers(self):
        self.record("-g", "-e", "instructions", "-c", 1_000, "--", workload("known_code"), "branches", 2_000)
        done = subprocess.run(["perf", "script", "-i", self.file, "-F", "ip,sym"], capture_output=True, text=True)
        chains = [[line.split()[1] for line in each.splitlines() if line.strip()] for each in done.stdout.split("\n\n")]
        inside = [chain for chain in chains if chain and chain[0] == "known_work"]
        self.assertGreater(len(inside), 200)
        for chain in inside:
            self.assertEqual(chain[:3], ["known_work", "known_call", "main"])
            self.assertEqual(chain[-1], "_start")

    @needs_perf
    def test_the_recording_says_that_it_is_simulated_and_on_which_model(self):
        result = self.record("--", "true")
        self.assertIn(" s of the simulated skylake: ", result.stderr)
        header = subprocess.run(["perf", "report", "-i", self.file, "--header-only"], capture_output=True, text=True).stdout
        self.assertIn("# cpudesc : simulated skylake (model of tacho)", header)
        self.assertIn("event : name = cycles", header)
        self.assertIn("simulated skylake (model of tacho)", run("report", "-i", self.file).stdout)

    def test_a_recorder_that_is_killed_leaves_no_recording_that_seems_to_be_of_a_real_core(self):
        recorder = start("record", "--pmu", "simulated:skylake", "-e", "cycles,stall-load", "-o", self.file, "--",
                         example("naive"), 2000, env=self.env)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and (
                not pathlib.Path(self.file).exists() or pathlib.Path(self.file).stat().st_size < 100_000):
            time.sleep(0.05)
        recorder.kill()
        recorder.communicate()
        told = run("report", "-i", self.file, "--json").json()
        self.assertEqual(told["machine"]["cpu"], "simulated skylake (model of tacho)")
        self.assertEqual([each["name"] for each in told["events"]], ["cycles", "stall-load"])

    def test_exit_codes_and_signals_of_the_workload_are_passed_on(self):
        spin = "i=0; while [ $i -lt 5000 ]; do i=$((i+1)); done; "
        for command, code in (("exit 3", 3), ("kill -SEGV $$", 139), ("kill -KILL $$", 137)):
            with self.subTest(command):
                result = self.record("--", "sh", "-c", spin + command, code=code)
                self.assertEqual("SIGKILL ended the workload" in result.stderr, code == 128 + signal.SIGKILL)
                self.assertGreater(sum(kind == SAMPLE for kind, _, _ in perf_data.records(self.file)), 0)

    @needs_mount
    def test_a_full_disk_ends_the_recording_and_not_the_workload(self):
        (self.directory / "disk").mkdir()
        inner = 'mount -t tmpfs -o size=256k none disk && { "$@"; status=$?; cp disk/perf.data .; exit $status; }'
        tacho = start("-m", "sh", "-c", inner, "sh", str(TACHO), "record", "--pmu", "simulated:skylake", "-b", "-c", 1_000,
                      "-o", "disk/perf.data", "--", example("naive"), "60", program=shutil.which("unshare"),
                      cwd=self.directory)
        out, err = tacho.communicate(timeout=120)
        self.assertEqual(tacho.returncode, 125, err)
        self.assertIn("checksum", out)
        self.assertIn("cannot write 'disk/perf.data': No space left on device (ENOSPC)", err)
        self.assertGreater(sum(kind == SAMPLE for kind, _, _ in perf_data.records(self.file)), 50)

    def test_requests_that_a_simulation_can_t_serve_are_refused_with_the_reason(self):
        for args, what in ((("-p", 1), "can't attach"), (("-a", "--", "true"), "can't attach"),
                           (("--call-graph", "dwarf", "--", "true"), "a simulation copies no stacks"),
                           (("-e", "page-faults", "--", "true"), "it happens in the kernel, which is not simulated"),
                           (("-e", "no-such-event", "--", "true"), "'no-such-event'")):
            with self.subTest(args=args):
                result = self.record(*args, code=125)
                self.assertIn(what, result.stderr)
        result = self.record("--", "no-such-command", code=127)
        self.assertIn("command not found", result.stderr)


if __name__ == "__main__":
    unittest.main()
