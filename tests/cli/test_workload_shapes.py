"""Workloads of many kinds: all of their processes and threads are counted, and they see no trace of tacho."""
import os
import shutil
import signal
import subprocess
import tempfile
import unittest

from tacho_cli import TACHO, event, needs_kernel_counts, run, stat_json, workload


class WorkloadShapes(unittest.TestCase):
    def count(self, *faults):
        with tempfile.TemporaryDirectory() as directory:
            result, document = stat_json(directory, "-e", "page-faults,task-clock", "--", workload("faults"), *map(str, faults),
                                         timeout=60)
        self.assertEqual((result.code, result.stderr), (0, ""))
        return int(result.stdout), document

    @needs_kernel_counts
    def test_2000_short_children_are_counted(self):
        by_kernel, document = self.count(2000, 0, 10)
        counted = event(document, "page-faults")["count"]
        self.assertGreaterEqual(counted, 2000 * 10)
        self.assertLess(abs(counted - by_kernel), 0.01 * by_kernel)
        # Two clocks of one kernel. The second one is a sum over the children too.
        clock = event(document, "task-clock")["count"] / 1e9
        self.assertGreater(clock, 0.5 * (document["user_s"] + document["system_s"]))

    @needs_kernel_counts
    def test_a_group_is_read_while_children_end(self):
        """The kernel refuses to read a group (ECHILD) while it takes out the events of a child."""
        with tempfile.TemporaryDirectory() as directory:
            file = os.path.join(directory, "report")
            result = run("stat", "-e", "{page-faults,minor-faults,context-switches}", "-I", "1", "-o", file, "--",
                         workload("faults"), "2000", "0", "1", timeout=60)
            self.assertEqual(result.code, 0, result.stderr)
            with open(file) as report:
                self.assertNotIn("cannot read", report.read())

    @needs_kernel_counts
    def test_500_threads_are_counted(self):
        by_kernel, document = self.count(0, 500, 10)
        counted = event(document, "page-faults")["count"]
        self.assertGreaterEqual(counted, 500 * 10)
        self.assertLess(abs(counted - by_kernel), 0.05 * by_kernel)

    def test_the_shell_runs_a_script_without_an_interpreter_for_any_number_of_words(self):
        with tempfile.TemporaryDirectory() as directory:
            script = os.path.join(directory, "counts-its-words")
            with open(script, "w") as file:
                file.write("echo $#\n")
            os.chmod(script, 0o755)
            words = ["word"] * 50_000
            for name in (script, "counts-its-words"):
                result = run("stat", "-e", "task-clock", "--", name, *words,
                             env={"PATH": f"{directory}:{os.environ['PATH']}"})
                self.assertEqual((result.code, result.stdout), (0, "50000\n"))

    @needs_kernel_counts
    def test_nothing_but_the_workload_is_counted(self):
        # The faults of one program are the same in each run. Faults of tacho before the exec would differ.
        with tempfile.TemporaryDirectory() as directory:
            counts = [event(stat_json(directory, "-e", "page-faults", *options, "--", "true")[1], "page-faults")["count"]
                      for options in ([], [], ["-S", "default"], ["--counters", "9"])]
        self.assertLess(max(counts) - min(counts), 10, counts)
        if shutil.which("perf"):
            perf = subprocess.run(["perf", "stat", "-x,", "-e", "page-faults", "true"], capture_output=True, text=True)
            self.assertLess(abs(int(perf.stderr.split(",")[0]) - counts[0]), 10, (perf.stderr, counts))

    def test_exit_status_is_the_workloads(self):
        for code in (0, 1, 7, 124, 125, 126, 127, 128, 200, 255):
            self.assertEqual(run("stat", "-o", "/dev/null", "--", "sh", "-c", f"exit {code}").code, code)

    def test_workload_has_the_same_environment_as_without_tacho(self):
        # Descriptors, signals that are blocked or ignored, limits, directory, environment.
        script = ("ls /proc/self/fd; grep -E '^(Sig(Blk|Ign|Cgt)|CapEff|Seccomp|Threads|TracerPid|NoNewPrivs)' /proc/self/status;"
                  " ulimit -a; pwd; umask; nice; env | sort | grep -v ^_=")
        for ignored in ((), (signal.SIGPIPE, signal.SIGCHLD, signal.SIGHUP)):
            def prepare():
                for number in (signal.SIGPIPE, signal.SIGCHLD, signal.SIGHUP):
                    signal.signal(number, signal.SIG_IGN if number in ignored else signal.SIG_DFL)
                signal.pthread_sigmask(signal.SIG_SETMASK, {signal.SIGUSR1} if ignored else set())
            options = {"preexec_fn": prepare, "restore_signals": False}
            plain = subprocess.run(["sh", "-c", script], env={**os.environ, "LC_ALL": "C.UTF-8"}, capture_output=True, text=True,
                                   stdin=subprocess.DEVNULL, start_new_session=True, **options)
            for extra in ([], ["--counters", "1", "--series", "/dev/null", "-I", "50", "-o", "/dev/stderr"]):
                with self.subTest(ignored=ignored, extra=extra):
                    result = run("stat", *extra, "-e", "page-faults,context-switches,task-clock", "--", "sh", "-c", script, **options)
                    self.assertEqual((result.code, result.stdout), (plain.returncode, plain.stdout))

    def test_bytes_pass_through_untouched(self):
        data = bytes(range(256)) * 4096
        result = subprocess.run([str(TACHO), "stat", "-o", "/dev/null", "--", "sh", "-c", "tee /dev/stderr"], input=data,
                                capture_output=True, timeout=30)
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, data, data))

    def test_report_comes_after_the_workloads_output(self):
        result = run("stat", "--csv", "-e", "page-faults", "--", "sh", "-c", "echo first; echo second >&2")
        self.assertTrue(result.stdout.startswith("first\n") and "page-faults" in result.stdout, result.stdout)
        self.assertEqual(result.stderr, "second\n")


if __name__ == "__main__":
    unittest.main()
