"""Counting that is on for a part of the run: -D, --timeout, --interval-count, --control and --in-region.

The programs touch known numbers of pages, each of which is one page fault.
"""
import contextlib
import json
import os
import pathlib
import re
import signal
import subprocess
import time
import unittest

from tacho_cli import Scratch, assert_pages, event, example, finish, needs_simulator, run, sanitized, start, stat_json
from test_calipers import PROGRAMS

HOT, COLD = 1500, 6000  # pages that one execution touches
GATED = PROGRAMS / "gated"
FEW = 40               # page faults of the library and of the C library itself, in one process


def assert_off(case, event):
    """A zero never means that it was not counted."""
    case.assertEqual((event["status"], event["count"]), ("failed", None))
    case.assertIn("counting was off", event["reason"])


class Asked:
    """A program that touches as many pages as it is told, counted by a tacho that takes commands from FIFOs."""

    def __init__(self, directory, *options, tool="stat"):
        self.files = [pathlib.Path(directory) / name for name in ("commands", "answers")]
        for each in self.files:
            os.mkfifo(each)
        self.out = pathlib.Path(directory) / "out"
        form = ["--json"] if tool == "stat" else ["-c", "1"]
        self.tacho = start(tool, *form, "-o", self.out, "-e", "page-faults", *options, "--control",
                           "fifo:" + ",".join(map(str, self.files)), "--", GATED, "asked", stdin=-1)
        self.commands, self.answers = (os.open(each, os.O_RDWR) for each in self.files)
        self.touch(1)  # so it has started

    def touch(self, pages):
        self.tacho.stdin.write(f"{pages}\n")
        self.tacho.stdin.flush()
        assert self.tacho.stdout.readline() == "done\n"

    def send(self, text):
        os.write(self.commands, text.encode())

    def command(self, text):
        """Sends it, and waits for perf's answer, which ends in a zero byte."""
        self.send(text + "\n")
        assert os.read(self.answers, 100) == b"ack\n\0", text

    def finish(self):
        result = finish(self.tacho)
        os.close(self.commands)
        os.close(self.answers)
        return result


class Control(Scratch):
    def counted(self, asked, code=0):
        result = asked.finish()
        self.assertEqual(result.code, code, result.stderr)
        document = json.loads(asked.out.read_text())
        return event(document, "page-faults")["count"], document

    def test_counting_is_on_between_enable_and_disable(self):
        asked = Asked(self.directory, "-D", "-1")
        asked.touch(3000)
        asked.command("enable")
        asked.touch(500)
        asked.command("ping")
        asked.touch(11)
        asked.command("disable")
        asked.touch(7000)
        asked.command("enable")
        asked.touch(200)
        count, document = self.counted(asked)
        assert_pages(self, count, 711, FEW)
        self.assertLess(document["counted_s"], document["elapsed_s"])
        self.assertEqual(document["warnings"], [])

    def test_without_a_delay_counting_begins_at_once(self):
        asked = Asked(self.directory)
        asked.touch(3000)
        asked.command("disable")
        asked.touch(5000)
        count, _ = self.counted(asked)
        assert_pages(self, count, 3000, 200)  # with those of the program's start

    def test_stop_ends_the_run_as_asked(self):
        asked = Asked(self.directory, "-D", "-1")
        asked.command("enable")
        asked.touch(300)
        asked.command("stop")
        count, document = self.counted(asked)
        assert_pages(self, count, 300, FEW)
        self.assertEqual(document["exit"]["signal"], signal.SIGTERM)

    def test_repeated_commands_change_nothing(self):
        asked = Asked(self.directory, "-D", "-1")
        for word in ("disable", "enable", "enable"):
            asked.command(word)
        asked.touch(300)
        for word in ("disable", "disable"):
            asked.command(word)
        asked.touch(300)
        assert_pages(self, self.counted(asked)[0], 300, FEW)

    def test_garbage_is_told_and_harms_nothing(self):
        asked = Asked(self.directory, "-D", "-1")
        asked.send("\n\n\x1b[31mred\n" + "x" * 100_000 + "\nevlist -v\nena")
        asked.send("ble")
        asked.command("")
        asked.touch(300)
        count, document = self.counted(asked)
        assert_pages(self, count, 300, FEW)
        told = "\n".join(document["warnings"])
        self.assertIn("'evlist -v' was ignored", told)
        self.assertNotIn("\x1b", told)
        self.assertLess(len(told), 3000)

    def test_descriptors(self):
        commands, answers = os.pipe(), os.pipe()
        out = self.directory / "out"
        tacho = start("stat", "--json", "-o", out, "-e", "page-faults", "-D", "-1", "--control",
                      f"fd:{commands[0]},{answers[1]}", "--", GATED, "asked", stdin=-1,
                      pass_fds=[commands[0], answers[1]])
        os.close(commands[0])
        os.close(answers[1])
        tacho.stdin.write("1\n")
        tacho.stdin.flush()
        self.assertEqual(tacho.stdout.readline(), "done\n")
        os.write(commands[1], b"enable\n")
        self.assertEqual(os.read(answers[0], 100), b"ack\n\0")
        os.close(commands[1])  # the end of the commands is not the end of the run
        result = finish(tacho, "400\n")
        self.assertEqual(result.code, 0, result.stderr)
        assert_pages(self, event(json.loads(out.read_text()), "page-faults")["count"], 400, FEW)
        os.close(answers[0])

    def controlled(self, mode, *options):
        """How often tacho obeyed the program, and the page faults that it counted."""
        result, document = stat_json(self.directory, "-e", "page-faults", "-D", "-1", *options, "--", GATED, mode)
        self.assertEqual(result.code, 0, result.stderr)
        self.assertEqual(document["warnings"], [])
        return int(result.stdout), event(document, "page-faults")["count"]

    def test_the_program_turns_counting_on_and_off(self):
        for mode in ("controlled", "controlled_by_a_child"):
            with self.subTest(mode):
                obeyed, count = self.controlled(mode, "--control", "program")
                self.assertEqual(obeyed, 20)
                assert_pages(self, count, 10 * HOT, FEW)

    def test_the_program_finds_a_channel_that_the_user_made(self):
        commands, answers = self.directory / "commands", self.directory / "answers"
        os.mkfifo(commands)
        os.mkfifo(answers)
        obeyed, count = self.controlled("controlled", "--control", f"fifo:{commands},{answers}")
        self.assertEqual(obeyed, 20)
        assert_pages(self, count, 10 * HOT, FEW)

    def test_a_program_that_nobody_listens_to_runs_on(self):
        for variable in (None, "program:gone", "fifo:/nowhere,/nowhere", "fd:77", "fd:x", "nonsense", ""):
            with self.subTest(variable):
                environment = dict(os.environ) | ({} if variable is None else {"TACHO_CONTROL": variable})
                done = subprocess.run([GATED, "controlled"], env=environment, stdout=subprocess.PIPE, check=True)
                self.assertEqual(done.stdout, b"0\n")

    def test_a_program_that_never_turns_counting_on_is_told(self):
        _, document = stat_json(self.directory, "-e", "page-faults", "-D", "-1", "--control", "program", "--", "true")
        self.assertIn("no 'enable' came", "".join(document["warnings"]))
        attached = run("stat", "-D", "-1", "--control", "program", "-p", os.getpid())
        self.assertEqual(attached.code, 125)
        self.assertIn("--control program needs a launched command", attached.stderr)

    def test_clients_written_for_perf(self):
        """A command may be there before the start, and have no line end, or two."""
        for before, text in ((True, "enable\n"), (False, "enable"), (False, "enable\r\n")):
            with self.subTest(text):
                for name in ("commands", "answers", "out"):
                    (self.directory / name).unlink(missing_ok=True)
                fifo = self.directory / "commands"
                os.mkfifo(fifo)
                held = os.open(fifo, os.O_RDWR)
                if before:
                    os.write(held, text.encode())
                tacho = start("stat", "--json", "-o", self.directory / "out", "-e", "page-faults", "-D", "-1", "--control",
                              f"fifo:{fifo}", "--", "sh", "-c", f"sleep 0.3; {GATED} loop")
                if not before:
                    os.write(held, text.encode())
                self.assertEqual(finish(tacho).code, 0)
                os.close(held)
                document = json.loads((self.directory / "out").read_text())
                self.assertGreater(event(document, "page-faults")["count"], 10 * (HOT + COLD))

    def test_a_fifo_that_nobody_opens(self):
        fifo = self.directory / "fifo"
        os.mkfifo(fifo)
        result, document = stat_json(self.directory, "-e", "page-faults", "-D", "-1", "--control", f"fifo:{fifo}",
                                     "--", "true")
        self.assertEqual(result.code, 0, result.stderr)
        assert_off(self, event(document, "page-faults"))
        self.assertIn("nothing was counted: no 'enable' came from --control", "\n".join(document["warnings"]))

    def test_record_samples_between_enable_and_disable(self):
        asked = Asked(self.directory, "-D", "-1", tool="record")
        asked.touch(3000)
        asked.command("enable")
        asked.touch(500)
        asked.command("disable")
        asked.touch(700)
        asked.send("snapshot\n")
        asked.command("ping")
        result = asked.finish()
        self.assertEqual(result.code, 0, result.stderr)
        self.assertIn("'snapshot' was ignored", result.stderr)
        samples = run("report", "-i", asked.out, "--json").json()
        taken = next(e for e in samples["events"] if e["name"].startswith("page-faults"))["samples"]
        assert_pages(self, taken, 500, FEW)
        modules = [row["module"] for row in samples["rows"]]
        self.assertIn("gated", modules, "its mapping was recorded while sampling was off")

    def test_bad_channels(self):
        plain = self.directory / "plain"
        plain.touch()
        for name, words in (("fd:99", "descriptor 99 is not open"), ("fd:x", "no number"), ("pipe:a", "no channel"),
                            ("fifo:", "nothing that commands come from"), (f"fifo:{self.directory}/none", "mkfifo"),
                            (f"fifo:{plain}", "is no FIFO")):
            result = run("stat", "--control", name, "--", "touch", self.directory / "ran")
            self.assertEqual(result.code, 125, result.stderr)
            self.assertIn(words, result.stderr)
            self.assertFalse((self.directory / "ran").exists(), name)


class Times(Scratch):
    def test_a_delay(self):
        result, document = stat_json(self.directory, "-e", "page-faults,task-clock", "-D", "2500", "--",
                                     "sh", "-c", f"{GATED} loop & sleep 3; wait; {GATED} loop")
        self.assertEqual(result.code, 0, result.stderr)
        count = event(document, "page-faults")["count"]
        assert_pages(self, count, 10 * (HOT + COLD), 3000)
        self.assertLess(document["counted_s"], document["elapsed_s"] - 2.4)
        result = run("stat", "-e", "page-faults", "-D", "300", "--", "sleep", "0.5")
        self.assertIn("counted for 0.2", result.stderr)

    def test_a_run_that_is_over_before_the_delay(self):
        late = ["-e", "page-faults", "-D", "60000"]
        result, document = stat_json(self.directory, *late, "--", "true")
        self.assertEqual(result.code, 0)
        assert_off(self, event(document, "page-faults"))
        self.assertIn("nothing was counted: the run ended before the delay was over", document["warnings"][0])
        self.assertIn("<not counted>,,page-faults,0,100.00,,\n", run("stat", "-x,", *late, "true").stderr)
        metrics = self.directory / "metrics.prom"
        run("stat", "--openmetrics", metrics, *late, "true")
        self.assertNotIn("page-faults", metrics.read_text())

    def test_intervals_in_which_counting_was_off(self):
        names = [self.directory / name for name in ("commands", "answers")]
        for each in names:
            os.mkfifo(each)
        tacho = start("stat", "--json", "-I", "100", "-e", "page-faults", "--control",
                      "fifo:" + ",".join(map(str, names)), "--", "sleep", "60", stdout=subprocess.PIPE)
        commands, answers = (os.open(each, os.O_RDWR) for each in names)
        for command, pause in ((b"disable\n", 0.6), (b"stop\n", 0)):
            time.sleep(0.3)
            os.write(commands, command)
            os.read(answers, 100)
            time.sleep(pause)
        for each in (commands, answers):
            os.close(each)
        result = finish(tacho)
        self.assertEqual(result.code, 0, result.stderr)
        intervals = [json.loads(line) for line in result.stdout.splitlines() if "interval" in json.loads(line)]
        known = [each["events"][0]["status"] for each in intervals]
        self.assertEqual(known[0], "counted")
        self.assertIn("failed", known)
        for each in intervals:
            if each["events"][0]["status"] == "failed":
                assert_off(self, each["events"][0])
        result = run("record", "-q", "-o", self.directory / "data", "-D", "60000", "--", "true")
        self.assertEqual(result.code, 0)
        self.assertIn("nothing was sampled: the run ended before the delay", result.stderr)

    @needs_simulator
    def test_sets_that_take_turns(self):
        result, document = stat_json(self.directory, "--pmu", "simulated", "--counters", "1", "-e",
                                     "instructions,branches,L1-dcache-loads", "-D", "3", "--", example("naive"), "250")
        self.assertEqual(result.code, 0, result.stderr)
        _, whole = stat_json(self.directory, "--pmu", "simulated", "--counters", "1", "-e",
                             "instructions,branches,L1-dcache-loads", "--", example("naive"), "250")
        for name in ("instructions", "branches", "L1-dcache-loads"):
            found = event(document, name)
            self.assertLess(found["truth"], event(whole, name)["truth"])
            self.assertAlmostEqual(found["estimate"] / found["truth"], 1, delta=0.1)

    def test_a_timeout_ends_the_run_as_asked(self):
        for tail, label in ((("--", "sleep", "60"), "sleep 60"), (("-a",), "every CPU")):
            begun = time.monotonic()
            result, document = stat_json(self.directory, "-e", "task-clock", "--timeout", "300", *tail)
            self.assertEqual(result.code, 0, result.stderr)
            self.assertLess(time.monotonic() - begun, 20)
            self.assertEqual(document["label"], label)
            self.assertAlmostEqual(document["counted_s"], 0.3, delta=0.25)
        _, document = stat_json(self.directory, "-e", "task-clock", "-r", "3", "--timeout", "100", "--", "sleep", "60")
        self.assertEqual((document["runs"], document["warnings"]), (3, []))

    def test_a_timeout_ends_the_run_although_all_intervals_are_over(self):
        result = run("stat", "--json", "-e", "page-faults", "--interval-count", "2", "-I", "20", "--timeout", "300", "--",
                     "sleep", "60")
        self.assertEqual(result.code, 0, result.stderr)
        documents = [json.loads(line) for line in result.stdout.splitlines()]
        self.assertEqual(["interval" in each for each in documents], [True, True, False])
        self.assertLess(documents[-1]["elapsed_s"], 50)

    def test_a_command_that_does_not_end_when_asked_is_told(self):
        result = run("stat", "-e", "page-faults", "--timeout", "100", "--", "sh", "-c", "trap '' TERM; sleep 1; sleep 1")
        self.assertIn("the command ran on for", " ".join(result.stderr.split()))

    def test_intervals_end_counting_but_not_the_command(self):
        done = self.directory / "done"
        result = run("stat", "-e", "page-faults", "-I", "100", "--interval-count", "2", "--", "sh", "-c",
                     f"sleep 0.6; touch {done}")
        self.assertEqual(result.code, 0, result.stderr)
        self.assertTrue(done.exists())
        lines = re.findall(r"(?m)^ +0\.\d{3} +\d+", result.stderr)
        self.assertEqual(len(lines), 2, result.stderr)

    def test_a_delay_comes_before_timeouts_and_intervals(self):
        """As in perf: both begin when counting does."""
        steps = f"{GATED} loop & sleep 3; wait; {GATED} loop; sleep 60"
        result, document = stat_json(self.directory, "-e", "page-faults", "-D", "2500", "--timeout", "3000", "--", "sh", "-c",
                                     steps)
        self.assertEqual(result.code, 0, result.stderr)
        assert_pages(self, event(document, "page-faults")["count"], 10 * (HOT + COLD), 3000)
        result = run("stat", "-e", "page-faults", "-D", "2500", "-I", "3000", "--interval-count", "1", "--", "sh", "-c",
                     steps.replace("60", "0.5"))
        counts = re.findall(r"(?m)^ +\d\.\d{3} +(\d+)", result.stderr)
        assert_pages(self, int(counts[0]), 10 * (HOT + COLD), 3000)

    def test_the_last_interval_is_printed_although_the_time_is_over(self):
        result = run("stat", "--json", "-e", "task-clock", "-I", "100", "--timeout", "250", "--", "sleep", "60")
        times = [json.loads(line)["interval"] for line in result.stdout.splitlines() if "interval" in json.loads(line)]
        self.assertEqual(len(times), 3, result.stdout)

    def test_what_does_not_go_together(self):
        for words in (["-D", "-1"], ["-D", "-2"], ["--in-region", ""], ["--control", ""],
                      ["--in-region", "x", "-D", "5"], ["--in-region", "x", "-a"],
                      ["--in-region", "x", "--control", "fd:0"], ["--interval-count", "3"],
                      ["--pmu", "simulated", "--in-region", "x"]):
            result = run("stat", *words, "--", "touch", self.directory / "ran")
            self.assertEqual(result.code, 125, words)
            self.assertIn("remedy", result.stderr)
            self.assertFalse((self.directory / "ran").exists())


class InRegion(Scratch):
    def faults(self, mode, *options):
        result, document = stat_json(self.directory, "-e", "page-faults", *options, "--in-region", "hot", "--", GATED,
                                     mode)
        return event(document, "page-faults")["count"], document, result

    def test_only_the_region_is_counted(self):
        count, document, result = self.faults("loop")
        self.assertEqual(result.code, 0, result.stderr)
        assert_pages(self, count, 10 * HOT, FEW)
        self.assertEqual(document["warnings"], [])

    def test_threads_and_processes(self):
        assert_pages(self, self.faults("threads")[0], 30 * HOT, 4 * FEW)
        assert_pages(self, self.faults("processes")[0], 31 * HOT, 8 * FEW)

    def test_recursion(self):
        assert_pages(self, self.faults("recursive")[0], 6 * HOT, FEW)

    def test_an_end_that_never_comes(self):
        for mode in ("killed", "thread_ends", "turned_off"):
            with self.subTest(mode):
                assert_pages(self, self.faults(mode)[0], HOT, 4 * FEW)

    def test_a_program_that_closes_all_its_descriptors(self):
        count, _, result = self.faults("reused")
        self.assertEqual(result.code, 0, result.stderr)
        assert_pages(self, count, 2 * HOT, FEW)

    def test_processes_that_begin_at_the_same_time(self):
        for _ in range(5):
            self.assertGreaterEqual(self.faults("together")[0], 4 * 20 * 25)

    def test_threads_that_are_cancelled(self):
        _, document, result = self.faults("cancelled")
        self.assertEqual((result.code, document["exit"]["signal"]), (0, None), result.stderr)
        self.assertIn("the region is short", "\n".join(document["warnings"]))

    def test_a_tacho_that_is_stopped_for_long_says_what_that_means(self):
        out = self.directory / "out"
        tacho = start("stat", "--json", "-o", out, "-e", "page-faults", "--in-region", "hot", "--", "sh", "-c",
                      f"{GATED} loop; sleep 0.5; {GATED} loop; sleep 2")
        time.sleep(0.3)  # in the first sleep, or about there
        os.kill(tacho.pid, signal.SIGSTOP)
        time.sleep(3)
        os.kill(tacho.pid, signal.SIGCONT)
        result = finish(tacho)
        self.assertEqual(result.code, 0, result.stderr)
        self.assertIn("waited for tacho for more than 2 s", "\n".join(json.loads(out.read_text())["warnings"]))

    def test_a_server_that_gives_up_its_rights(self):
        if os.geteuid() != 0:
            self.skipTest("only root can give up rights")
        result, document = stat_json(self.directory, "-e", "page-faults", "--in-region", "hot", "--", "setpriv",
                                     "--reuid=65534", "--clear-groups", GATED, "loop")
        self.assertEqual(result.code, 0, result.stderr)
        assert_pages(self, event(document, "page-faults")["count"], 10 * HOT, FEW)

    def test_repeats_and_regions_go_with_it(self):
        count, document, _ = self.faults("loop", "-r", "3", "--regions")
        assert_pages(self, count, 10 * HOT, FEW)
        self.assertEqual({region["name"]: region["executions"] for region in document["regions"]},
                         {"hot": 30, "cold": 30})

    def test_a_region_that_never_runs(self):
        _, document = stat_json(self.directory, "-e", "page-faults", "--in-region", "\x1b[31mred", "--", GATED, "loop")
        told = "\n".join(document["warnings"])
        self.assertIn("nothing was counted: no process with tacho's library told of a region", told)
        self.assertNotIn("\x1b", told)

    def test_record(self):
        data = self.directory / "data"
        result = run("record", "-o", data, "-e", "page-faults", "-c", "1", "--in-region", "hot", "--", GATED, "loop")
        self.assertEqual(result.code, 0, result.stderr)
        self.assertIn("sampled for", result.stderr)
        document = run("report", "-i", data, "--json").json()
        taken = next(e for e in document["events"] if e["name"].startswith("page-faults"))["samples"]
        assert_pages(self, taken, 10 * HOT, FEW)

    @unittest.skipIf(sanitized(), "the killed program would report what it leaks")
    def test_a_program_outlives_tacho(self):
        tacho = start("stat", "--in-region", "hot", "--", "sh", "-c", f"sleep 1; {GATED} loop; echo ended",
                      stdout=-1)
        time.sleep(0.3)
        os.kill(tacho.pid, signal.SIGKILL)
        with contextlib.suppress(AssertionError):
            self.assertEqual(finish(tacho).stdout, "ended\n")


if __name__ == "__main__":
    unittest.main()
