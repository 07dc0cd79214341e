"""System calls that fail: tacho's result is right or it says what is missing, and the workload runs whole or not at all.
A short form of bench/faults.py, which fails every call, and of bench/kills.py."""
import json
import shutil
import subprocess
import sys
import unittest

from tacho_cli import SOURCE, TACHO, Scratch, event, needs_kernel_counts, sanitized

sys.path.append(str(SOURCE / "bench"))

import faults  # noqa: E402
import kills  # noqa: E402


def _can_trace():
    return shutil.which("strace") and subprocess.run(["strace", "-o", "/dev/null", "-e", "inject=getcwd:error=EIO", "true"],
                                                     stderr=subprocess.DEVNULL).returncode == 0


class ManyAtOnce(Scratch):
    """A short form of bench/kills.py."""

    def setUp(self):
        super().setUp()
        self.kills = kills.Kills(TACHO, self.directory)

    @needs_kernel_counts
    def test_killed_recorders_leave_nothing_and_what_they_wrote_can_be_read(self):
        data = self.directory / "k.data"
        loop = ("--", "sh", "-c", kills.LOOP.format(20000))
        for command, recording in ((("stat", "-e", "task-clock", "-o", "o.txt", *loop), None), (("record", "-q", "-o", data, *loop), data)):
            found, wrong = self.kills.many(6, *command, recording=recording)
            self.assertEqual(wrong, [], found)

    @needs_kernel_counts
    def test_ten_at_once_do_not_disturb_each_other(self):
        self.assertEqual(kills.at_once(self.kills, 10), [])

    @needs_kernel_counts
    def test_a_thousand_threads_are_counted_and_sampled(self):
        faults_of_threads, wrong = kills.many_threads(self.kills, 1000)
        self.assertEqual(wrong, [])
        self.assertGreaterEqual(faults_of_threads, 1000)


@unittest.skipUnless(_can_trace(), "strace is not installed, or ptrace(2) is forbidden here")
@unittest.skipIf(sanitized(), "the sanitizers make system calls of their own")
class Faults(Scratch):
    def setUp(self):
        super().setUp()
        self.bench = faults.Bench(TACHO, self.directory)

    def run_with(self, fault, *command):
        return self.bench.run(command, "-e", f"inject={fault}")

    def when(self, command, call, of_last=0):
        """The number of the last use of a call by a command, or of one before it."""
        trace = self.bench.run(command).files["trace"].decode(errors="replace")
        return sum(line.startswith(f"{call}(") for line in trace.splitlines()) - of_last

    def test_a_counter_that_cannot_be_read_at_the_end_is_not_counted_as_0(self):
        command = ("stat", "-e", "task-clock,page-faults", "--json", "-o", "out.json", "--", "sh", "-c", "exit 7")
        trace = self.bench.run(command).files["trace"].decode(errors="replace")
        reads = [line for line in trace.splitlines() if line.startswith("read(")]
        # What perf_event's read(2) gives begins with a number of events or a count, not with text.
        last = max(i for i, line in enumerate(reads, 1) if line.endswith(("= 24", "= 32", "= 40")))
        for when in (last - 1, last):
            result = self.run_with(f"read:error=EIO:when={when}", *command)
            self.assertEqual(result.code, 7, result.err)
            document = json.loads(result.files["out.json"])
            for name in ("task-clock", "page-faults"):
                entry = event(document, name)
                self.assertNotEqual(entry["count"], 0, entry)
                self.assertTrue(entry["count"] or entry["reason"], entry)

    def test_a_command_that_cannot_be_started_is_an_error(self):
        command = ("stat", "-e", "task-clock", "--", "sh", "-c", "echo ran")
        result = self.run_with("write:error=EIO:when=1", *command)
        self.assertEqual((result.code, result.out), (125, ""))
        self.assertIn("tacho: error: cannot start 'sh': the pipe to its process failed: Input/output error (EIO)", result.err)
        self.assertNotIn("task-clock", result.err, "no report of a command that did not run")

    def test_a_command_whose_end_is_not_told_does_not_hang(self):
        for kind in ("stat", "record"):
            once = self.run_with("wait4:error=ECHILD:when=1", kind, "-o", "out", "--", "sh", "-c", "exit 7")
            self.assertEqual(once.code, 7, once.err)
            always = self.run_with("wait4:error=EPERM:when=1+", kind, "-o", "out", "--", "sh", "-c", "exit 7")
            self.assertEqual(always.code, 125, always.err)
            self.assertIn("cannot learn how the command ended (wait4): Operation not permitted", always.err)

    def test_signals_that_cannot_be_read_do_not_hang(self):
        for kind, first in (("stat", 2), ("record", 20)):
            for error in ("EIO", "EAGAIN"):
                with self.subTest(kind, error=error):
                    result = self.run_with(f"read:error={error}:when={first}+", kind, "-o", "out", "--", "sh", "-c", "exit 7")
                    self.assertIn(result.code, (7, 125), result.err)

    def test_sets_without_the_event_that_scales_them_are_not_estimated_as_0(self):
        said = []
        _, wrong = faults.sweep(self.bench, "turns", faults.commands(self.bench)["turns"], 12, ("perf_event_open",),
                                say=lambda text, **_: said.append(text))
        self.assertEqual(wrong, [], "\n".join(said))

    def test_a_sweep_finds_nothing_wrong(self):
        faults.prepare(self.bench)
        said = []
        for name, command in faults.commands(self.bench).items():
            if name in ("stat", "record", "report"):
                _, wrong = faults.sweep(self.bench, name, command, 4, ("pipe2", "write", "pwrite64", "perf_event_open", "ioctl"),
                                        say=lambda text, **_: said.append(text))
                self.assertEqual(wrong, [], "\n".join(said))


if __name__ == "__main__":
    unittest.main()
