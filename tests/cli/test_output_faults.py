"""Faults of tacho's outputs: missing directories, full disks, closed descriptors, readers that go away, few
descriptors, a locale that does not exist."""
import contextlib
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import unittest

from tacho_cli import TACHO, Scratch, event, example, needs_kernel_counts, needs_mount, needs_simulator, run, sanitized, start, stat_json

SOFTWARE = ("page-faults,minor-faults,major-faults,context-switches,cpu-migrations,task-clock,cpu-clock,"
            "alignment-faults,emulation-faults,dummy,page-faults:u,page-faults:k,minor-faults:u,minor-faults:k,"
            "major-faults:u,major-faults:k,task-clock:u,cpu-clock:u,alignment-faults:u,emulation-faults:u")


def limit(descriptors):
    return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors))


@contextlib.contextmanager
def threads(number):
    """The pid of a process with `number` threads besides its first one. All threads sleep."""
    program = ("import threading\n"
               f"for _ in range({number}): threading.Thread(target=threading.Event().wait, daemon=True).start()\n"
               "print('ready', flush=True); input()")
    process = subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        process.stdout.readline()
        yield process.pid
    finally:
        process.kill()
        process.communicate()


def fill_disk(directory, blocks):
    """Makes `old/`, which has one file of so many blocks."""
    (directory / "old").mkdir(exist_ok=True)
    (directory / "old" / "fill").write_bytes(b"x" * 4096 * blocks)


def on_small_disk(directory, size, *args):
    """Runs tacho with a file system of this size in `disk/` of the directory, which has the files of
    `old/`. Its files are in `kept/` afterwards."""
    (directory / "disk").mkdir()
    script = (f'mount -t tmpfs -o size={size} none disk && {{ [ ! -d old ] || cp -r old/. disk; }} && '
              '{ "$@"; status=$?; cp -r disk kept; exit $status; }')
    return subprocess.run(["unshare", "-m", "sh", "-c", script, "sh", str(TACHO), *args], cwd=directory,
                          capture_output=True, text=True, timeout=60)


class OutputFaults(Scratch):
    def test_a_hyphen_is_standard_output(self):
        self.assertIn("task-clock", run("stat", "-o", "-", "--", "true", cwd=self.directory).stdout)
        series = run("stat", "--series", "-", "-o", os.devnull, "--", "true", cwd=self.directory).stdout
        self.assertIn("end", [json.loads(line) for line in series.splitlines()][-1])
        page = run("stat", "--html", "-", "-o", os.devnull, "--", "true", cwd=self.directory)
        self.assertTrue(page.stdout.startswith("<!DOCTYPE html>"))
        self.assertEqual(page.stderr, "")
        refused = run("stat", "--report", "rpistat", "-o", "-", "--", "true", cwd=self.directory)
        self.assertEqual(refused.code, 125)
        self.assertIn("in a file beside it", refused.stderr)
        self.assertEqual(os.listdir(self.directory), [])

    def test_a_file_that_can_t_be_written_is_an_error_before_the_workload_runs(self):
        (self.directory / "kept").write_text("old\n")
        for option in ("-o", "--series"):
            for path, reason in (("gone/x", "No such file or directory (ENOENT)"), (".", "Is a directory (EISDIR)"),
                                 ("kept/x", "Not a directory (ENOTDIR)")):
                with self.subTest(option=option, path=path):
                    result = run("stat", option, path, "--", "touch", "ran", cwd=self.directory)
                    self.assertEqual((result.code, result.stdout), (125, ""))
                    self.assertRegex(result.stderr, rf"\Atacho: error: cannot write '{path}': ")
                    self.assertIn(reason, result.stderr)
                    self.assertIn("remedy: ", result.stderr)
                    self.assertFalse((self.directory / "ran").exists())

    def test_a_command_that_cannot_run_leaves_the_old_result(self):
        (self.directory / "out").write_text("old\n")
        self.assertEqual(run("stat", "-o", "out", "--", "no-such-command", cwd=self.directory).code, 127)
        self.assertEqual((self.directory / "out").read_text(), "old\n")

    def test_files_without_content_are_removed(self):
        for args in (["-o", "n.txt", "--series", "n.jsonl"], ["-o", "n.txt", "--series", "gone/n.jsonl"],
                     ["--report", "rpistat"]):
            with self.subTest(args):
                self.assertNotEqual(run("stat", *args, "--", "no-such-command", cwd=self.directory).code, 0)
                self.assertEqual(list(self.directory.iterdir()), [])

    def test_one_file_under_two_names_is_refused_before_the_workload_runs(self):
        (self.directory / "old").write_text("old\n")
        (self.directory / "link").symlink_to("old")
        (self.directory / "hard").hardlink_to(self.directory / "old")
        report = ["--report", "rpistat"]
        for args in (["-o", "out", "--series", "./out"], ["-o", "link", "--series", "old"], ["-o", "hard", "--series", "old"],
                     [*report, "--series", "rpistat.data"], [*report, "-o", "r.txt", "--series", self.directory / "r.data"]):
            with self.subTest(args):
                result = run("stat", *args, "--", "touch", "ran", cwd=self.directory)
                self.assertEqual(result.code, 125)
                self.assertEqual(result.stderr.count("tacho: error: "), 1, result.stderr)
                self.assertIn("would go into the same file", result.stderr)
                self.assertIn("remedy: ", result.stderr)
        self.assertEqual(sorted(path.name for path in self.directory.iterdir()), ["hard", "link", "old"])
        self.assertEqual((self.directory / "old").read_text(), "old\n")
        devices = run("stat", "-o", "/dev/null", "--series", "/dev/null", "--", "true")
        self.assertEqual(devices.code, 0, devices.stderr)

    def test_two_do_not_write_one_file(self):
        for option, name in (("-o", "out"), ("--series", "s.jsonl"), ("--html", "page.html")):
            with self.subTest(option):
                words = ["stat", *(["-o", "/dev/null"] if option != "-o" else []), option, name, "--"]
                outer = run(*words, TACHO, *words, "touch", "ran", cwd=self.directory)
                self.assertEqual(outer.code, 125)
                self.assertEqual(outer.stderr.count(f"tacho: error: cannot write '{name}': another program is writing it\n"
                                                    "       remedy: wait until it ends, or give"), 1, outer.stderr)
                self.assertEqual(os.listdir(self.directory), [name])
                self.assertGreater((self.directory / name).stat().st_size, 0)
                again = run(*words, "true", cwd=self.directory)  # the lock was released
                self.assertEqual(again.code, 0, again.stderr)
                (self.directory / name).unlink()
        words = ["stat", "-o", "out.%p", "--"]
        self.assertEqual(run(*words, TACHO, *words, "true", cwd=self.directory).code, 0)
        self.assertEqual(len(os.listdir(self.directory)), 2)
        with open(self.directory / "appended", "a") as appended:  # the shell opened the file: no lock
            words = ["stat", "-o", "/dev/stdout", "-e", "page-faults", "--"]
            subprocess.run([TACHO, *words, TACHO, *words, "true"], stdout=appended, check=True, timeout=60)
        self.assertEqual(len(re.findall(r"(?m)^ +\d+ +page-faults", (self.directory / "appended").read_text())), 2)

    def test_help_and_version_that_can_t_be_printed_are_an_error(self):
        for words in (["--version"], ["--help"], ["stat", "--help"]):
            with self.subTest(words), open("/dev/full", "w") as full:
                result = subprocess.run([TACHO, *words], stdout=full, stderr=subprocess.PIPE, text=True)
                self.assertEqual(result.returncode, 125)
                self.assertEqual(result.stderr, "tacho: error: cannot write 'standard output': "
                                                "No space left on device (ENOSPC)\n"
                                                "       remedy: make room on the disk, or use another one\n")

    @needs_kernel_counts
    def test_a_result_that_can_t_be_written_goes_to_stderr(self):
        result = run("stat", "--json", "-o", "/dev/full", "-e", "page-faults", "--", "sh", "-c", "echo it ran")
        self.assertEqual((result.code, result.stdout), (125, "it ran\n"))
        error, remedy, report = result.stderr.split("\n", 2)
        self.assertEqual(error, "tacho: error: cannot write '/dev/full': No space left on device (ENOSPC)")
        self.assertIn("follows here", remedy)
        self.assertGreater(event(json.loads(report), "page-faults")["count"], 0)

    @needs_kernel_counts
    def test_so_do_intervals_at_once_after_one_error(self):
        said_early = 'until grep -q "cannot write" said; do sleep 0.01; done; echo seen; sleep 0.1'
        for options, row in (([], r"(?m)^ +\d\.\d+ .*\n(.*\n)*.*\d+ +page-faults"), (["-x,"], r"(?m)^ *\d\.\d+,\d+,,page-faults,"),
                             (["--csv"], r"\Atime_s,.*\n\d\.\d+,"), (["--json"], r'(?m)^{.*"interval"')):
            with self.subTest(options), open(self.directory / "said", "w") as said:
                result = subprocess.run([TACHO, "stat", *options, "-I", "20", "-o", "/dev/full", "-e", "page-faults", "--", "sh",
                                         "-c", said_early], cwd=self.directory, stdout=subprocess.PIPE, stderr=said, text=True,
                                        timeout=60)
                errors, follow, rows = (self.directory / "said").read_text().partition("later ones follow here\n")
                self.assertEqual((result.returncode, result.stdout), (125, "seen\n"))
                self.assertTrue(errors.startswith("tacho: error: cannot write '/dev/full': No space left on device (ENOSPC)\n"
                                                  "       remedy: make room"), errors)
                self.assertTrue(follow)
                self.assertNotIn("tacho: ", rows)
                self.assertRegex(rows, row)

    @needs_mount
    def test_a_full_disk_is_an_error_before_the_workload_runs(self):
        fill_disk(self.directory, 4)
        result = on_small_disk(self.directory, "16k", "stat", "-o", "disk/out", "--", "echo", "it ran")
        self.assertEqual((result.returncode, result.stdout), (125, ""))
        self.assertTrue(result.stderr.startswith("tacho: error: cannot write 'disk/out': No space left on device (ENOSPC)\n"))

    @needs_mount
    def test_a_disk_with_little_room_takes_a_short_result(self):
        result = on_small_disk(self.directory, "50k", "stat", "-e", "page-faults", "-o", "disk/out", "--", "true")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("page-faults", (self.directory / "kept" / "out").read_text())

    @needs_mount
    def test_a_result_leaves_room_for_other_files(self):
        result = on_small_disk(self.directory, "64k", "stat", "-e", "page-faults", "-o", "disk/out", "--series", "disk/s.jsonl",
                               "--openmetrics", "disk/x.prom", "--", "true")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual({path.name for path in (self.directory / "kept").iterdir()}, {"out", "s.jsonl", "x.prom"})

    @needs_mount
    def test_a_result_without_room_keeps_the_old_one_and_is_shown(self):
        fill_disk(self.directory, 4)
        (self.directory / "old" / "out").write_text("old\n")
        result = on_small_disk(self.directory, "20k", "stat", "--json", "-o", "disk/out", "--", "true")
        self.assertEqual(result.returncode, 125)
        error, _, report = result.stderr.partition("the result follows here\n")
        self.assertIn("cannot write 'disk/out': No space left on device (ENOSPC)", error)
        self.assertIn("events", json.loads(report))
        self.assertEqual((self.directory / "kept" / "out").read_text(), "old\n")

    @needs_mount
    def test_a_full_disk_keeps_the_old_page(self):
        (self.directory / "old").mkdir()
        for name in ("page.html", "report.json"):
            (self.directory / "old" / name).write_text(f"old {name}\n")
        result = on_small_disk(self.directory, "200k", "stat", "--html", "disk/page.html", "-o", "disk/report.json", "true")
        self.assertEqual(result.returncode, 125)
        self.assertIn("cannot write 'disk/page.html': No space left on device (ENOSPC)", result.stderr)
        self.assertEqual((self.directory / "kept" / "page.html").read_text(), "old page.html\n")
        self.assertIn("task-clock", (self.directory / "kept" / "report.json").read_text())

    def test_an_empty_word_is_no_wish(self):
        for words in (["stat", "--html", "", "true"], ["stat", "-o", "", "true"], ["stat", "--series", "", "true"],
                      ["record", "-o", "", "true"], ["report", "--html", ""], ["compare", "--save", "", "true", "true"],
                      ["latency", "--html", ""], ["regions", "report", "-p", "1", "-o", ""],
                      ["annotate", ""], ["report", ""], ["blocks", ""], ["blocks", "-i", ""],
                      ["report", "-i", ""], ["report", "--callers", ""],
                      ["stat", "-e", "", "true"], ["stat", "-S", "", "true"], ["stat", "-G", ""],
                      ["stat", "--for-each-cgroup", ""], ["stat", "--container", ""], ["stat", "--in-region", "", "true"],
                      ["record", "-e", "", "true"], ["help", ""], ["list", ""], ["compare", "", "true"], ["merge", ""]):
            result = run(*words)
            self.assertEqual(result.code, 125, words)
            self.assertRegex(result.stderr, r"tacho: error: the word after '\S+' is empty\n +remedy: see 'tacho \w+ --help'")
        self.assertIn("'--html=' has no value", run("report", "--html=").stderr)
        # Words of a command may be empty.
        for words in (["stat", "-e", "page-faults", "test", "-z", ""], ["stat", "--", "test", "-z", ""],
                      ["compare", "-r", "1", "--", "test", "-z", "", "---", "test", "-z", ""]):
            self.assertNotIn("is empty", run(*words).stderr, words)

    @needs_mount
    def test_exports_of_a_recording_on_a_full_disk_are_an_error(self):
        made = run("record", "-q", "-g", "-o", self.directory / "perf.data", "--", example("naive"), "200")
        self.assertEqual(made.code, 0, made.stderr)
        ways = ("--json", "--csv", "--folded", "--pprof", "--firefox", "--speedscope", "--limit=1")
        script = ('mount -t tmpfs -o size=8k none disk && cp old/fill disk && for way; do "$0" report -i perf.data $way -o disk/out '
                  '|| echo $? $(ls disk); done')
        fill_disk(self.directory, 2)
        (self.directory / "disk").mkdir()
        result = subprocess.run(["unshare", "-m", "sh", "-c", script, TACHO, *ways], cwd=self.directory, capture_output=True,
                                text=True, timeout=60)
        self.assertEqual(result.stdout, "125 fill\n" * len(ways), "no empty file is left")
        self.assertEqual(result.stderr.count("tacho: error: cannot write 'disk/out': No space left on device (ENOSPC)\n"
                                             "       remedy: make room"), len(ways), result.stderr)

    @needs_mount
    def test_series_on_a_disk_that_fills_up_keeps_its_earlier_lines(self):
        for name in ("s.jsonl", "s.csv"):
            with self.subTest(name):
                shutil.rmtree(self.directory / "disk", ignore_errors=True)
                shutil.rmtree(self.directory / "kept", ignore_errors=True)
                result = on_small_disk(self.directory, "80k", "stat", "--period", "0.1", "--series", f"disk/{name}", "-e",
                                       "page-faults,minor-faults,major-faults,task-clock", "--", example("naive"), "900")
                self.assertEqual(result.returncode, 125, result.stderr)
                self.assertRegex(result.stdout, r"\Anaive: n = 900, checksum [0-9a-f]{16}\n\Z")
                self.assertEqual(result.stderr.count("tacho: error: "), 1, result.stderr)
                self.assertIn(f"cannot write 'disk/{name}': No space left on device (ENOSPC)", result.stderr)
                self.assertRegex(result.stderr, r"\n +\d+ +page-faults")
                kept = (self.directory / "kept" / name).read_text()
                self.assertTrue(kept.endswith("\n"))
                lines = kept.splitlines()
                self.assertGreater(len(lines), 100)
                if name == "s.jsonl":
                    periods = [json.loads(line)["period"] for line in lines[1:]]
                else:
                    self.assertEqual({line.count(",") for line in lines[1:]}, {10})
                    periods = [int(line.split(",")[0]) for line in lines[2::4]]
                self.assertEqual(periods, list(range(len(periods))))

    def test_a_series_that_can_t_be_written_is_an_error_at_once(self):
        with open(self.directory / "said", "w") as said:
            result = subprocess.run([TACHO, "stat", "--series", "/dev/full", "-e", "page-faults", "--", "sh", "-c",
                                     'until grep -q "cannot write" said; do sleep 0.01; done; echo seen'], cwd=self.directory,
                                    stdout=subprocess.PIPE, stderr=said, text=True, timeout=60)
        self.assertEqual((result.returncode, result.stdout), (125, "seen\n"))
        errors = (self.directory / "said").read_text()
        self.assertEqual(errors.count("tacho: error: "), 1, errors)
        self.assertIn("page-faults", errors.partition("what was written before is kept")[2])

    def test_a_limit_on_the_size_of_files_acts_like_a_full_disk(self):
        script = 'ulimit -f 1; "$@"'  # 1 KiB: a few periods fill it
        result = subprocess.run(["bash", "-c", script, "bash", TACHO, "stat", "--series", "s.csv", "--period", "0.1", "-e",
                                 "page-faults,minor-faults", "--counters", "1", "--", example("naive"), "600"],
                                cwd=self.directory, capture_output=True, text=True, timeout=30)
        self.assertEqual(result.returncode, 125, result.stderr)
        self.assertRegex(result.stdout, r"\Anaive: n = 600, checksum [0-9a-f]{16}\n\Z")
        self.assertIn("cannot write 's.csv': File too large (EFBIG)", result.stderr)
        self.assertIn("page-faults", result.stderr)

    def test_a_reader_that_goes_away_does_not_affect_the_workload_and_its_status(self):
        for options, wanted in ((["-I", "50"], 1), (["--json", "-I", "50"], 1), (["--json"], 0), (["--csv"], 0), ([], 0)):
            with self.subTest(options):
                process = start("stat", "-e", "page-faults", *options, "--", "sh", "-c", "sleep 0.3; echo done >file; exit 7",
                                cwd=self.directory, stderr=subprocess.STDOUT)
                self.assertEqual(len(process.stdout.read(wanted)), wanted)
                process.stdout.close()
                self.assertEqual(process.wait(timeout=30), 7)
                self.assertEqual((self.directory / "file").read_text(), "done\n")
                (self.directory / "file").unlink()

    def test_closed_descriptors_do_not_become_tachos_files(self):
        # If the series were opened as descriptor 2, the report would be written into it.
        plain = subprocess.run(["sh", "-c", "exec ls /proc/self/fd 0<&- 2>&-"], capture_output=True, text=True)
        script = f'exec "{TACHO}" stat -e page-faults --series s.jsonl -- ls /proc/self/fd 0<&- 2>&-'
        result = subprocess.run(["sh", "-c", script], cwd=self.directory, capture_output=True, text=True, timeout=30)
        self.assertEqual((result.returncode, result.stdout), (125, plain.stdout))  # the report went nowhere
        for line in (self.directory / "s.jsonl").read_text().splitlines():
            json.loads(line)
        script = f'exec "{TACHO}" stat --json -e page-faults -- true >&-'
        result = subprocess.run(["sh", "-c", script], cwd=self.directory, capture_output=True, text=True, timeout=30)
        self.assertEqual(result.returncode, 125)
        self.assertIn("cannot write 'standard output': Bad file descriptor (EBADF)\n"
                      "       remedy: open it for writing, or name a file; the result follows here\n", result.stderr)
        script = f'exec "{TACHO}" stat -e page-faults -o report -- true <&- >&- 2>&-'
        self.assertEqual(subprocess.run(["sh", "-c", script], cwd=self.directory, timeout=30).returncode, 0)
        self.assertIn("page-faults", (self.directory / "report").read_text())

    @needs_kernel_counts
    def test_twenty_events_are_counted_with_64_descriptors(self):
        for options in ([], ["--counters", "1"]):
            with self.subTest(options):
                result, document = stat_json(self.directory, *options, "-e", SOFTWARE, "--", "sh", "-c", "ulimit -n; ulimit -Hn",
                                             preexec_fn=limit(64))
                self.assertEqual((result.code, result.stdout, result.stderr), (0, "64\n64\n", ""))
                self.assertEqual(len(document["events"]), 20)
                for entry in document["events"]:
                    self.assertNotIn("too many open files", entry["reason"] or "")
                if not options:
                    self.assertEqual({entry["status"] for entry in document["events"]}, {"counted"})

    @needs_kernel_counts
    @unittest.skipIf(sanitized(), "the sanitizers need descriptors of their own")
    def test_with_too_few_descriptors_events_have_a_reason_and_not_a_zero(self):
        result, document = stat_json(self.directory, "-e", SOFTWARE, "--", "true", preexec_fn=limit(16))
        self.assertEqual(result.code, 0, result.stderr)
        refused = [entry for entry in document["events"] if entry["status"] != "counted"]
        self.assertTrue(0 < len(refused) < 20, document["events"])
        for entry in refused:
            self.assertEqual((entry["count"], entry["estimate"]), (None, None))
            self.assertIn("too many open files (the limit is 16) (EMFILE)", entry["reason"])
            self.assertIn("ulimit -n", entry["remedy"])

    @needs_kernel_counts
    def test_a_soft_limit_is_raised_for_tacho_alone(self):
        def soft():
            resource.setrlimit(resource.RLIMIT_NOFILE, (20, 256))

        result, document = stat_json(self.directory, "-e", SOFTWARE, "--", "sh", "-c", "ulimit -Sn; ulimit -Hn", preexec_fn=soft)
        self.assertEqual((result.code, result.stdout), (0, "20\n256\n"), result.stderr)
        self.assertEqual({entry["status"] for entry in document["events"]}, {"counted"})
        with threads(30) as process:
            _, document = stat_json(self.directory, "--per-thread", "-e", "page-faults,task-clock", "-p", process, "sleep", "0.1",
                                    preexec_fn=soft)
        self.assertEqual(len(document["parts"]), 31)
        findings = run("doctor", "--json", preexec_fn=soft).json()["findings"]
        self.assertIn("256", next(f for f in findings if f["name"] == "open files")["detail"])

    @needs_simulator
    def test_a_simulated_workload_sees_the_soft_limit_of_its_caller(self):
        def soft():
            resource.setrlimit(resource.RLIMIT_NOFILE, (100, 256))

        result = run("stat", "--pmu", "simulated", "--", "sh", "-c", "ulimit -Sn", preexec_fn=soft)
        plain = subprocess.run(["valgrind", "--tool=none", "-q", "sh", "-c", "ulimit -Sn"], preexec_fn=soft, capture_output=True,
                               text=True)
        self.assertEqual((result.code, result.stdout), (0, plain.stdout), result.stderr)

    @unittest.skipIf(sanitized(), "the sanitizers need descriptors of their own")
    def test_with_hardly_any_descriptors_the_workload_does_not_run(self):
        result = run("stat", "--", "touch", "ran", cwd=self.directory, preexec_fn=limit(5))
        self.assertEqual(result.code, 125)
        self.assertIn("Too many open files (EMFILE)", result.stderr)
        self.assertFalse((self.directory / "ran").exists())

    def test_numbers_follow_the_locale(self):
        def pages(**env):
            # glibc leaks a few bytes when LOCPATH is set.
            env["ASAN_OPTIONS"] = "detect_leaks=0"
            result = run("stat", "-e", "page-faults", "--", example("naive"), "700", env=env)
            self.assertEqual((result.code, result.stderr.count("tacho: ")), (0, 0), result.stderr)
            return next(line.split()[0] for line in result.stderr.splitlines() if "page-faults" in line)
        for name in ("C", "xx_YY.UTF-8"):
            self.assertRegex(pages(LC_ALL=name), r"\A[0-9]{4}\Z")
        made = shutil.which("localedef") and subprocess.run(
            ["localedef", "-i", "en_US", "-f", "UTF-8", self.directory / "en_US.UTF-8"], capture_output=True)
        if not made or made.returncode not in (0, 1) or not (self.directory / "en_US.UTF-8/LC_NUMERIC").exists():
            self.skipTest("localedef cannot make en_US.UTF-8 here")
        self.assertRegex(pages(LC_ALL="en_US.UTF-8", LOCPATH=str(self.directory)), r"\A[0-9],[0-9]{3}\Z")


if __name__ == "__main__":
    unittest.main()
