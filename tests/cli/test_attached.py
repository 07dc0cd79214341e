"""-p and -a: counting processes that already run."""
import contextlib
import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from tacho_cli import event, finish, forbidding, needs_kernel_counts, run, start, stat_json, workload

EVENTS = ("-e", "page-faults")
PIDFD_OPEN = 434  # everywhere


def descriptors(process, kind):
    """The number of descriptors of this kind that the process has. A descriptor closed during the search does not count."""
    found = 0
    for fd in pathlib.Path(f"/proc/{process.pid}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):
            found += kind in os.readlink(fd)
    return found


class Attached(unittest.TestCase):
    def watch(self, *args, until="signalfd", times=1, **options):
        """Starts tacho and returns when it has this many descriptors of this kind."""
        process = start("stat", *EVENTS, *args, **options)
        for _ in range(3000):
            if process.poll() is not None:
                break
            if descriptors(process, until) >= times:
                return process
            time.sleep(0.01)
        self.fail(f"does not watch: {finish(process)}")

    def sleeper(self):
        process = subprocess.Popen(["sleep", "100"])
        self.addCleanup(lambda: (process.kill(), process.wait()))
        return process

    def ready(self, *command, **options):
        """Starts a workload that says "ready", and stops it at the end of the test."""
        watched = subprocess.Popen([workload(command[0]), *command[1:]], stdout=subprocess.PIPE, text=True, **options)
        self.addCleanup(lambda: (watched.kill(), watched.communicate()))
        self.assertEqual(watched.stdout.readline(), "ready\n")
        return watched

    def test_a_sandbox_that_forbids_pidfd_open(self):
        try:
            result = run("stat", *EVENTS, "-p", self.sleeper().pid, preexec_fn=forbidding(PIDFD_OPEN))
        except subprocess.SubprocessError:
            self.skipTest("this kernel has no seccomp filters")
        self.assertEqual(result.code, 125)
        self.assertRegex(result.stderr, r"cannot watch process \d+: .*\(EPERM\)")
        self.assertIn("pidfd_open", result.stderr)
        self.assertNotIn("running process", result.stderr)

    def test_process_that_ends_while_attached(self):
        watched = subprocess.Popen([workload("faults"), "0", "3", "100", "wait"], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, text=True)
        self.assertEqual(watched.stdout.readline(), "ready\n")
        with tempfile.TemporaryDirectory() as directory:
            out = pathlib.Path(directory, "out")
            process = self.watch("--per-thread", "-o", out, "-p", watched.pid, until="perf_event", times=4)
            watched.communicate("")
            result = finish(process)
            self.assertEqual((result.code, result.stdout, result.stderr), (0, "", ""))
            report = out.read_text()
        self.assertRegex(report, r"\n +\d+ +page-faults")
        self.assertIn(f"{watched.pid} (faults)", report)
        self.assertEqual(report.count("(faults)"), 4, report)  # its main thread and three more

    @needs_kernel_counts
    def test_the_work_of_a_watched_process_is_counted(self):
        # A shell that touches no new pages, and then starts a program with a known number of faults.
        watched = subprocess.Popen(["sh", "-c", f"read line; {workload('faults')} 1 0 5000; exit 3"],
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        with tempfile.TemporaryDirectory() as directory:
            out = pathlib.Path(directory, "out.csv")
            process = self.watch("-p", watched.pid, "--csv", "-o", out, until="pidfd")
            for _ in range(3000):  # the pidfd is opened before the counters; the shell waits for its line
                if descriptors(process, "perf_event"):
                    break
                time.sleep(0.01)
            time.sleep(0.05)  # the time from opening the counters to enabling them
            faults = int(watched.communicate("go\n")[0])
            self.assertEqual((watched.returncode, finish(process).code), (3, 0))  # not tacho's child
            row = next(line for line in out.read_text().splitlines() if "page-faults," in line)
        counted = max(int(field) for field in row.split(",") if field.isdigit())
        self.assertGreaterEqual(counted, 5000, row)
        self.assertLess(abs(counted - faults), 250, row)

    @needs_kernel_counts
    def test_a_process_that_forks_all_the_time_is_counted(self):
        """A fork between the opening of two events of a group gave the child one of them. Then the kernel refused to read
        the group, and everything was 0."""
        watched = self.ready("forking", "0", "1")
        some = ["page-faults", "task-clock"]
        group = "{page-faults,minor-faults,major-faults,context-switches,cpu-migrations,dummy,cpu-clock,task-clock}"
        for _ in range(20):
            with tempfile.TemporaryDirectory() as directory:
                result, document = stat_json(directory, "-e", group, "-p", watched.pid, "--", "sleep", "0.05")
            self.assertEqual(result.code, 0, result.stderr)
            for name in some:
                self.assertEqual(event(document, name)["status"], "counted", document)
                self.assertGreater(event(document, name)["count"], 0, document)
            self.assertNotIn("incomplete", "".join(document["warnings"]))

    @needs_kernel_counts
    def test_the_row_of_a_thread_has_what_the_thread_starts_and_says_so(self):
        watched = self.ready("late_thread", "3000", stdin=subprocess.PIPE)
        with tempfile.TemporaryDirectory() as directory:
            out = pathlib.Path(directory, "out")
            process = self.watch("--per-thread", "-o", out, "-p", watched.pid, until="perf_event")
            time.sleep(0.05)  # the time from opening the counters to enabling them
            watched.stdin.write("go\n")
            watched.stdin.flush()
            self.assertEqual(watched.stdout.readline(), "touched\n")
            process.send_signal(signal.SIGINT)
            self.assertEqual(finish(process).code, 0)
            report = out.read_text()
        self.assertRegex(report, r"thread +page-faults")
        row = re.search(r"\d+ \(late_thread\) +(\d+)", report)
        self.assertGreaterEqual(int(row[1]), 3000, report)

    @needs_kernel_counts
    def test_signal_ends_the_watching_but_not_the_process(self):
        watched = self.sleeper()
        for options in (["-p", watched.pid], ["-a"]):
            with self.subTest(options):
                process = self.watch(*options)
                process.send_signal(signal.SIGINT)
                result = finish(process)
                self.assertEqual(result.code, 0, result.stderr)
                self.assertIn("page-faults", result.stderr)
                self.assertIsNone(watched.poll())

    def test_kill_ends_a_background_job_of_a_script(self):
        # Such jobs begin with SIGINT and SIGQUIT ignored (POSIX, "Asynchronous Lists").
        for number in (signal.SIGINT, signal.SIGQUIT):
            process = self.watch("-p", self.sleeper().pid, until="pidfd",
                                 preexec_fn=lambda which=number: signal.signal(which, signal.SIG_IGN))
            process.send_signal(number)
            self.assertEqual(finish(process).code, 0)

    def test_nohup_keeps_watching_after_a_hangup(self):
        watched = self.sleeper()
        process = self.watch("-p", watched.pid, until="pidfd",
                             preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        process.send_signal(signal.SIGHUP)
        process.send_signal(signal.SIGUSR1)  # a signal that does not end the watching
        with self.assertRaises(subprocess.TimeoutExpired):
            process.wait(timeout=0.3)
        watched.kill()
        self.assertEqual(finish(process).code, 0)

    @needs_kernel_counts
    @unittest.skipIf(resource.getrlimit(resource.RLIMIT_NOFILE)[0] < 2500, "an event of a thread is a descriptor: ulimit -n 2500")
    def test_the_end_is_noticed_if_reading_an_interval_takes_longer_than_the_interval(self):
        many = ("import threading, time\nfor _ in range(300): threading.Thread(target=time.sleep, args=(100,), daemon=True).start()\n"
                "print('ready', flush=True)\ntime.sleep(100)")
        watched = subprocess.Popen([sys.executable, "-c", many], stdout=subprocess.PIPE, text=True)
        self.addCleanup(lambda: (watched.kill(), watched.communicate()))
        self.assertEqual(watched.stdout.readline(), "ready\n")
        events = "page-faults,context-switches,task-clock,cpu-migrations,minor-faults,major-faults"
        result = run("stat", "-I", "1", "--per-thread", "-e", events, "-p", watched.pid, "--", "sleep", "0.3", timeout=20)
        self.assertEqual(result.code, 0, result.stderr)
        self.assertIn("page-faults", result.stderr)

    @needs_kernel_counts
    def test_each_cpu_has_the_counts_of_the_work_that_ran_on_it(self):
        cpus = sorted(os.sched_getaffinity(0))
        there = cpus[-1]
        with tempfile.TemporaryDirectory() as directory:
            result, document = stat_json(directory, "-a", "--per-cpu", "-e", "page-faults,task-clock", "--",
                                         "taskset", "-c", there, workload("faults"), "1", "0", "100000")
            self.assertEqual(result.code, 0, result.stderr)
        parts = {part["label"]: part for part in document["parts"]}
        online = pathlib.Path("/sys/devices/system/cpu/online").read_text().strip()
        numbers = [n for each in online.split(",") for n in range(int(each.split("-")[0]), int(each.split("-")[-1]) + 1)]
        self.assertEqual(list(parts), [f"CPU {n}" for n in numbers])
        faults = {label: event(part, "page-faults")["count"] for label, part in parts.items()}
        self.assertGreaterEqual(faults[f"CPU {there}"], 100000)
        for name in ("page-faults", "task-clock"):
            self.assertEqual(sum(event(part, name)["count"] for part in parts.values()), event(document, name)["count"])
        # The clock of a CPU counts while the CPU is idle.
        for part in parts.values():
            self.assertAlmostEqual(event(part, "task-clock")["count"] / 1e9 / document["elapsed_s"], 1, delta=0.2)
        text = run("stat", "-a", "--per-cpu", "--counters", "1", "-e", "page-faults,context-switches", "--", "sleep", "0.3").stderr
        self.assertRegex(text, rf"\n +page-faults +context-switches\n(   CPU \d+ .*\n){{{len(numbers)}}}")

    @needs_kernel_counts
    def test_intervals_of_every_cpu_add_up_to_the_whole(self):
        result = run("stat", "-a", "--json", "-I", "30", "-e", "context-switches,task-clock", "--", "sleep", "0.2")
        slices, rest = [], result.stdout
        while rest.startswith('{"interval"'):
            line, _, rest = rest.partition("\n")
            slices.append(json.loads(line))
        whole = json.loads(rest)
        self.assertGreater(len(slices), 3)
        for name in ("context-switches", "task-clock"):
            self.assertEqual(sum(event(each, name)["count"] for each in slices), event(whole, name)["count"], name)

    def assert_a_command_sets_the_duration(self, *options):
        with tempfile.TemporaryDirectory() as directory:
            result, document = stat_json(directory, "-e", "page-faults:u", *options, "--", "sh", "-c", "exit 4")
        self.assertEqual(result.code, 4, result.stderr)
        self.assertEqual(event(document, "page-faults:u")["status"], "counted")

    def test_a_command_sets_how_long_a_process_is_watched(self):
        self.assert_a_command_sets_the_duration("-p", os.getpid())

    @needs_kernel_counts
    def test_a_command_sets_how_long_every_cpu_is_watched(self):
        self.assert_a_command_sets_the_duration("-a")


if __name__ == "__main__":
    unittest.main()
