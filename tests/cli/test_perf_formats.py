"""perf's formats and options in `tacho stat`: -x, -j, -d, -n, -v, -B, -i, --sync.

The lines are compared with those that perf prints for the same options on the same machine.
"""
import csv
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import time
import unittest

from tacho_cli import TACHO, Scratch, assert_pages, event, finish, needs_kernel_counts, needs_simulator, run, start, stat_json, workload

EVENTS = "page-faults,task-clock,context-switches"

needs_perf = unittest.skipUnless(shutil.which("perf"), "perf is not installed (Debian's linux-perf)")


def of_perf(*options, command=("sleep", "0.12")):
    return subprocess.run(["perf", "stat", *options, "-e", EVENTS, *command], stderr=subprocess.PIPE, text=True,
                          check=True, env={**os.environ, "LC_ALL": "C"}).stderr


def of_tacho(*options, command=("sleep", "0.12")):
    result = run("stat", *options, "-e", EVENTS, *command)
    assert result.code == 0, result.stderr
    # Repeats may be alike, or the machine busy: then a warning stands beside the lines.
    return "".join(line + "\n" for line in result.stderr.splitlines() if not line.startswith("tacho: warning: "))


def shape(line, separator):
    """A line without its numbers and the prefix of a rate: what a script that splits lines depends on."""
    fields = [re.sub(r"[0-9.]+", "N", field.strip()) for field in line.split(separator)]
    return [re.sub(r"^[KMG]?/sec$", "rate", field) for field in fields]


# Each is tried with -x and with -j.
SCOPES = {
    "a command": (),
    "repeats": ("-r", "3"),
    "CPUs": ("-a", "-A"),
    "cores": ("-a", "--per-core"),
    "sockets": ("-a", "--per-socket"),
    "nodes": ("-a", "--per-node"),
    "one CPU": ("-C", "0", "-A"),
}


@needs_kernel_counts
class PerfLines(Scratch):
    @needs_perf
    def test_fields_are_those_of_perf(self):
        for name, options in SCOPES.items():
            with self.subTest(name):
                ours, theirs = of_tacho("-x", ";", *options), of_perf("-x", ";", *options)
                self.assertEqual([shape(line, ";") for line in ours.splitlines()],
                                 [shape(line, ";") for line in theirs.splitlines()])

    @needs_perf
    def test_keys_of_json_are_those_of_perf(self):
        for name, options in SCOPES.items():
            with self.subTest(name):
                ours, theirs = ([json.loads(line) for line in of("-j", *options).splitlines()]
                                for of in (of_tacho, of_perf))
                self.assertEqual([list(line) for line in ours], [list(line) for line in theirs])
                for key in ("event", "unit", "cpu", "core", "socket", "node", "aggregate-number"):
                    self.assertEqual([line.get(key) for line in ours], [line.get(key) for line in theirs])
                self.assertEqual([type(line["counter-value"]) for line in ours], [str] * len(ours))

    @needs_perf
    def test_intervals_have_the_fields_of_perf(self):
        for options in ((), ("-a", "-A"), ("-a", "--per-core")):
            with self.subTest(options):
                ours, theirs = ({tuple(shape(line, ",")) for line in of("-I", "50", "-x,", *options).splitlines()
                                 if "<not counted>" not in line} for of in (of_tacho, of_perf))
                self.assertLessEqual(ours, theirs | {tuple(row) for row in ours if "rate" in row or row[-1] == ""})
                self.assertEqual({len(row) for row in ours}, {len(row) for row in theirs})
                keys = {tuple(json.loads(line)) for line in of_tacho("-I", "50", "-j", *options).splitlines()}
                self.assertEqual(keys, {tuple(json.loads(line))
                                        for line in of_perf("-I", "50", "-j", *options).splitlines()})

    def test_counts_of_intervals_add_up(self):
        text = of_tacho("-I", "20", "-x,", command=(workload("touch_pages"), "20000", "1"))
        rows = list(csv.reader(io.StringIO(text)))
        faults = [int(row[1]) for row in rows if row[3] == "page-faults"]
        self.assertGreater(len(faults), 1)
        assert_pages(self, sum(faults), 20000, 400)
        self.assertEqual([row[0] for row in rows], sorted(row[0] for row in rows))

    def test_counts_of_the_parts_of_each_interval(self):
        """Text, CSV and JSON of -I have a row for each CPU."""
        options = ("-a", "-A", "-I", "50", "-e", "cpu-clock", "--", "sleep", "0.12")
        text = run("stat", *options).stderr
        first = [re.split(r" {2,}", line.strip())[:2] for line in text.splitlines() if re.match(r" +0\.0", line)]
        self.assertEqual([name for _, name in first], [f"CPU {cpu}" for cpu in sorted(os.sched_getaffinity(0))])
        rows = list(csv.DictReader(io.StringIO(run("stat", "--csv", *options).stdout)))
        self.assertEqual({row["part"] for row in rows}, {name for _, name in first})
        for row in rows:
            self.assertGreater(float(row["count"]), 0)
        slices = [json.loads(line) for line in run("stat", "--json", *options).stdout.splitlines() if '"interval"' in line]
        for each in slices:
            self.assertEqual(event(each, "cpu-clock")["count"], sum(event(part, "cpu-clock")["count"] for part in each["parts"]))

    def test_results_go_where_those_of_perf_go(self):
        plain = run("stat", "-x,", "-e", "page-faults", "--", "echo", "from the command")
        self.assertEqual(plain.stdout, "from the command\n")
        self.assertRegex(plain.stderr, r"\A\d+,,page-faults,\d+,100\.00,,\n\Z")
        out = self.directory / "out"
        filed = run("stat", "-j", "-o", out, "-e", "page-faults", "--", "true")
        self.assertEqual(filed.stderr, "")
        self.assertEqual(json.loads(out.read_text())["event"], "page-faults")

    def test_a_file_that_the_command_shares_is_told(self):
        for words, told in ((["echo", "text"], 1), (["true"], 0)):
            with open(self.directory / "out", "w", encoding="ascii") as out:
                done = subprocess.run([TACHO, "stat", "--json", "-e", "page-faults", "--", *words], stdout=out,
                                      stderr=subprocess.PIPE, text=True, check=True)
            self.assertEqual(done.stderr.count("the command wrote to standard output, too"), told, done.stderr)

    @needs_simulator
    def test_what_was_not_counted(self):
        lines = run("stat", "--pmu", "simulated", "-j", "-e", "page-faults,instructions", "--", "true").stderr
        absent, counted = (json.loads(line) for line in lines.splitlines() if line.startswith("{"))
        self.assertEqual((absent["counter-value"], absent["event-runtime"]), ("<not supported>", 0))
        self.assertGreater(float(counted["counter-value"]), 10000)

    def test_separators(self):
        self.assertRegex(run("stat", "-x::", "-e", "page-faults", "true").stderr, r"\A\d+::::page-faults::\d+::100\.00::::\n\Z")
        self.assertRegex(run("stat", "-x", r"\t", "-e", "page-faults", "true").stderr, r"\A\d+\t\tpage-faults\t")
        for options, said in ((("-x", ""), "is empty"), (("-x,", "--json"), "exclude"),
                              (("-j", "--csv"), "exclude"), (("-j", "--regions"), "don't go with them")):
            result = run("stat", *options, "true")
            self.assertEqual(result.code, 125)
            self.assertIn(said, result.stderr)


@needs_kernel_counts
class PerfOptions(Scratch):
    def test_without_what_the_command_starts(self):
        """The shell's own page faults are a few hundred, and those of its child are known."""
        command = ("sh", "-c", f"{workload('touch_pages')} 5000 1; :")
        counted = {}
        for options in ((), ("-i",), ("--no-inherit",)):
            result, document = stat_json(self.directory, *options, "-e", "page-faults", "--", *command)
            self.assertEqual((result.code, document["warnings"]), (0, []))
            counted[options] = event(document, "page-faults")["count"]
        self.assertGreater(counted[()], 5000)
        for options in (("-i",), ("--no-inherit",)):
            assert_pages(self, counted[()] - counted[options], 5000, 200)

    def test_without_what_an_attached_process_starts(self):
        for options in ((), ("-i",)):
            shell = subprocess.Popen(["sh", "-c", f"read a; {workload('touch_pages')} 2000 1; read a"],
                                     stdin=subprocess.PIPE, text=True)
            out = self.directory / "out"
            tacho = start("stat", "--json", "-o", out, *options, "-e", "page-faults", "-p", shell.pid)
            self.await_events(tacho)
            shell.communicate("\n\n")
            self.assertEqual(finish(tacho).code, 0)
            count = event(json.loads(out.read_text()), "page-faults")["count"]
            (self.assertLess if options else self.assertGreater)(count, 2000)

    def await_events(self, tacho):
        """Waits until tacho has turned its events on: it sleeps then."""
        for _ in range(1000):
            links = [os.readlink(f"/proc/{tacho.pid}/fd/{fd}") for fd in os.listdir(f"/proc/{tacho.pid}/fd")]
            state = pathlib.Path(f"/proc/{tacho.pid}/stat").read_text().rpartition(")")[2].split()[0]
            if any("perf_event" in link for link in links) and state == "S":
                return
            time.sleep(0.01)
        self.fail("tacho opened no event")

    def test_nothing(self):
        result = run("stat", "-n", "--", "sh", "-c", "exit 3")
        self.assertEqual(result.code, 3)
        self.assertRegex(result.stderr, r"\A sh -c [^\n]*\n\n +\S+ s elapsed +\S+ s user .*\n +exited with status 3\n\Z")
        document = stat_json(self.directory, "-n", "-r", "3", "--", "true")[1]
        self.assertEqual((document["events"], document["runs"]), ([], 3))
        self.assertIn("-n counts nothing", run("stat", "-n", "-e", "page-faults", "true").stderr)

    def test_details(self):
        """-d adds the set of caches to the usual events, and to those that were named."""
        names = [each["name"] for each in stat_json(self.directory, "-d", "--", "true")[1]["events"]]
        self.assertLessEqual({"page-faults", "L1-dcache-loads", "LLC-loads"}, set(names))
        names = [each["name"] for each in stat_json(self.directory, "-d", "-e", "page-faults", "--", "true")[1]["events"]]
        self.assertEqual(names[0], "page-faults")
        self.assertIn("LLC-loads", names)

    def test_how_it_was_counted(self):
        text = run("stat", "-v", "-e", "page-faults,context-switches:u", "--", "true").stderr
        self.assertRegex(text, r"How it was counted\n +always +page-faults +type 1, config 0x2\n"
                               r" +always +context-switches:u +type 1, config 0x3, exclude_kernel")
        self.assertNotIn("How it was counted", run("stat", "-e", "page-faults", "--", "true").stderr)

    def test_thousands_separators(self):
        locale = next((name for name in ("en_US.utf8", "C.UTF-8") if name in
                       subprocess.run(["locale", "-a"], stdout=subprocess.PIPE, text=True, check=True).stdout.split()), "C")
        for options in (("-B",), ("--big-num",), ("--no-big-num",)):
            result = run("stat", *options, "-e", "page-faults", "--", workload("touch_pages"), "5000", "1",
                         env={**os.environ, "LC_ALL": locale})
            self.assertEqual(result.code, 0, result.stderr)
            if options == ("--no-big-num",) or locale != "en_US.utf8":
                self.assertRegex(result.stderr, r"\n +5\d{3} +page-faults")
            else:
                self.assertRegex(result.stderr, r"\n +5,\d{3} +page-faults")

    def test_sync(self):
        self.assertEqual(run("stat", "--sync", "-e", "page-faults", "--", "true").code, 0)


@needs_kernel_counts
class PerfTests(Scratch):
    """perf's own tests of its formats, as the package linux-perf installs them, run with tacho in place of perf."""

    SCRIPTS = pathlib.Path("/usr/lib/perf-core/tests/shell")

    def test_scripts_that_check_the_formats(self):
        wrapper = self.directory / "perf"
        wrapper.write_text(f'#!/bin/sh\nexec {TACHO} "$@"\n')
        wrapper.chmod(0o755)
        environment = {**os.environ, "PATH": f"{self.directory}:{os.environ['PATH']}"}
        for name, checks in (("stat+csv_output.sh", 10), ("stat+json_output.sh", 10)):
            with self.subTest(name):
                script = self.SCRIPTS / name
                if not script.exists():
                    self.skipTest(f"{script} is not installed (Debian's linux-perf has it)")
                done = subprocess.run(["bash", script], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                      text=True, check=False)
                self.assertEqual(done.returncode, 0, done.stdout)
                self.assertGreaterEqual(done.stdout.count("[Success]") + done.stdout.count("[Skip]"), checks, done.stdout)

    def test_every_thread_of_the_machine(self):
        """--per-thread with -a: each thread that runs, and its count."""
        lines = run("stat", "-j", "-a", "--per-thread", "-e", "task-clock", "--", workload("touch_pages"), "1000", "1").stderr
        threads = [json.loads(line) for line in lines.splitlines()]
        names = {line["thread"].rpartition("-")[0] for line in threads}
        self.assertIn(pathlib.Path(f"/proc/{os.getpid()}/comm").read_text().strip(), names)
        self.assertGreater(len(threads), 10)


@needs_kernel_counts
class WhatPeopleType(Scratch):
    """The fifteen options of perf that tacho did not know once: each works, or the error names what to use instead."""

    def test_each_option_works_or_has_a_remedy(self):
        sleeper = subprocess.Popen(["sleep", "60"])
        self.addCleanup(sleeper.wait)
        self.addCleanup(sleeper.kill)
        works = {
            "-x,": ["-x,"], "-j": ["-j"], "-d": ["-d"], "-C": ["-C", "0"], "-t": ["-t", sleeper.pid], "-D": ["-D", "10"],
            "--timeout": ["--timeout", "50"], "-G": ["-G", "/"], "-A": ["-a", "-A"], "--per-core": ["-a", "--per-core"],
            "-v": ["-v"], "-n": ["-n"], "several -p": ["-p", f"{sleeper.pid},{os.getpid()}"]}
        for name, options in works.items():
            if name == "-G" and not any("cgroup" in line for line in pathlib.Path("/proc/mounts").read_text().splitlines()):
                continue  # this machine has no control groups
            with self.subTest(name):
                result = run("stat", *options, "--", "sleep", "0.05")
                self.assertEqual(result.code, 0, result.stderr)
        for name, options, instead in (("-M", ["-M", "tma"], "-S"), ("--topdown", ["--topdown"], "-S")):
            with self.subTest(name):
                result = run("stat", *options, "--", "true")
                self.assertEqual(result.code, 125)
                self.assertIn(f"tacho stat has no {name}", result.stderr)
                self.assertIn(instead, result.stderr)


if __name__ == "__main__":
    unittest.main()
