"""tacho as a job of a shell with a terminal: Ctrl-C, Ctrl-Z and fg, pipelines, reading the terminal."""
import contextlib
import os
import pty
import re
import select
import shlex
import signal
import subprocess
import time
import unittest

from stand_in_valgrind import StandIn, columns, end, slices
from tacho_cli import TACHO, Scratch, needs_mount, sanitized, session_members, without_proc, workload

STAT = f"{TACHO} stat -e page-faults -o report --"


class Terminal(Scratch):
    """One interactive shell on a pseudo-terminal a test."""

    def setUp(self):
        super().setUp()
        self.shell, self.terminal = pty.fork()
        if self.shell == 0:
            os.chdir(self.directory)
            os.environ.update(PS1="", ENV="", LC_ALL="C.UTF-8", TERM="dumb")
            os.execvp("bash", ["bash", "--norc", "--noprofile", "--noediting", "-i"])
        self.addCleanup(self.close)
        self.shown = ""
        self.type("stty -echo; echo shell is $((6 * 7))\n")
        self.expect("shell is 42\r\n")

    def close(self):
        for pid in session_members(self.shell):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        os.waitpid(self.shell, 0)
        os.close(self.terminal)

    def type(self, text):
        os.write(self.terminal, text.encode())

    def seen(self, pattern, seconds):
        """Reads the screen up to the pattern, and returns the match; None when it does not come."""
        until = time.monotonic() + seconds
        while not (match := re.search(pattern, self.shown)):
            if not select.select([self.terminal], [], [], max(0, until - time.monotonic()))[0]:
                return None
            self.shown += os.read(self.terminal, 65536).decode(errors="replace")
        self.shown = self.shown[match.end():]
        return match

    def expect(self, pattern):
        match = self.seen(pattern, 30)
        if not match:
            self.fail(f"no {pattern!r} on the screen: {self.shown!r}")
        return match

    def press(self, key, effect):
        """A key that raises a signal, pressed until it has its effect: at the shell's prompt it has none.
        The first is sometimes lost without tacho as well: dash swallows SIGINT between fork and exec."""
        for _ in range(15):
            self.type(key)
            if effect():
                return
        self.fail(f"no effect of {key!r}: {self.shown!r}, {session_members(self.shell)}")

    def stop(self):
        self.press("\x1a", lambda: self.seen("Stopped", 2))

    def interrupt(self):
        self.press("\x03", lambda: self.is_shell_alone(2))

    def expect_status(self, code):
        self.type("\necho status $?\n")  # a lost first key does not matter
        self.expect(rf"status {code}\r\n")

    def is_shell_alone(self, seconds=30):
        until = time.monotonic() + seconds
        while set(session_members(self.shell)) - {self.shell}:
            if time.monotonic() > until:
                return False
            time.sleep(0.01)
        return True

    def wait_for_shell_alone(self):
        self.assertTrue(self.is_shell_alone(), "left running")

    def assert_report(self):
        self.assertRegex((self.directory / "report").read_text(), r"\n +\d+ +page-faults")

    def test_interrupt_reaches_a_workload_exactly_once(self):
        self.type(f"{STAT} {workload('receive')}\n")
        self.expect("ready\r\n")
        for key, number in (("\x03", signal.SIGINT), ("\x1c", signal.SIGQUIT), ("\x03", signal.SIGINT)):
            self.type(key)
            self.expect(rf"(?<!\d){number.value}\r\n")
            self.assertNotRegex(self.shown, r"\d")
        self.type("\x04")
        self.expect_status(0)
        self.assert_report()

    def test_interrupt_ends_a_workload_and_its_children(self):
        self.type(f"{STAT} sh -c 'echo ready; sleep 100; :'\n")
        self.expect("ready\r\n")
        self.interrupt()
        self.expect_status(130)
        self.assert_report()
        self.wait_for_shell_alone()

    def test_a_signal_to_tacho_alone_reaches_the_workload_and_its_children(self):
        for _ in range(10):  # the shell may be forking its child right now, which must not slip through
            self.type(f"{STAT} sh -c 'echo pid $PPID; sleep 100; :'\n")
            pid = int(self.expect(r"pid (\d+)\r\n")[1])
            os.kill(pid, signal.SIGTERM)
            self.expect_status(143)
            self.assert_report()
            self.wait_for_shell_alone()

    @needs_mount
    @unittest.skipIf(sanitized(), "the leak sanitizer needs /proc")
    def test_a_signal_to_tacho_alone_reaches_the_workload_without_proc(self):
        self.type(shlex.join(without_proc(TACHO, "stat", "-e", "page-faults", "-o", "report", "--", "sh", "-c",
                                          "echo pid $PPID; exec sleep 100")) + "\n")
        pid = int(self.expect(r"pid (\d+)\r\n")[1])
        os.kill(pid, signal.SIGTERM)
        self.expect_status(143)
        self.assert_report()
        self.wait_for_shell_alone()

    def test_what_a_workload_starts_in_reply_to_a_signal_is_spared(self):
        self.type(f"{STAT} sh -c 'trap \"sleep 0.1; echo tidied; exit 5\" TERM; echo pid $PPID; "
                  "while :; do sleep 0.1; done'\n")
        pid = int(self.expect(r"pid (\d+)\r\n")[1])
        os.kill(pid, signal.SIGTERM)
        self.expect("tidied\r\n")
        self.expect_status(5)

    def test_stop_and_go_on(self):
        # It waits for a pipe: a read of the terminal would swallow what is typed for the shell.
        os.mkfifo(self.directory / "go")
        self.type(f"{STAT} sh -c 'echo ready; read line <go; echo got $line'\n")
        self.expect("ready\r\n")
        for _ in range(2):
            self.stop()
            self.type("\necho shell again\n")
            self.expect("shell again\r\n")
            time.sleep(0.5)  # for more than a hundredth of the run, which is told
            self.type("fg\n")
            self.expect("stat .*\r\n")
        (self.directory / "go").write_text("this\n")
        self.expect("got this\r\n")
        self.expect_status(0)
        self.assert_report()
        self.assertRegex((self.directory / "report").read_text(), "was stopped, for example by Ctrl-Z, for [0-9.]+ s of")

    def test_workload_that_ignores_the_key_goes_on_and_so_does_tacho(self):
        os.mkfifo(self.directory / "go")
        self.type(f"{STAT} bash -c 'trap \"\" TSTP; echo ready; read line <go; echo got $line'\n")
        self.expect("ready\r\n")
        self.type("\x1a")
        self.assertFalse(self.seen("Stopped", 1))
        (self.directory / "go").write_text("this\n")
        self.expect("got this\r\n")
        self.expect_status(0)
        self.assert_report()

    def test_repeats_stop_wherever_they_are(self):
        self.type(f"{TACHO} stat -r 100000 -e page-faults -o report -- true\n")
        self.expect("run 10 of")
        for _ in range(5):  # within a run, before its exec, between two
            self.stop()
            self.type("\nfg\n")
            self.expect("stat .*\r\n")
            self.expect(r"run \d+ of")
        self.stop()

    def test_workload_that_stops_itself_is_a_stopped_job(self):
        for how in ("STOP", "TSTP"):
            self.type(f"{STAT} sh -c 'kill -{how} $$; echo went on'\n")
            self.expect("Stopped")
            self.type("\nfg\n")
            self.expect("went on\r\n")
            self.expect_status(0)
            self.assert_report()

    def test_job_of_the_background_is_brought_to_the_foreground_and_stopped(self):
        self.type(f"{STAT} sh -c 'echo ready; while :; do read line || exit 3; echo got $line; done' &\n")
        self.expect("ready\r\n")  # its read then stops it, as the shell must see
        self.type("\nwait; jobs\n")
        self.expect("Stopped")
        self.type("\nfg\n")
        self.expect("stat .*\r\n")
        self.type("one\n")
        self.expect("got one\r\n")
        self.stop()
        self.type("\nfg\n")
        self.expect("stat .*\r\n")
        self.type("two\n")
        self.expect("got two\r\n")
        self.interrupt()
        self.expect_status(130)
        self.assert_report()

    def test_pipelines(self):
        self.type(f"echo through | {STAT} cat | tr a-z A-Z\n")
        self.expect("THROUGH\r\n")
        self.type(f"{STAT} cat | tr a-z A-Z\n")
        self.type("typed\n\x04")
        self.expect("TYPED\r\n")
        self.expect_status(0)
        self.assert_report()
        # Ctrl-C ends all of a pipeline.
        self.type(f"{STAT} sh -c 'echo ready >&2; sleep 100; :' | sleep 100\n")
        self.expect("ready\r\n")
        self.interrupt()
        self.assert_report()

    def test_terminal_that_hangs_up_leaves_nothing_running(self):
        self.type(f"{STAT} sh -c 'echo ready; sleep 100; :'\n")
        self.expect("ready\r\n")
        os.kill(self.shell, signal.SIGHUP)  # as the terminal does to its session's leader
        self.wait_for_shell_alone()
        self.assert_report()

    def test_interrupt_is_the_pagers(self):
        # A pager that goes on, as less does, is waited for: else the shell would read the keyboard beside it.
        pager = "trap 'echo key seen' INT QUIT; cat >/dev/null; echo pager is $((6 * 7)); "\
                "until read x </dev/tty; do :; done; echo left $x"
        self.type(f"{TACHO} record -e page-faults -c 1 -- true; PAGER={shlex.quote(pager)} {TACHO} report\n")
        self.expect("pager is 42\r\n")
        for key in ("\x03", "\x1c"):
            # Until it is seen: a shell that was just about to read looks only when it has read.
            self.press(key, lambda: self.seen("key seen\r\n", 5))
        self.type("for the pager\n")
        self.expect("left for the pager\r\n")
        self.expect_status(0)

    def test_progress_is_shown_on_a_terminal_only(self):
        self.type(f"{TACHO} stat -r 2 -e page-faults -- true\n")
        self.expect("run 2 of 2")
        self.expect_status(0)
        quiet = subprocess.run([TACHO, "stat", "-r", "2", "-e", "page-faults", "--", "true"], capture_output=True, text=True)
        self.assertNotIn("run 2 of 2", quiet.stdout + quiet.stderr)

    def test_a_long_simulation_says_how_far_it_has_come(self):
        stand_in = StandIn(self.directory)
        stand_in.records(columns(7, ["cycles"]), slices(7, [4_000_000]), end(7))  # 1 ms of 4 GHz
        environment = " ".join(f"{name}={shlex.quote(value)}" for name, value in stand_in.env.items())
        self.type(f"{environment} {TACHO} stat --pmu simulated:skylake -e cycles -- sleep 10\n")
        self.expect(r"tacho: 1 ms simulated in \d+ s\r\n")
        self.expect_status(0)


if __name__ == "__main__":
    unittest.main()
