"""The output for an unprivileged user under kernel.perf_event_paranoid: names give the mode that is counted, events
that are not counted have a reason and a remedy, and a zero always is a count."""
import json
import os
import pathlib
import resource
import shutil
import struct
import subprocess
import sys
import unittest

from stand_in_valgrind import StandIn
from tacho_cli import (
    PERF_EVENT_OPEN, Scratch, event, for_everyone, forbidding, needs_mount, run, sanitized, stat_json, without_proc, workload)

LEVEL = pathlib.Path("/proc/sys/kernel/perf_event_paranoid")
NOBODY = 65534


def become_nobody():
    os.setgroups([])
    os.setgid(NOBODY)
    os.setuid(NOBODY)


@unittest.skipUnless(os.geteuid() == 0 and os.access(LEVEL, os.W_OK),
                     "needs root, to set kernel.perf_event_paranoid and to become another user")
class Permissions(Scratch):
    def setUp(self):
        super().setUp()
        self.directory.chmod(0o777)
        self.tacho = for_everyone(self.directory)
        self.addCleanup(LEVEL.write_text, LEVEL.read_text())

    def measure(self, level, *args):
        LEVEL.write_text(f"{level}\n")
        result, document = stat_json(self.directory, *args, "--", "true", program=self.tacho, preexec_fn=become_nobody)
        self.assertEqual(result.code, 0, result.stderr)
        return document

    def assert_refused(self, entry, level):
        self.assertEqual((entry["count"], entry["estimate"], entry["ci95"]), (None, None, None))
        self.assertIn(entry["status"], ("unsupported", "failed"))
        self.assertIn(f"kernel.perf_event_paranoid = {level}", entry["reason"])
        self.assertIn("sysctl kernel.perf_event_paranoid=", entry["remedy"])

    def test_level_1_counts_kernel_mode(self):
        document = self.measure(1, "-e", "page-faults,context-switches")
        self.assertEqual([(e["name"], e["status"]) for e in document["events"]],
                         [("page-faults", "counted"), ("context-switches", "counted")])
        self.assertEqual(document["warnings"], [])

    def test_level_2_counts_user_mode_only_with_a_warning(self):
        document = self.measure(2, "-e", "page-faults,context-switches")
        faults = event(document, "page-faults:u")
        self.assertEqual(faults["status"], "counted")
        self.assertGreater(faults["count"], 0)
        self.assert_refused(event(document, "context-switches"), 2)
        self.assertEqual(len(document["warnings"]), 1, document["warnings"])
        self.assertIn("kernel mode is not counted (kernel.perf_event_paranoid = 2)", document["warnings"][0])

    def test_level_2_samples_user_mode_only_with_a_warning(self):
        LEVEL.write_text("2\n")
        recording = self.directory / "perf.data"
        result = run("record", "-o", recording, "--", "true", program=self.tacho, preexec_fn=become_nobody)
        self.assertEqual(result.code, 0, result.stderr)
        self.assertIn("of cpu-clock:u in", result.stderr)
        self.assertIn("kernel mode is not sampled (kernel.perf_event_paranoid = 2)", result.stderr)

    def test_requested_user_mode_needs_no_warning(self):
        for name in ("task-clock", "page-faults:u"):
            with self.subTest(name):
                document = self.measure(2, "-e", name)
                self.assertEqual((document["events"][0]["name"], document["events"][0]["status"]), (name, "counted"))
                self.assertEqual(document["warnings"], [])

    def test_level_3_follows_the_kernel(self):
        """Kernels with Debian's patch forbid everything; the others have no level above 2."""
        document = self.measure(3, "-e", "page-faults,context-switches")
        faults, switches = document["events"]
        self.assert_refused(switches, 3)
        if faults["status"] == "counted":
            self.assertEqual(faults["name"], "page-faults:u")
            self.assertGreater(faults["count"], 0)
            perf = shutil.which("perf") and subprocess.run(
                ["perf", "stat", "-x,", "-e", "page-faults:u", "true"], preexec_fn=become_nobody, capture_output=True, text=True)
            if perf:
                self.assertGreater(int(perf.stderr.split(",")[0]), 0, "perf agrees that it counts here")
        else:
            self.assert_refused(faults, 3)

    def test_processes_and_cpus_that_the_user_may_not_watch(self):
        LEVEL.write_text("2\n")
        for target, remedy in ((["-p", "1"], "owner of the process, as root or with CAP_PERFMON"),
                               (["-a"], "CAP_PERFMON")):
            with self.subTest(target):
                result = run("stat", "-e", "page-faults", *target, program=self.tacho, preexec_fn=become_nobody)
                self.assertEqual((result.code, result.stdout), (125, ""))
                self.assertRegex(result.stderr, r"\Atacho: error: .*(EACCES|EPERM)")
                self.assertIn(remedy, result.stderr)

    def test_doctor_names_the_level_and_the_remedy(self):
        LEVEL.write_text("2\n")
        finding = next(f for f in run("doctor", "--json", program=self.tacho, preexec_fn=become_nobody).json()["findings"]
                       if f["name"] == "perf_event_paranoid")
        self.assertEqual(finding["status"], "warning")
        self.assertIn("sysctl kernel.perf_event_paranoid=1", finding["remedy"])

    @unittest.skipIf(sanitized(), "the leak sanitizer forks")
    def test_the_error_for_too_many_processes_gives_the_limit_to_raise(self):
        def become_limited():
            os.setgroups([])
            resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
            os.setuid(NOBODY - 1234)  # who has none but this
        result = run("stat", "--", "true", program=self.tacho, preexec_fn=become_limited)
        self.assertEqual(result.code, 125, result.stderr)
        self.assertIn("cannot start a process for the workload", result.stderr)
        self.assertRegex(result.stderr, r"remedy: raise 'ulimit -u', or pids.max")

    @needs_mount
    @unittest.skipIf(sanitized(), "the leak sanitizer needs /proc")
    def test_without_proc_the_level_is_found_by_trying(self):
        LEVEL.write_text("2\n")
        become = "import os, sys; os.setgroups([]); os.setgid(65534); os.setuid(65534); os.execv(sys.argv[1], sys.argv[1:])"
        words = [sys.executable, "-c", become, self.tacho]
        result = run(*without_proc(*words, "stat", "--json", "-e", "page-faults", "true")[1:], program="unshare")
        self.assertEqual(result.code, 0, result.stderr)
        document = result.json()
        self.assertGreater(event(document, "page-faults:u")["count"], 0)
        self.assertIn("kernel mode is not counted", document["warnings"][0])

    @needs_mount
    def test_without_proc_the_doctor_reports_unknown_values(self):
        result = run(*without_proc(self.tacho, "doctor", "--json")[1:], program="unshare")
        findings = {finding["name"]: finding for finding in result.json()["findings"]}
        for name in ("perf_event_paranoid", "NMI watchdog", "virtualisation", "steal time"):
            with self.subTest(name):
                self.assertEqual(findings[name]["status"], "warning")
                self.assertRegex(findings[name]["detail"], r"\Aunknown: /proc/\S+ can't be read\Z")
                self.assertIn("/proc", findings[name]["remedy"])

    @needs_mount
    def test_without_sysfs_the_doctor_finds_no_pmu(self):
        result = run("-m", "sh", "-c", 'mount -t tmpfs none /sys && exec "$0" doctor --json', self.tacho, program="unshare")
        found = result.json()["findings"][0]
        self.assertEqual((found["name"], found["status"]), ("hardware PMU", "warning"))
        self.assertEqual(found["detail"], "unknown: /sys/bus/event_source/devices can't be read")
        self.assertIn("sysfs", found["remedy"])

    @needs_mount
    @unittest.skipIf(sanitized(), "the leak sanitizer needs /proc")
    def test_without_proc_the_installed_data_are_found(self):
        link = self.tacho.parent / "rpistat"
        link.symlink_to("tacho")
        for called in (f"{self.directory}/public/bin/tacho stat", "public/bin/tacho stat", "public/bin/rpistat"):
            with self.subTest(called):
                result = run(*without_proc(*called.split(), "true")[1:], program="unshare", cwd=self.directory)
                self.assertEqual(result.code, 0, result.stderr)


@unittest.skipUnless(os.geteuid() == 0, "needs root, to become another user and to make a program set-user-ID")
class EventsTakenAway(Scratch):
    """The kernel ends the events of a user who executes a program that he may not look into. Its CPU time is the truth:
    the workload uses 60 ms of it."""
    WHY = "the kernel took the events away when the command executed its program: "

    def setUp(self):
        super().setUp()
        if os.statvfs(self.directory).f_flag & os.ST_NOSUID:
            self.skipTest(f"set-user-ID has no effect in {self.directory} (nosuid)")
        self.directory.chmod(0o777)
        self.tacho = for_everyone(self.directory)
        self.program = pathlib.Path(shutil.copy(workload("two_functions"), self.directory / "program"))

    def run_as_nobody(self, *args):
        return run(*args, program=self.tacho, preexec_fn=become_nobody, cwd=self.directory)

    def command(self):
        return ["--", "./program", "60", "50"]

    def document(self, *args):
        """What `tacho stat --json` says of the command."""
        result = self.run_as_nobody("stat", "--json", "-o", "stat.json", *args)
        self.assertEqual(result.code, 0, result.stderr)
        return json.loads((self.directory / "stat.json").read_text())

    def assert_null(self, entry, cause):
        self.assertEqual((entry["count"], entry["estimate"], entry["ci95"], entry["status"]), (None, None, None, "failed"))
        self.assertEqual(entry["reason"], f"{self.WHY}'./program' {cause}")
        self.assertEqual(entry["remedy"], "run tacho as root, or count every CPU as root: -a")

    def test_each_way_to_change_the_user_is_named(self):
        def unreadable():
            self.program.chmod(0o711)

        def set_user():
            self.program.chmod(0o4755)

        def set_group():
            self.program.chmod(0o2755)

        def capable():
            self.program.chmod(0o755)
            net_raw, effective, revision_2 = 1 << 13, 1, 0x02000000
            os.setxattr(self.program, "security.capability",
                        struct.pack("<5I", revision_2 | effective, net_raw, 0, 0, 0))
        for change, cause in ((unreadable, "may be executed, but not read"), (set_user, "is set-user-ID"),
                              (set_group, "is set-group-ID"), (capable, "has file capabilities")):
            with self.subTest(cause):
                change()
                document = self.document("-e", "task-clock,page-faults:u", *self.command())
                self.assertGreater(document["user_s"] + document["system_s"], 0.05)
                for entry in document["events"]:
                    self.assert_null(entry, cause)

    def test_every_format_says_so(self):
        self.program.chmod(0o711)
        repeated = self.document("-r", "2", "-e", "task-clock", *self.command())
        self.assert_null(repeated["events"][0], "may be executed, but not read")
        turned = self.document("--counters", "1", "-e", "task-clock,page-faults:u,minor-faults:u", *self.command())
        for entry in turned["events"]:
            self.assert_null(entry, "may be executed, but not read")
        text = self.run_as_nobody("stat", "-e", "task-clock", *self.command())
        self.assertIn("may be executed, but not read", " ".join(text.stderr.split()))
        self.assertNotRegex(text.stderr, r"\d ms +task-clock")
        csv = self.run_as_nobody("stat", "--csv", "-e", "task-clock", *self.command())
        self.assertRegex(csv.stdout, r"(?m)^event,task-clock,failed,,,,")

    def test_a_program_below_the_command_is_missed_and_said(self):
        shutil.copy(self.program, self.directory / "own")
        self.program.chmod(0o4711)
        script = ["--", "sh", "-c", "./own 60 50; ./own 60 50; ./program 60 50"]  # a third of the time is not counted
        counted = self.document("-e", "task-clock", *script)
        self.assertEqual(counted["events"][0]["status"], "counted")
        for said in (counted["warnings"], self.run_as_nobody("record", *script).stderr.splitlines()):
            self.assertTrue(any("the events were on for" in line and "CPU time" in line for line in said), said)

    def test_intervals_show_nothing_that_was_not_counted(self):
        self.program.chmod(0o711)
        words = ["--", "./program", "150", "50"]
        lines = self.run_as_nobody("stat", "-I", "40", "-e", "task-clock", *words)
        self.assertIn("may be executed, but not read", lines.stderr)
        self.assertNotRegex(lines.stderr, r"(?m)^ +\d+\.\d+ +[\d.]+ (ms)? .*task-clock")

    def test_a_shell_that_executes_it_at_the_end(self):
        self.program.chmod(0o711)
        entry = self.document("-e", "task-clock", "--", "sh", "-c", "./program 60 50; true")["events"][0]
        self.assertIsNone(entry["count"])
        self.assertIn("a program with more privileges, or one that may not be read", entry["reason"])

    def test_a_recording_says_why_it_is_empty(self):
        self.program.chmod(0o711)
        result = self.run_as_nobody("record", "-o", "r.data", *self.command())
        self.assertEqual(result.code, 0, result.stderr)
        self.assertRegex(result.stderr, r"only 0\.\d+ s of the command's 0\.\d+ s of CPU time were sampled: " +
                         f"{self.WHY}'./program' may be executed, but not read")

    def test_root_keeps_the_events(self):
        self.program.chmod(0o711)
        document = stat_json(self.directory, "-e", "task-clock", *self.command(), cwd=self.directory)[1]
        self.assertEqual(document["events"][0]["status"], "counted")
        self.assertGreater(document["events"][0]["count"], 5e7)


@unittest.skipUnless(os.geteuid() == 0, "needs root, to become another user")
class Umask(Scratch):
    def test_a_simulation_without_access_to_its_own_directory_is_refused(self):
        self.directory.chmod(0o777)
        stand_in = StandIn(self.directory)
        (self.directory / "tmp").chmod(0o777)

        def restrict():
            become_nobody()
            os.umask(0o777)
        result = run("stat", "--pmu", "simulated", "--", "true", env=stand_in.env, program=for_everyone(self.directory),
                     preexec_fn=restrict)
        self.assertEqual(result.code, 125)
        self.assertRegex(result.stderr, "the umask leaves this user no right to '.*'\n +remedy: umask 077")
        self.assertEqual(stand_in.left_behind(), [])


@unittest.skipUnless(PERF_EVENT_OPEN, "the number of perf_event_open is not known here")
class Sandbox(Scratch):
    """Like a container: perf_event_open fails with EPERM, for root, too."""
    def in_sandbox(self, *args):
        try:
            return run(*args, cwd=self.directory, preexec_fn=forbidding(PERF_EVENT_OPEN))
        except subprocess.SubprocessError:
            self.skipTest("this kernel has no seccomp filters")

    def test_the_error_does_not_say_that_the_users_own_command_belongs_to_another_user(self):
        refused = self.in_sandbox("stat", "--json", "-e", "page-faults:u", "--", "true").json()["events"][0]
        self.assertIn("perf_event_open is forbidden here", refused["reason"])
        self.assertNotIn("watch", refused["reason"])
        self.assertIn("--cap-add PERFMON", refused["remedy"])
        recorded = self.in_sandbox("record", "--", "true")
        self.assertEqual(recorded.code, 125)
        self.assertIn("perf_event_open is forbidden here", recorded.stderr)

    def test_the_doctor_does_not_say_that_tacho_counts(self):
        self.assertTrue(self.in_sandbox("doctor").stdout.startswith("tacho can count nothing here (perf_event)\n"))
        self.assertEqual(self.in_sandbox("doctor", "--json").json()["pmu"]["kind"], "none")


if __name__ == "__main__":
    unittest.main()
