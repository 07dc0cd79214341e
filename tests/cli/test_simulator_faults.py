"""Simulated runs with a stand-in for Valgrind: tacho's results for records with known counts, and its behaviour when
something is missing, damaged or dies. test_simulated.py runs the real Valgrind."""
import json
import os
import shutil
import signal
import struct
import subprocess
import sys
import unittest

from stand_in_valgrind import StandIn, columns, end, slices
from tacho_cli import Scratch, event, finish, run, session_members, start, stat_json

NAMES = ("cycles", "instructions", "branches", "branch-misses")
SLICES = [(100_000, 50_000 + 7 * i, 9_000 + 13 * (i % 50), 100 + i % 3) for i in range(2_000)]
TOTALS = dict(zip(NAMES, map(sum, zip(*SLICES))))
RECORDS = (columns(7, NAMES), *(slices(7, *SLICES[at:at + 100]) for at in range(0, len(SLICES), 100)), end(7))
EVENTS = ("-e", ",".join(NAMES))
SIMULATED = ("--pmu", "simulated:skylake")  # its clock is not measured, so simulated time is always the same


def elf_file(path, machine=62, kind=2, segment=(0x400000, 0x1000)):
    """A 64-bit program of headers alone, with one segment: (address, bytes)."""
    fields = (kind, machine, 1, segment[0], 64, 0, 0, 64, 56, 1, 0, 0, 0)
    header = b"\x7fELF\x02\x01\x01" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", *fields)
    path.write_bytes(header + struct.pack("<IIQQQQQQ", 1, 5, 0, segment[0], segment[0], 120, segment[1], 0x1000))
    path.chmod(0o755)
    return path


class Case(Scratch):
    def setUp(self):
        super().setUp()
        self.stand_in = StandIn(self.directory)
        self.stand_in.records(*RECORDS)

    def run_stat(self, *args, **options):
        options.setdefault("env", self.stand_in.env)
        result = run("stat", *SIMULATED, *args, **options)
        self.assertEqual(self.stand_in.left_behind(), [])
        return result

    def stat_json(self, *args):
        result, document = stat_json(self.directory, *SIMULATED, *args, env=self.stand_in.env)
        self.assertEqual(self.stand_in.left_behind(), [])
        return result, document

    def assert_totals(self, document):
        for name, total in TOTALS.items():
            self.assertEqual((event(document, name)["status"], event(document, name)["count"]), ("simulated", total))


class Counts(Case):
    def test_equal_those_of_the_records(self):
        result, document = self.stat_json(*EVENTS, "--", "sh", "-c", "exit 3")
        self.assertEqual(result.code, 3)
        self.assert_totals(document)
        self.assertEqual(document["pmu"]["kind"], "simulated")
        self.assertEqual(document["exit"], {"code": 3, "signal": None})
        for key in ("elapsed_s", "user_s", "system_s", "max_rss_bytes"):
            self.assertIsNone(document[key], key)
        frequency = int(self.stand_in.call()["model"].split("frequency_hz ")[1].split()[0])
        self.assertAlmostEqual(document["simulated_s"], TOTALS["cycles"] / frequency, places=8)

    def test_valgrind_gets_the_tool_the_model_and_the_command(self):
        self.run_stat(*EVENTS, "--", "true", "--and", "-its", "options")
        call = self.stand_in.call()
        self.assertEqual(call["options"]["--tool"], "tacho")
        self.assertEqual(call["command"], ["true", "--and", "-its", "options"])
        self.assertEqual(call["library"], self.stand_in.env["TACHO_SIMULATOR_DIR"])
        self.assertTrue(call["model"].startswith("tacho-model 4\n"))

    def test_do_not_depend_on_the_wall_clock(self):
        series = []
        for name, sleep in (("one", "0"), ("other", "0.3")):
            self.run_stat(*EVENTS, "--series", self.directory / name, "--", "sleep", sleep)
            series.append((self.directory / name).read_text().splitlines()[1:])
        self.assertEqual(*series)
        self.assertGreater(len(series[0]), 3)

    def test_an_event_that_takes_turns_has_an_interval_and_its_truth(self):
        _, document = self.stat_json("--counters", "1", *EVENTS, "--series", self.directory / "s.jsonl", "--", "true")
        self.assertEqual(event(document, "cycles")["status"], "simulated")
        header, *periods, last = map(json.loads, (self.directory / "s.jsonl").read_text().splitlines())
        for name in NAMES[1:]:
            entry = event(document, name)
            self.assertEqual((entry["status"], entry["truth"]), ("estimated", TOTALS[name]))
            self.assertLess(abs(entry["estimate"] - entry["truth"]), 3 * entry["ci95"] + 1)
            self.assertLess(entry["share"], 0.5)
            described = next(e for e in header["events"] if e["name"] == name)
            self.assertEqual(last["end"]["always"][described["truth"]], TOTALS[name])
            self.assertEqual(sum(p["always"][described["truth"]] for p in periods), TOTALS[name])
            turns = sum(p["counts"][described["slot"]] for p in periods if p["set"] == described["set"])
            self.assertEqual(entry["count"], turns)
        self.assertEqual(sum(p["reference"] for p in periods), TOTALS["cycles"])
        self.assertEqual(document["turn_cost_us"], 0)

    def test_intervals_are_in_simulated_time(self):
        self.run_stat(*EVENTS, "--", "true")
        frequency = int(self.stand_in.call()["model"].split("frequency_hz ")[1].split()[0])
        milliseconds = max(1, round(1e3 * TOTALS["cycles"] / frequency / 8))
        result = self.run_stat("-e", "instructions", "-I", str(milliseconds), "--json", "--", "true")
        intervals = [json.loads(line) for line in result.stdout.splitlines() if line.startswith('{"interval"')]
        self.assertGreater(len(intervals), 5)
        begun = 0
        for interval in intervals:
            ended = round(interval["interval"] * frequency / SLICES[0][0])  # all slices have the same number of cycles
            self.assertEqual(interval["events"][0]["count"], sum(each[1] for each in SLICES[begun:ended]))
            begun = ended
        self.assertEqual(begun, len(SLICES))

    def test_each_repeat_counts_from_zero(self):
        _, document = self.stat_json("-r", "3", *EVENTS, "--", "true")
        self.assertEqual(document["runs"], 3)
        self.assertEqual(event(document, "instructions")["estimate"], TOTALS["instructions"])
        self.assertLess(event(document, "instructions")["ci95"], 1)  # three equal counts
        self.assertEqual(len(document["simulated_runs_s"]), 3)

    def test_the_native_run_comes_first_and_has_its_own_figures(self):
        result, document = self.stat_json(*EVENTS, "-e", "page-faults", "--with-native", "--",
                                          "sh", "-c", "echo run >> " + str(self.directory / "runs"))
        self.assertEqual(result.code, 0, result.stderr)
        self.assertEqual((self.directory / "runs").read_text(), "run\nrun\n")
        self.assert_totals(document)
        native = document["native"]
        clock, faults = native["events"]
        self.assertEqual(clock["name"], "task-clock")
        self.assertIn(faults["name"], ("page-faults", "page-faults:u"))  # :u without the right to count kernel mode
        self.assertGreater(faults["count"], 0)
        self.assertGreater(native["elapsed_s"], 0)
        self.assertGreater(native["max_rss_bytes"], 0)
        self.assertNotIn("page-faults", [e["name"] for e in document["events"]])

    def test_of_software_events_are_missing_with_a_reason_and_a_remedy(self):
        result = self.run_stat("-e", "instructions,page-faults", "--", "true")
        self.assertRegex(result.stderr, rf"{TOTALS['instructions']} +instructions .* simulated\n")
        self.assertRegex(result.stderr, r"page-faults\n +it happens in the kernel.*\n +Remedy: --with-native")


class Faults(Case):
    def test_the_tool_is_missing(self):
        (self.directory / "lib" / "tacho-amd64-linux").unlink()
        marker = self.directory / "ran"
        result = self.run_stat("--with-native", "--", "touch", marker)
        self.assertEqual(result.code, 125)
        self.assertRegex(result.stderr, "built without it\n +remedy: build tacho where")
        self.assertFalse(marker.exists())

    def test_valgrind_is_missing(self):
        (self.directory / "bin" / "valgrind").unlink()
        result = self.run_stat("--", "/bin/true", env={**self.stand_in.env, "PATH": str(self.directory / "bin")})
        self.assertEqual(result.code, 125)
        self.assertRegex(result.stderr, "no 'valgrind' in PATH\n +remedy: apt install valgrind")

    def test_a_command_that_cannot_run_is_the_same_error_as_without_a_simulation(self):
        plain = self.directory / "plain"
        plain.write_text("text")
        orphan = self.directory / "orphan"
        orphan.write_text("#!/no/such/interpreter\n")
        orphan.chmod(0o755)
        fifo = self.directory / "fifo"  # to open it is to wait for its writer
        os.mkfifo(fifo)
        fifo.chmod(0o755)
        for command, code in (("/no/such/command", 127), ("no-such-command", 127), (plain, 126), (fifo, 126),
                              (self.directory, 126), (orphan, 126), (self.directory / ("x" * 300), 126),
                              (plain / "below", 126)):
            with self.subTest(command):
                simulated = self.run_stat("--", command)
                native = run("stat", "--pmu", "software", "--", command)
                self.assertEqual((simulated.code, simulated.stderr), (native.code, native.stderr))
                self.assertEqual(simulated.code, code)

    @unittest.skipUnless(sys.maxsize > 2**32, "this machine has 32 bits: there is no simulator")
    def test_a_program_of_32_bits_is_refused(self):
        program = self.directory / "narrow"
        program.write_bytes(b"\x7fELF\x01\x01\x01" + bytes(100))
        program.chmod(0o755)
        for command in ("stat", "record"):
            result = run(command, *SIMULATED, "-o", self.directory / "out", "--", program, env=self.stand_in.env)
            self.assertEqual(result.code, 125)
            self.assertRegex(result.stderr, "cannot simulate '.*narrow': it is a program of 32 bits")
            self.assertEqual(self.stand_in.left_behind(), [])

    def refused(self, program, reason):
        """A script that names the program is refused, too. Nothing is run."""
        script = self.directory / "script"
        script.write_text(f"#! {program} option\n")
        script.chmod(0o755)
        for command in (program, script):
            with self.subTest(reason, command=command):
                result = self.run_stat("--", command)
                self.assertEqual((result.code, result.stdout), (125, ""))
                self.assertRegex(result.stderr, f"cannot simulate '{program}': {reason}")
                self.assertFalse((self.directory / "call").exists())
        result = self.run_stat("--with-native", "--", program)
        self.assertEqual(result.code, 125, "the native run comes after this check")
        self.assertIn(f"cannot simulate '{program}'", result.stderr)

    def test_a_program_for_another_processor_is_refused(self):
        for machine, name in ((21, "64-bit PowerPC"), (243, "RISC-V")):
            self.refused(elf_file(self.directory / f"of{machine}", machine=machine), f"it is a program for {name}\n")
        self.refused(elf_file(self.directory / "unknown", machine=4711), "it is a program for another processor")

    def test_a_program_with_the_rights_of_another_is_refused(self):
        for mode in (0o4755, 0o2755):
            program = elf_file(self.directory / f"mode{mode:o}")
            program.chmod(mode)
            self.refused(program, "it runs with the rights of another user or group")

    @unittest.skipUnless(os.geteuid() == 0 and shutil.which("setcap"), "only root gives a program capabilities")
    def test_a_program_with_capabilities_is_refused(self):
        program = elf_file(self.directory / "capable")
        if subprocess.run(["setcap", "cap_net_raw+ep", program]).returncode:
            self.skipTest("this file system has no capabilities")
        self.refused(program, "it has capabilities of its own")

    def test_a_program_that_needs_the_addresses_of_the_simulator_is_refused(self):
        elf_file(self.directory / "lib" / "tacho-amd64-linux", segment=(0x58000000, 0x2000000))
        self.refused(elf_file(self.directory / "there", segment=(0x58001000, 0x1000)),
                     "its code and static data need the addresses from 0x58001000 to 0x58002000")
        self.refused(elf_file(self.directory / "large", segment=(0x400000, 3 << 30)), "its code and static data need")
        self.refused(elf_file(self.directory / "movable", kind=3, segment=(0, 3 << 30)), "its code and static data need")
        result = self.run_stat("--", elf_file(self.directory / "small", segment=(0x400000, 1 << 30)))
        self.assertNotIn("cannot simulate", result.stderr)
        self.assertTrue((self.directory / "call").exists(), "it was run")

    def test_the_directory_for_the_run_cannot_be_made(self):
        result = self.run_stat("--", "true", env={**self.stand_in.env, "TMPDIR": "/no/such/directory"})
        self.assertEqual(result.code, 125)
        self.assertRegex(result.stderr, "cannot make a directory '/no/such/directory/tacho-.*\n +remedy: set TMPDIR")

    def test_a_directory_name_that_valgrind_would_expand(self):
        odd = self.directory / "100% p%p odd"
        odd.mkdir()
        self.stand_in.log("==1== valgrind: something\n")
        result = self.run_stat(*EVENTS, "--", "true", env={**self.stand_in.env, "TMPDIR": str(odd)})
        self.assertEqual(result.code, 0, result.stderr)
        self.assertIn("trouble: valgrind: something", result.stderr)
        self.assertEqual(list(odd.iterdir()), [])

    def test_damaged_records(self):
        whole = b"".join(RECORDS)
        self.stand_in.records(whole, b"nonsense")
        marker = self.directory / "ended"
        result = self.run_stat(*EVENTS, "--", "sh", "-c", f"sleep 0.2; touch '{marker}'")
        self.assertEqual(result.code, 125)
        self.assertIn(f"records are damaged at byte {len(whole)}: no batch begins here", result.stderr)
        self.assertNotIn("instructions", result.stderr)
        self.assertTrue(marker.exists(), "the workload runs to its end")

    def test_a_truncated_last_batch_is_ignored(self):
        self.stand_in.records(*RECORDS, slices(7, (1, 1, 1, 1))[:-2])
        _, document = self.stat_json(*EVENTS, "--", "true")
        self.assert_totals(document)

    def test_records_that_the_simulator_could_not_write(self):
        """The simulator removes the file; here the command does. test_simulated.py has a full directory."""
        result, document = self.stat_json(*EVENTS, "--", "sh", "-c", 'rm "$TMPDIR"/tacho-*/records; exit 3')
        self.assertEqual(result.code, 3)
        self.assert_totals(document)
        warning, = document["warnings"]
        self.assertRegex(warning, rf"'{self.directory}/tmp/tacho-\w+': it is full, and the counts end early; set TMPDIR")

    def test_a_simulator_that_does_not_start(self):
        self.stand_in.records()
        self.stand_in.log("==42== valgrind: cannot do it\n")
        self.stand_in.leaves_with(1)
        result = self.run_stat(*EVENTS, "--", "true")
        self.assertEqual(result.code, 125)
        self.assertIn("before it had counted anything: valgrind: cannot do it", result.stderr)

    def test_a_simulator_that_dies_has_no_counts(self):
        self.stand_in.records(*RECORDS[:-1])
        self.stand_in.log("\nvalgrind: the 'impossible' happened:\n   in a test\n")
        self.stand_in.leaves_with(1)
        result = self.run_stat(*EVENTS, "--", "true")
        self.assertEqual(result.code, 125)
        self.assertIn("ended before the command did: valgrind: the 'impossible' happened", result.stderr)
        self.assertNotIn("instructions", result.stderr)

    def test_a_simulator_with_trouble_that_goes_on_has_counts_and_a_warning(self):
        self.stand_in.log("==1== Warning: something\n")
        result, document = self.stat_json(*EVENTS, "--", "true")
        self.assertEqual(result.code, 0)
        self.assert_totals(document)
        self.assertIn("the simulator had trouble: Warning: something", document["warnings"])

    def test_a_workload_that_is_killed(self):
        for number in (signal.SIGSEGV, signal.SIGKILL, signal.SIGILL):
            with self.subTest(number):
                result, document = self.stat_json(*EVENTS, "--", "sh", "-c", f"kill -{number.value} $$")
                self.assertEqual(result.code, 128 + number)
                self.assertEqual(document["exit"], {"code": None, "signal": number})
                self.assert_totals(document)
                self.assertEqual(any("SIGKILL" in w for w in document["warnings"]), number == signal.SIGKILL)
                self.assertEqual(any("-march=x86-64-v3" in w for w in document["warnings"]), number == signal.SIGILL)

    def test_a_workload_that_is_killed_before_anything_was_counted(self):
        self.stand_in.records()
        result, document = self.stat_json(*EVENTS, "--", "sh", "-c", "kill -TERM $$")
        self.assertEqual(result.code, 143)
        for entry in document["events"]:
            self.assertEqual((entry["status"], entry["count"]), ("failed", None))
            self.assertIn("before the simulator had counted", entry["reason"])

    def test_signals_end_the_workload_and_leave_nothing(self):
        process = start("stat", *SIMULATED, *EVENTS, "--", "sh", "-c", "echo ready; sleep 100; :", env=self.stand_in.env)
        self.assertEqual(process.stdout.readline(), "ready\n")
        self.assertEqual(len(self.stand_in.left_behind()), 1)
        process.send_signal(signal.SIGTERM)
        result = finish(process)
        self.assertEqual(result.code, 143)
        self.assertRegex(result.stderr, rf"{TOTALS['instructions']} +instructions")
        self.assertEqual(self.stand_in.left_behind(), [])
        self.assertEqual(session_members(process.pid), [])

    def test_the_next_run_removes_what_a_killed_one_left(self):
        mine = self.directory / "tmp" / "tacho-abcdef"  # the user's own, of the same name and rights
        mine.mkdir(mode=0o700)
        (mine / "records").touch()
        waits = ("stat", *SIMULATED, *EVENTS, "--", "sh", "-c", "echo ready; read line", )
        killed, alive = (start(*waits, env=self.stand_in.env, stdin=subprocess.PIPE) for _ in range(2))
        for process in (killed, alive):
            self.assertEqual(process.stdout.readline(), "ready\n")
        killed.kill()
        self.assertEqual(finish(killed).code, -signal.SIGKILL)
        self.assertEqual(len(self.stand_in.left_behind()), 3)
        run("stat", *SIMULATED, *EVENTS, "--", "true", env=self.stand_in.env)
        self.assertEqual(len(self.stand_in.left_behind()), 2, "what goes on must stay")
        result = finish(alive, "go on\n")
        self.assertEqual(result.code, 0)
        self.assertRegex(result.stderr, rf"{TOTALS['instructions']} +instructions")
        self.assertEqual(self.stand_in.left_behind(), [mine])
        self.assertTrue((mine / "records").exists())

    def test_attaching_is_refused(self):
        for attach in (("-p", str(os.getpid())), ("-a",), ("-a", "--", "true")):
            result = self.run_stat(*attach)
            self.assertEqual(result.code, 125)
            self.assertIn("a simulation can't attach", result.stderr)
        result = self.run_stat("--per-thread", "--", "true")
        self.assertEqual(result.code, 125)
        result = run("stat", "--with-native", "--", "true")
        self.assertEqual(result.code, 125)
        self.assertIn("--with-native needs --pmu simulated", result.stderr)


if __name__ == "__main__":
    unittest.main()
