"""Signals to tacho and the end of a workload. Each signal reaches the workload once. The report is printed
however the workload ends, and no process is left running. test_terminal.py tests the same on a terminal."""
import contextlib
import json
import os
import pathlib
import platform
import re
import resource
import signal
import subprocess
import tempfile
import time
import unittest

from tacho_cli import finish, forbidding, run, session_members, start, stat_json, workload

EVENTS = ("-e", "page-faults")
ENDING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2)


def setUpModule():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # no core files of the killed processes


def state(pid):
    """One letter: R, S, T (stopped), Z, …; empty if there is no such process."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return ""


class Supervision(unittest.TestCase):
    def wait_until(self, condition, what):
        for _ in range(3000):
            if condition():
                return
            time.sleep(0.01)
        self.fail(f"not within 30 s: {what}")

    def wait_until_asleep(self, session):
        """Waits until the workload's `sleep` runs. dash ignores a SIGINT between its fork and its exec."""
        def is_asleep(pid):
            with contextlib.suppress(OSError):
                return os.path.basename(os.readlink(f"/proc/{pid}/exe")) in ("sleep", "coreutils", "busybox")
        self.wait_until(lambda: any(map(is_asleep, session_members(session))), "sleep runs")

    def assert_report(self, result):
        self.assertRegex(result.stderr, r"\n +\d+ +page-faults")
        self.assertNotIn("tacho: error", result.stderr)

    def assert_nothing_left(self, session):
        self.wait_until(lambda: not session_members(session), f"processes left: {session_members(session)}")

    def test_workload_that_a_signal_kills(self):
        for number, code in ((signal.SIGSEGV, 139), (signal.SIGTERM, 143), (signal.SIGKILL, 137)):
            with self.subTest(number):
                result = run("stat", *EVENTS, "--", "sh", "-c", f"kill -{number.value} $$")
                self.assertEqual(result.code, code)
                self.assert_report(result)
                self.assertIn(number.name, result.stderr)
        with tempfile.TemporaryDirectory() as directory:
            result, document = stat_json(directory, *EVENTS, "--", "sh", "-c", "kill -SEGV $$")
        self.assertEqual((result.code, document["exit"]), (139, {"code": None, "signal": 11}))

    def test_signals_to_tacho_end_the_workload_and_its_children(self):
        for number in ENDING:
            with self.subTest(number.name):
                process = start("stat", *EVENTS, "--", "sh", "-c", "sleep 100; :")
                self.wait_until_asleep(process.pid)
                process.send_signal(number)
                result = finish(process)
                self.assertEqual(result.code, 128 + number)
                self.assert_report(result)
                self.assert_nothing_left(process.pid)

    def test_signals_to_tacho_reach_the_workload_exactly_once(self):
        for arguments in ([], ["group"]):
            process = start("stat", *EVENTS, "--", workload("receive"), *arguments, stdin=subprocess.PIPE)
            self.assertEqual(process.stdout.readline(), "ready\n")
            for number in ENDING:
                process.send_signal(number)
                self.assertEqual(process.stdout.readline(), f"{number.value}\n")
            result = finish(process, "")
            with self.subTest(arguments):
                self.assertEqual((result.code, result.stdout), (0, ""))
                self.assert_report(result)
                self.assert_nothing_left(process.pid)

    def test_workload_that_ignores_sigterm_goes_on(self):
        process = start("stat", *EVENTS, "--", "sh", "-c", "trap '' TERM; echo ready; read line; echo $line; exit 5",
                        stdin=subprocess.PIPE)
        self.assertEqual(process.stdout.readline(), "ready\n")
        process.send_signal(signal.SIGTERM)
        result = finish(process, "went on\n")
        self.assertEqual((result.code, result.stdout), (5, "went on\n"))
        self.assert_report(result)

    def test_sigtstp_stops_workload_and_tacho_and_sigcont_continues_both(self):
        # A process group, because SIGTSTP does not stop a session of its own.
        process = start("stat", *EVENTS, "--", "sh", "-c", "echo $$; read line; echo $line", stdin=subprocess.PIPE,
                        start_new_session=False, preexec_fn=os.setpgrp)
        child = int(process.stdout.readline())
        process.send_signal(signal.SIGTSTP)
        self.wait_until(lambda: state(child) == "T" and state(process.pid) == "T", "both are stopped")
        process.send_signal(signal.SIGCONT)
        self.wait_until(lambda: state(child) == "S" and state(process.pid) == "S", "both go on")
        result = finish(process, "went on\n")
        self.assertEqual((result.code, result.stdout), (0, "went on\n"))
        self.assert_report(result)

    def test_a_warning_gives_the_time_for_which_the_workload_was_stopped(self):
        process = start("stat", "--json", "-e", "page-faults:u", "--", "sh", "-c", "echo $$; read line", stdin=subprocess.PIPE)
        child = int(process.stdout.readline())
        began = time.monotonic()
        stopped = 0  # seconds; a lower bound
        for _ in range(2):
            os.kill(child, signal.SIGSTOP)
            self.wait_until(lambda: state(child) == "T", "it is stopped")
            seen = time.monotonic()
            time.sleep(0.2)
            stopped += time.monotonic() - seen
            os.kill(child, signal.SIGCONT)
            self.wait_until(lambda: state(child) == "S", "it goes on")
        at_most = time.monotonic() - began
        warnings = json.loads(finish(process, "\n").stdout)["warnings"]
        self.assertEqual(len(warnings), 1)
        reported = float(re.search(r"was stopped, .* for ([0-9.]+) s of", warnings[0])[1])
        late = 0.05  # seconds until tacho runs after a stop, on a busy machine
        self.assertTrue(stopped - 2 * late <= reported <= at_most + 2 * late, (stopped, reported, at_most))
        self.assertEqual(run("stat", "--json", "-e", "page-faults:u", "--", "true").json()["warnings"], [])

    @unittest.skipUnless(platform.machine() == "x86_64", "the number of ppoll is not known here")
    def test_a_sandbox_that_forbids_ppoll(self):
        result = run("stat", "-I", "50", "--csv", *EVENTS, "--", "sh", "-c", "sleep 0.3; exit 3", preexec_fn=forbidding(271))
        self.assertEqual(result.code, 3, "the end of the command is seen")
        self.assertGreater(len(result.stdout.splitlines()), 3, "intervals end")

    def test_signal_ends_the_repeats(self):
        process = start("stat", "-r", "50", *EVENTS, "--", "sh", "-c", "sleep 100; :")
        self.wait_until_asleep(process.pid)
        process.send_signal(signal.SIGINT)
        result = finish(process)
        self.assertEqual((result.code, result.stdout), (130, ""))
        self.assert_report(result)

    def test_daemon_lives_on_and_tacho_returns(self):
        result = run("stat", *EVENTS, "--", "sh", "-c", "setsid sleep 100 </dev/null >/dev/null 2>&1 & echo $!")
        daemon = int(result.stdout)
        try:
            self.assertEqual(result.code, 0)
            self.assert_report(result)
            self.assertIn(state(daemon), ("R", "S"))
        finally:
            os.kill(daemon, signal.SIGKILL)

    def test_workload_dies_with_a_tacho_that_is_killed(self):
        process = start("stat", *EVENTS, "--", "sh", "-c", "echo $$; read line", stdin=subprocess.PIPE)
        child = int(process.stdout.readline())
        process.kill()
        self.assertEqual(finish(process).code, -signal.SIGKILL)
        self.wait_until(lambda: state(child) in ("", "Z"), "the workload is dead")

    def test_ignored_sigchld_does_not_hide_the_end(self):
        def ignore():
            signal.signal(signal.SIGCHLD, signal.SIG_IGN)

        result = run("stat", *EVENTS, "--", "sh", "-c", "exit 9", preexec_fn=ignore)
        self.assertEqual(result.code, 9)
        self.assert_report(result)


if __name__ == "__main__":
    unittest.main()
