"""tacho regions -p PID: the regions of a running process are turned on and off, and reported."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import time
import unittest

from tacho_cli import BUILD, TACHO, Scratch, for_everyone, run

PROGRAMS = BUILD / "tests" / "cli" / "instrumented"


def may_trace():
    """Whether this user may trace a process that is not its child's."""
    try:
        return os.geteuid() == 0 or pathlib.Path("/proc/sys/kernel/yama/ptrace_scope").read_text().strip() == "0"
    except OSError:
        return True


@unittest.skipUnless(may_trace(), "kernel.yama.ptrace_scope forbids to trace a process that tacho did not start")
class Running(Scratch):
    def serve(self, *arguments, program="switched", **environment):
        process = subprocess.Popen([PROGRAMS / program, "serve", *arguments], stdin=subprocess.PIPE, text=True,
                                   stdout=subprocess.PIPE, env=os.environ | environment)

        def end():
            process.stdin.close()
            process.wait(60)
            process.stdout.close()
        self.addCleanup(end)
        self.assertEqual(process.stdout.readline(), "ready\n")
        return process

    def asked(self, process):
        """What the process says of its regions: on or off."""
        process.stdin.write("?")
        process.stdin.flush()
        return process.stdout.readline().strip()

    def becomes(self, process, state):
        for _ in range(1000):
            if self.asked(process) == state:
                return True
            time.sleep(0.01)
        return False

    def tell(self, process, *arguments):
        result = run("regions", "-p", str(process.pid), *arguments)
        self.assertEqual((result.code, result.stderr), (0, ""))
        return result.stdout

    def report(self, process):
        document = json.loads(self.tell(process, "report", "--json"))
        self.assertEqual([each["pid"] for each in document["region_processes"]], [process.pid])
        self.assertEqual(document["warnings"], [])
        return {region["name"]: region["executions"] for region in document["regions"]}, document

    def executions_above(self, process, count):
        for _ in range(1000):
            found = self.report(process)
            if found[0].get("served", 0) > count:
                break
        return found

    def assert_switches(self, process):
        self.assertEqual(self.asked(process), "off")
        text = self.tell(process, "report")
        self.assertIn("no execution of a region was measured", text)
        self.assertIn("regions were not on", text)
        self.tell(process, "on")
        self.assertTrue(self.becomes(process, "on"))
        first = self.executions_above(process, 0)[0]["served"]
        second, document = self.executions_above(process, first)
        self.assertGreater(second["served"], first)
        self.assertLess(document["region_processes"][0]["on_s"], document["region_processes"][0]["of_s"])
        self.tell(process, "off")
        self.assertTrue(self.becomes(process, "off"))
        kept = self.report(process)[0]
        self.assertGreaterEqual(kept["served"], second["served"])
        time.sleep(0.05)
        self.assertEqual(self.report(process)[0], kept)
        self.assertEqual(document["regions"][0]["unfinished"], 0)

    def test_on_off_and_report(self):
        self.assert_switches(self.serve())

    def test_a_program_with_the_static_library(self):
        self.assert_switches(self.serve(program="switched_static"))

    def test_the_text_says_for_how_long_regions_were_on(self):
        process = self.serve()
        self.tell(process, "on")
        self.assertTrue(self.becomes(process, "on"))
        self.executions_above(process, 0)
        text = self.tell(process, "report")
        self.assertRegex(text, r"(?m)^   served +\d")
        self.assertRegex(text, rf"process {process.pid}: regions were on for [\d.e-]+ s of [\d.]+ s")

    def test_regions_of_the_environment_are_reported_too(self):
        process = self.serve(TACHO_REGIONS_EVENTS="task-clock")
        self.assertEqual(self.asked(process), "on")
        document = self.report(process)[1]
        self.assertEqual([q["name"] for q in document["regions"][0]["quantities"]], ["ticks", "task-clock"])

    def test_what_the_process_says_cannot_deceive(self):
        process = self.serve("\x1b[31mred\nprocess 1: fine", TACHO_REGIONS_EVENTS="page-faults")
        text = self.tell(process, "report")
        self.assertNotIn("\x1b", text)
        self.assertIn(r"\x1b[31mred\x0aprocess 1: fine", text)

    def test_a_report_goes_to_a_file(self):
        process = self.serve(TACHO_REGIONS_EVENTS="page-faults")
        out = self.directory / "out"
        self.assertEqual(self.tell(process, "report", "-o", str(out)), "")
        self.assertIn("served", out.read_text())

    def test_a_report_does_not_cancel_what_was_asked_for_before(self):
        process = self.serve()
        for state, other in (("on", "off"), ("off", "on")):
            os.kill(process.pid, signal.SIGSTOP)
            self.tell(process, other)
            self.tell(process, state)
            self.assertEqual(run("regions", "-p", str(process.pid), "report", "--wait", "0.2").code, 125)
            waiting = subprocess.Popen([TACHO, "regions", "-p", str(process.pid), "report"], stdout=subprocess.DEVNULL)
            time.sleep(0.1)
            os.kill(process.pid, signal.SIGCONT)
            self.assertEqual(waiting.wait(60), 0)
            self.assertTrue(self.becomes(process, state), state)

    def test_a_process_that_begins_no_region_makes_no_report_later(self):
        process = self.serve()
        os.kill(process.pid, signal.SIGSTOP)
        result = run("regions", "-p", str(process.pid), "report", "--wait", "0.2")
        self.assertEqual(result.code, 125)
        self.assertRegex(result.stderr, rf"process {process.pid} \('switched'\) made no report: .* it began none")
        self.assertIn("--wait SECONDS", result.stderr)
        # What it is asked for, it does when it goes on.
        self.tell(process, "on")
        os.kill(process.pid, signal.SIGCONT)
        self.assertTrue(self.becomes(process, "on"))

    def refused(self, pid, why, remedy=""):
        result = run("regions", "-p", str(pid), "on")
        self.assertEqual((result.code, result.stdout), (125, ""))
        self.assertRegex(result.stderr, why)
        self.assertIn(remedy, result.stderr)
        self.assertEqual(result.stderr.count("error"), 1)

    def test_what_cannot_be_turned_on_has_one_clear_error(self):
        self.refused(self.directory_pid(), r"there is no process \d+")
        with subprocess.Popen(["sleep", "60"]) as other:
            time.sleep(0.1)  # for its exec
            self.refused(other.pid, r"process \d+ \('sleep'\) is not linked with tacho's library", "measure-regions.md")
            other.kill()
            os.waitid(os.P_PID, other.pid, os.WEXITED | os.WNOWAIT)
            self.refused(other.pid, r"process \d+ \('sleep'\) is no longer there: it has ended")

    def directory_pid(self):
        """The number of a process that has ended."""
        gone = subprocess.Popen(["true"])
        gone.wait()
        return gone.pid

    @unittest.skipUnless(shutil.which("gcc"), "needs gcc")
    def test_an_older_library_is_told(self):
        library = self.directory / "libtacho.so.0.1.0"
        (self.directory / "old.c").write_text("int tacho_region_begin(void) { return 0; }\n")
        (self.directory / "app.c").write_text("#include <unistd.h>\nint tacho_region_begin(void);\n"
                                              "int main(void) { tacho_region_begin(); sleep(60); return 0; }\n")
        subprocess.run(["gcc", "-shared", "-fPIC", "-o", library, self.directory / "old.c"], check=True)
        subprocess.run(["gcc", "-o", self.directory / "app", self.directory / "app.c", library,
                        f"-Wl,-rpath,{self.directory}"], check=True)
        with subprocess.Popen([self.directory / "app"]) as app:
            time.sleep(0.2)
            self.refused(app.pid, "has another version of tacho's library", "TACHO_REGIONS")
            app.kill()

    @unittest.skipUnless(os.geteuid() == 0 and shutil.which("setpriv"), "needs root and setpriv, to be another user")
    def test_another_user_may_not(self):
        process = self.serve()
        os.chmod(self.directory, 0o755)
        tacho = for_everyone(self.directory)
        for action in "on", "report":
            result = subprocess.run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", tacho, "regions", "-p",
                                     str(process.pid), action], capture_output=True, text=True, check=False)
            self.assertEqual((result.returncode, result.stdout), (125, ""))
            self.assertRegex(result.stderr, r"cannot reach the memory of process \d+ \('switched'\): Permission denied")
        self.assertEqual(self.asked(process), "off")


if __name__ == "__main__":
    unittest.main()
