"""Bad input: one clear error with the subject, the cause and the remedy, before anything runs."""
import json
import os
import shutil
import threading
import unittest

from tacho_cli import RPISTAT, TACHO, Scratch, for_everyone, needs_mount, run, sanitized, without_proc


class BadInput(Scratch):
    def write(self, name, text, mode=0o644):
        path = self.directory / name
        path.write_text(text)
        path.chmod(mode)
        return str(path)

    def check(self, args, code, what, remedy, **options):
        """Expects one error with these two texts, nothing on stdout, and a workload that did not run."""
        result = run(*args, cwd=self.directory, **options)
        self.assertEqual((result.code, result.stdout), (code, ""), result.stderr)
        self.assertEqual(result.stderr.count("tacho: error: "), 1, result.stderr)
        error, _, rest = result.stderr.partition("\n")
        self.assertIn(what, error)
        self.assertIn(remedy, rest)
        self.assertFalse((self.directory / "ran").exists(), "the workload ran")

    def test_unknown_event_gives_the_nearest_names(self):
        for typed, near in (("page-fautls", "page-faults"), ("cycels", "cycles"), ("contextswitches", "context-switches")):
            with self.subTest(typed):
                self.check(["stat", "-e", f"task-clock,{typed}", "--", "touch", "ran"], 125,
                           f"unknown event '{typed}'", f"'{near}'")

    @unittest.skipIf(os.uname().machine != "x86_64", "a core of ARM may have it")
    def test_the_error_for_an_event_of_simulations_only_names_the_simulation(self):
        self.check(["stat", "-e", "dtlb_walk", "--", "touch", "ran"], 125, "unknown event 'dtlb_walk'",
                   "--pmu simulated counts it")

    def test_malformed_event_lists(self):
        for events in ("{page-faults", "page-faults}", "page-faults:q", "nosuchpmu/event=1/", ""):
            with self.subTest(events):
                result = run("stat", "-e", events, "--", "touch", "ran", cwd=self.directory)
                self.assertEqual((result.code, result.stdout), (125, ""), result.stderr)
                self.assertRegex(result.stderr, "^tacho: error: .+\n")
                self.assertFalse((self.directory / "ran").exists())

    def test_no_command(self):
        self.check(["stat"], 125, "no command to measure", "tacho stat")
        self.check(["stat", "--"], 125, "no command to measure", "tacho stat")
        self.check(["stat", "--", ""], 125, "command's name is empty", "tacho stat")

    def test_command_not_found_is_127(self):
        self.check(["stat", "--", "no-such-command"], 127, "'no-such-command': command not found", "PATH")
        self.check(["stat", "--", "./gone"], 127, "'./gone': command not found", "spelling")
        self.check(["stat", "--", "sh"], 127, "'sh': command not found", "PATH", env={"PATH": str(self.directory)})

    def test_command_that_cannot_run_is_126(self):
        self.write("plain", "#!/bin/sh\ntouch ran\n")
        self.write("no-interpreter", "#!/no/such/interpreter\ntouch ran\n", 0o755)
        self.check(["stat", "--", "./plain"], 126, "cannot run './plain': Permission denied (EACCES)", "chmod +x")
        self.check(["stat", "--", "./no-interpreter"], 126, "the interpreter that it names is missing", "first line")
        self.check(["stat", "--", "no-interpreter"], 126, "the interpreter that it names is missing", "first line",
                   env={"PATH": f"{self.directory}:{os.environ['PATH']}"})
        for command in (".", "./plain/x", "x" * 300):
            with self.subTest(command):
                self.check(["stat", "--", command], 126, f"cannot run '{command}'", "")
        self.check(["stat", "--", "."], 126, "cannot run '.'", "it is a directory: give a program in it")
        busy = self.write("busy", "", 0o755)
        with open(busy, "a"):
            self.check(["stat", "--", "./busy"], 126, "cannot run './busy': Text file busy (ETXTBSY)", "")

    @needs_mount
    def test_the_error_for_a_program_on_a_noexec_file_system_names_no_missing_permission(self):
        (self.directory / "disk").mkdir()
        script = 'mount -t tmpfs -o noexec none disk && cp /bin/true disk && exec "$@" ./disk/true'
        result = run("-m", "sh", "-c", script, "sh", str(TACHO), "stat", "--", cwd=self.directory, program="unshare")
        self.assertEqual(result.code, 126)
        self.assertIn("cannot run './disk/true': Permission denied (EACCES)", result.stderr)
        self.assertIn("remedy: its file system is mounted noexec", result.stderr)

    def test_a_script_without_a_first_line_runs_as_in_a_shell(self):
        self.write("bare", "echo through the shell; exit 3\n", 0o755)
        result = run("stat", "--", "./bare", cwd=self.directory)
        self.assertEqual((result.code, result.stdout), (3, "through the shell\n"))

    def test_set_files(self):
        good = 'description = "d"\nevents = ["page-faults"]\n'
        for name, text, what, remedy in (
                ("syntax.toml", 'description = "d"\nevents = ["page-faults"\nx', "syntax.toml:", "toml"),
                ("key.toml", good + 'colour = "red"\n', "key.toml:3: unknown key 'colour'",
                 "description, events, simulated, optional, metrics"),
                ("event.toml", 'description = "d"\nevents = ["page-fautls"]\n', "./event.toml:2: unknown event 'page-fautls'",
                 "page-faults"),
                ("modifier.toml", 'events = [\n"task-clock",\n"cycles:q"]\n', "./modifier.toml:3: event 'cycles:q'", "modifiers"),
                ("metric.toml", good + 'metrics = ["No such metric"]\n', "metric.toml:3: ", "")):
            with self.subTest(name):
                self.write(name, text)
                self.check(["stat", "-S", f"./{name}", "--", "touch", "ran"], 125, what, remedy)
        self.check(["stat", "-S", "./gone.toml", "--", "touch", "ran"], 125,
                   "cannot open './gone.toml': No such file or directory (ENOENT)", "check its name")
        self.check(["stat", "-S", "./", "--", "touch", "ran"], 125, "Is a directory (EISDIR)", "check its name")
        self.check(["stat", "-S", "nosuch", "--", "touch", "ran"], 125, "no event set 'nosuch'",
                   "branch, cache, default, energy, rpistat, stalls, tlb, why")

    def test_a_users_metrics_are_read_before_the_launch(self):
        self.write("metrics.toml", '[[metric]]\nname = "mine"\nformula = "page-faults /"\n')
        for words in (["-e", "page-faults"], ["-S", "default"], []):
            with self.subTest(words):
                self.check(["stat", *words, "--", "touch", "ran"], 125, "metrics.toml:3: formula 'page-faults /' of metric 'mine'",
                           "numbers", env={"TACHO_DATA": str(self.directory)})

    def test_an_installation_without_its_metrics_still_counts(self):
        (self.directory / "bin").mkdir()
        shutil.copy(TACHO, self.directory / "bin" / "tacho")
        shutil.copytree(TACHO.parent.parent / "share" / "tacho", self.directory / "share" / "tacho")
        metrics = self.directory / "share" / "tacho" / "metrics.toml"
        metrics.chmod(0o644)
        metrics.write_text("[[metric]]\nname = 1\n")
        result = run("stat", "-e", "page-faults", "--json", "-o", "out.json", "--", "sh", "-c", "exit 3", cwd=self.directory,
                     program=self.directory / "bin" / "tacho")
        self.assertEqual((result.code, result.stderr), (3, ""))
        document = json.loads((self.directory / "out.json").read_text())
        self.assertGreater(document["events"][0]["count"], 0)
        self.assertEqual(document["metrics"], [])
        self.assertRegex(" ".join(document["warnings"]), r"no metrics: .*share/tacho/metrics.toml:2: 'name' is not a text")

    @unittest.skipIf(os.geteuid() == 0 and not os.access("/usr/bin/setpriv", os.X_OK),
                     "root reads every file, and there is no setpriv to become another user")
    def test_unreadable_set_file(self):
        self.write("secret.toml", 'events = ["page-faults"]\n', 0o000)
        self.directory.chmod(0o755)
        unprivileged = (lambda: (os.setgroups([]), os.setgid(65534), os.setuid(65534))) if os.geteuid() == 0 else None
        self.check(["stat", "-S", "./secret.toml", "--", "touch", "ran"], 125,
                   "cannot open './secret.toml': Permission denied (EACCES)", "",
                   program=for_everyone(self.directory), preexec_fn=unprivileged)

    def test_options(self):
        for args, what in ((["bogus"], "unknown subcommand 'bogus'"),
                           ([], "subcommand is required"),
                           (["stat", "--bogus", "--", "touch", "ran"], "--bogus"),
                           (["stat", "-z", "touch", "ran"], "-z"),
                           (["list", "--bogus"], "unknown option '--bogus'"),
                           (["stat", "--jsn", "touch", "ran"], "unknown option '--jsn'"),
                           (["doctor", "extra"], "unexpected argument 'extra'"),
                           (["stat", "-r", "0", "--", "touch", "ran"], "--repeat: '0' is not a whole decimal number from 1 to 1000000"),
                           (["stat", "--period", "0", "touch", "ran"], "--period: '0' is not a decimal number from 0.1 to 60000"),
                           (["stat", "-e"], "--event needs a value: EVENTS"),
                           (["report", "--json", "--csv"], "only one of --json, --csv, "),
                           (["report", "--callers", "a", "--callees", "b"], "--callers does not go with --callees"),
                           (["blocks", "--csv", "--compare", "x"], "--compare does not go with --csv"),
                           (["report", "--sort", "size"], "--sort: 'size' is none of module, function, line, instruction"),
                           (["latency", "--pages", "giant"], "--pages: 'giant' is none of small, huge, both"),
                           (["stat", "--json=foo", "touch", "ran"], "--json does not take 'foo'"),
                           (["report", "--limit", "-1"], "--limit: '-1' is not a whole decimal number from 0"),
                           (["blocks", "-n", "-1"], "--limit: '-1' is not a whole decimal number from 0"),
                           (["stat", "-I", "x", "--", "touch", "ran"], "--interval"),
                           (["stat", "-I", "nan", "touch", "ran"], "--interval: 'nan' is not a decimal number from 1 to"),
                           (["stat", "--period", "-nan", "touch", "ran"], "--period: '-nan' is not a decimal number"),
                           (["stat", "--report", "rpistat", "--period", "nan", "touch", "ran"], "--period: 'nan' is not a decimal number"),
                           *((["stat", option, value, "touch", "ran"], f"{option}: '{value}' is not a decimal number from ")
                             for option in ("--interval", "--period") for value in ("0", "-1", "inf", "-inf", "1e300")),
                           (["record", "-F", "nan", "touch", "ran"], "--freq"),
                           (["record", "-c", "inf", "touch", "ran"], "--count"),
                           (["stat", "-p", "0"], "--pid"),
                           (["stat", "-r", "0x2", "touch", "ran"], "--repeat: '0x2' is not a whole decimal number"),
                           (["stat", "-I", "0x10", "touch", "ran"], "--interval: '0x10' is not a decimal number"),
                           (["stat", "-r", "-010", "touch", "ran"], "--repeat: '-010' is not a whole decimal number from 1 "),
                           (["latency", "--cpu", "09000"], "--cpu: '09000' is not a whole decimal number from 0 to 8191"),
                           (["record", "-c", "00", "touch", "ran"], "--count: '00' is not a whole decimal number from 1 "),
                           (["stat", "--counters", "-1", "touch", "ran"], "--counters"),
                           (["stat", "--json", "--csv", "touch", "ran"], "--json and --csv exclude each other"),
                           (["stat", "-p", "1", "-a"], "-p, -t, -a and -C exclude each other"),
                           (["stat", "--per-thread", "touch", "ran"], "--per-thread needs -p PID"),
                           (["stat", "-r", "2", "-p", "1"], "-r needs a command"),
                           (["stat", "-r", "2", "-I", "50", "touch", "ran"], "-r and -I exclude each other"),
                           (["stat", "-r", "2", "--per-thread", "-p", "1", "touch", "ran"], "-r and --per-thread exclude each other"),
                           (["stat", "--per-cpu", "touch", "ran"], "--per-cpu (-A) needs -a"),
                           (["stat", "--per-cpu", "-p", "1"], "--per-cpu (-A) needs -a"),
                           (["stat", "-r", "2", "-a", "--per-cpu", "touch", "ran"], "-r and --per-cpu (-A) exclude each other"),
                           (["stat", "-x,", "--json", "touch", "ran"], "-x and -j exclude --json and --csv"),
                           (["stat", "-n", "-d", "touch", "ran"], "-n counts nothing"),
                           (["stat", "-i", "-a"], "-i needs a task"),
                           (["stat", "--per-thread", "-A", "-a"], "--per-thread and --per-cpu (-A) exclude each other"),
                           (["stat", "--container", "a", "-p", "1"], "control groups and containers exclude"),
                           (["stat", "-o", "f", "--series", "f", "touch", "ran"], "would go into the same file"),
                           (["stat", "--pmu", "magic", "touch", "ran"], "no PMU of the kind 'magic'")):
            with self.subTest(args):
                self.check(args, 125, what, "remedy: ")
        self.assertIn("remedy: did you mean '--json'", run("stat", "--jsn", "touch", "ran").stderr)
        self.assertIn("remedy: see 'tacho list --help'\n", run("list", "-z").stderr)
        self.check(["--perod", "5", "touch", "ran"], 125, "unknown option '--perod'", "did you mean '--period'?",
                   program=RPISTAT)
        self.check(["-z", "touch", "ran"], 125, "unknown option '-z'", "see 'rpistat --help'", program=RPISTAT)
        self.assertIn("remedy: see 'tacho stat --help'\n", run("stat", "-r", "0", "touch", "ran").stderr)

    def test_options_behind_the_command_are_its_own(self):
        result = run("stat", "-o", "/dev/null", "echo", "--json", "-r", "3", "--", "-o", "x")
        self.assertEqual((result.code, result.stdout), (0, "--json -r 3 -- -o x\n"), result.stderr)

    def test_missing_process(self):
        self.check(["stat", "-p", "4194304"], 125, "cannot watch process 4194304", "'ps' lists them")

    def test_a_thread_is_not_a_process(self):
        done = threading.Event()
        thread = threading.Thread(target=done.wait)
        thread.start()
        try:
            for command in (["stat"], ["record", "-o", "r"]):
                for workload in ([], ["touch", "ran"]):
                    with self.subTest(command=command, workload=workload):
                        self.check([*command, "-p", thread.native_id, *workload], 125,
                                   f"{thread.native_id} is a thread of process {os.getpid()}", f"-p {os.getpid()}\n")
        finally:
            done.set()
            thread.join()

    @needs_mount
    @unittest.skipIf(sanitized(), "the leak sanitizer needs /proc")
    def test_a_thread_is_not_a_process_without_proc(self):
        done = threading.Event()
        thread = threading.Thread(target=done.wait)
        thread.start()
        try:
            result = run(*without_proc(TACHO, "stat", "-e", "page-faults", "-p", thread.native_id)[1:], program="unshare")
        finally:
            done.set()
            thread.join()
        self.assertEqual(result.code, 125, result.stderr)
        self.assertIn(f"cannot watch process {thread.native_id}", result.stderr)

    def test_no_command_or_two_targets(self):
        self.check(["stat"], 125, "no command to measure", "or -p PID, or -a")
        result = run(program=RPISTAT)
        self.assertEqual(result.code, 125)
        self.assertIn("remedy: rpistat [OPTIONS] -- COMMAND", result.stderr)
        self.assertNotIn("-p", result.stderr)  # it has none


if __name__ == "__main__":
    unittest.main()
