"""Files whose names come from data: whatever has the name, tacho neither waits for it nor reads a device, says so in one
line and goes on. Files that change while they are read. What the programs that tacho starts inherit."""
import contextlib
import os
import pathlib
import pty
import re
import shutil
import subprocess
import unittest

from tacho_cli import TACHO, Scratch, needs_simulator, run, sanitized

PROGRAM = """#include <cstdio>
#include <cstdlib>
static inline __attribute__((always_inline)) double step(double x, int i) { return x + 1.0 / (i + x); }
__attribute__((noinline)) static double work(int n) { double x = 1; for (int i = 0; i < n; i++) x = step(x, i); return x; }
int main(int, char** v) { std::printf("%g\\n", work(std::atoi(v[1]))); }
"""
OTHER = 65534  # a user who is not root


def fifo(path):
    os.mkfifo(path)


def device(path):
    path.symlink_to("/dev/zero")


def directory(path):
    path.mkdir()


def of_kernel(path):
    path.symlink_to("/proc/kmsg")  # reading it waits, and takes the kernel's messages away


KINDS = {fifo: "is not a regular file but a FIFO", device: "is not a regular file but a device",
         directory: "is not a regular file but a directory", of_kernel: "the kernel makes it up"}


@unittest.skipUnless(shutil.which("c++") and shutil.which("objcopy"), "no compiler (c++) or no objcopy makes the programs")
class Names(Scratch):
    def call(self, *command):
        subprocess.run(command, cwd=self.directory, check=True, capture_output=True)

    def record(self, *flags, after=()):
        """A recording of a program that is compiled with these flags, and changed by these commands."""
        self.path("src").mkdir(exist_ok=True)
        self.path("src/q.cpp").write_text(PROGRAM)
        self.call("c++", "-O2", *flags, "-Wl,--build-id", "-o", "q", "src/q.cpp")
        for command in after:
            self.call(*command)
        done = run("record", "-q", "-e", "cpu-clock:u", "-F", "999", "-o", "q.data", "--", "./q", "20000000",
                   cwd=self.directory)
        self.assertEqual(done.code, 0, done.stderr)

    def path(self, name):
        return self.directory / name

    def put(self, make, name):
        """Puts another kind of file in the place of this one."""
        path = self.path(name)
        if path.is_dir() and not path.is_symlink():
            path.rmdir()
        else:
            path.unlink(missing_ok=True)
        make(path)
        return path

    def in_shared(self, name):
        """Makes the name a link of another user, in a directory where everyone may write."""
        shared = self.path("shared")
        shared.mkdir(exist_ok=True)
        shared.chmod(0o1777)
        target = self.put(lambda path: path.write_text("secret\n"), name + ".real")
        link = self.put(lambda path: path.symlink_to(target), f"shared/{pathlib.Path(name).name}")
        os.lchown(link, OTHER, OTHER)
        return link

    def check(self, name, *command, reason=None, env=None, kinds=KINDS):
        """Each kind of file in this place gives one warning with the reason, and the report goes on."""
        for make, why in kinds.items():
            with self.subTest(name=name, kind=make.__name__):
                self.put(make, name)
                result = run(*command, "-i", "q.data", cwd=self.directory, env=env, timeout=20)
                self.assertEqual(result.code, 0, result.stderr)
                self.assertEqual(result.stderr.count(why), 1, result.stderr)
                self.assertIn(reason or str(self.path(name)), result.stderr)
                self.assertIn("work", result.stdout)
                self.assertNotIn("secret", result.stdout)

    def test_source_files(self):
        self.record("-g")
        self.check("src/q.cpp", "annotate", "work", reason="no source text: ")
        if os.geteuid() != 0:
            self.skipTest("only root can give a link to another user")
        link = self.in_shared("src/other.cpp")
        self.put(lambda path: path.symlink_to(link), "src/q.cpp")
        result = run("annotate", "work", "-i", "q.data", cwd=self.directory)
        self.assertEqual(result.code, 0, result.stderr)
        self.assertEqual(result.stderr.count("a symbolic link of another user (user ID 65534)"), 1, result.stderr)
        self.assertNotIn("secret", result.stdout)

    def test_split_debug_information(self):
        self.record("-g", "-gsplit-dwarf")
        split = next(self.directory.glob("*.dwo"))
        self.assertIn("step", run("report", "--inline", "-i", "q.data", cwd=self.directory).stdout)
        self.check(split.name, "report", "--inline", reason="inlined functions of q are missing: ")
        self.put(lambda path: path.write_text("no ELF file"), split.name)
        result = run("report", "--inline", "-i", "q.data", cwd=self.directory)
        self.assertIn("is no ELF file", result.stderr)
        self.put(lambda path: None, split.name)
        self.check("q.dwp", "report", "--inline", reason="inlined functions of q are missing: ")

    def test_separate_debug_information(self):
        self.record("-g", after=(("objcopy", "--only-keep-debug", "q", "q.debug"), ("strip", "q"),
                                 ("objcopy", "--add-gnu-debuglink=q.debug", "q")))
        self.assertIn("work", run("report", "-i", "q.data", cwd=self.directory).stdout)
        for make, why in KINDS.items():
            with self.subTest(make.__name__):
                self.put(make, "q.debug")
                result = run("report", "-i", "q.data", cwd=self.directory, timeout=20)
                self.assertEqual(result.code, 0, result.stderr)
                self.assertEqual(result.stderr.count(why), 1, result.stderr)
                self.assertIn("no debug information of q: ", result.stderr)

    def test_debug_information_that_programs_share(self):
        self.path("name").write_bytes(b"shared.debug\0" + b"\x11" * 20)
        self.record("-g", after=(("objcopy", "--add-section", ".gnu_debugaltlink=name", "q"),))
        self.check("shared.debug", "report", "--inline", reason="which dwz moved away: ")

    def test_the_answer_of_debuginfod(self):
        self.record("-s")
        self.path("bin").mkdir()
        find = self.path("bin/debuginfod-find")
        find.write_text(f"#!/bin/sh\nls /proc/self/fd >{self.path('descriptors')}\necho {self.path('answer')}\n")
        find.chmod(0o755)
        env = {"PATH": f"{self.path('bin')}:{os.environ['PATH']}", "DEBUGINFOD_URLS": "x"}
        for make, why in KINDS.items():
            with self.subTest(make.__name__):
                self.put(make, "answer")
                result = run("report", "--debuginfod", "-i", "q.data", cwd=self.directory, env=env, timeout=20)
                self.assertEqual(result.code, 0, result.stderr)
                self.assertEqual(result.stderr.count(why), 1, result.stderr)
        # ls itself has the directory open as 3.
        self.assertEqual(self.path("descriptors").read_text().split(), ["0", "1", "2", "3"])

    def test_the_program_itself(self):
        self.record("-g")
        for make, why in KINDS.items():
            with self.subTest(make.__name__):
                self.put(make, "q")
                result = run("report", "-i", "q.data", cwd=self.directory, timeout=20)
                self.assertEqual(result.code, 0, result.stderr)
                self.assertIn(f"no names of {self.path('q')}: '{self.path('q')}' ", result.stderr)
                self.assertEqual(result.stderr.count(why), 1, result.stderr)

    def test_a_program_that_is_cut_off_while_it_is_read(self):
        # tacho looks for the debug information of a stripped program between two reads of it.
        self.record("-s")
        self.path("bin").mkdir()
        find = self.path("bin/debuginfod-find")
        find.write_text(f"#!/bin/sh\n: >{self.path('q')}\nexit 1\n")
        find.chmod(0o755)
        env = {"PATH": f"{self.path('bin')}:{os.environ['PATH']}", "DEBUGINFOD_URLS": "x"}
        result = run("report", "--debuginfod", "-i", "q.data", cwd=self.directory, env=env)
        self.assertEqual(result.code, 0, result.stderr)
        self.assertIn("samples", result.stdout)
        self.assertEqual(result.stderr.count(f"'{self.path('q')}' was cut off or changed while it was read"), 1)


class DataFiles(Scratch):
    def test_sets_metrics_and_models_of_the_user(self):
        folder = self.directory / "tacho"
        for name, command in (("sets/mine.toml", ["stat", "-S", "mine", "--", "true"]),
                              ("models/mine.toml", ["stat", "--pmu", "simulated:mine", "--", "true"]),
                              ("metrics.toml", ["stat", "-S", "default", "--", "true"])):
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            for make, why in KINDS.items():
                with self.subTest(name=name, kind=make.__name__):
                    make(path)
                    result = run(*command, env={"XDG_CONFIG_HOME": str(self.directory), "TACHO_DATA": None}, timeout=20)
                    self.assertEqual(result.code, 125, result.stderr)
                    self.assertIn(f"tacho: error: '{path}' ", result.stderr)
                    self.assertIn(why, result.stderr)
                    path.rmdir() if make is directory else path.unlink()

    def test_a_set_by_its_path_may_come_from_a_pipe_of_the_shell(self):
        result = run("stat", "-S", "/dev/stdin", "--", "true", stdin='events = ["page-faults"]\n')
        self.assertEqual(result.code, 0, result.stderr)
        self.assertIn("page-faults", result.stderr)


@unittest.skipIf(sanitized(), "the sanitizers need descriptors of their own")
class Descriptors(Scratch):
    LIST = ["sh", "-c", "exec ls /proc/self/fd"]  # ls itself has one: the directory

    def check(self, *command):
        plain = subprocess.run(self.LIST, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True).stdout
        result = run(*command, "--", *self.LIST, cwd=self.directory)
        self.assertEqual(result.code, 0, result.stderr)
        self.assertEqual(result.stdout, plain, result.stderr)

    def test_a_workload_inherits_none_of_tachos(self):
        events = "page-faults,task-clock,context-switches"
        self.check("stat", "-e", events, "--counters", "1", "--series", "s.jsonl", "-o", "o", "-I", "1000")
        self.check("record", "-e", "cpu-clock:u", "-g")

    @needs_simulator
    def test_a_simulated_workload_inherits_only_those_of_valgrind(self):
        listed = ["sh", "-c", "exec ls -l /proc/self/fd"]
        for command in (["stat", "-e", "instructions"], ["record", "-o", "s.data"]):
            result = run(*command, "--pmu", "simulated", "--", *listed, cwd=self.directory)
            self.assertEqual(result.code, 0, result.stderr)
            found = re.findall(r" (\d+) -> (\S+)", result.stdout)
            # Valgrind leaves one of its log to the program. Its others are above those that the program can have.
            others = [target for number, target in found
                      if 2 < int(number) < 1000 and not re.search(r"/log\.\d+$|/proc/\d+/fd$", target)]
            self.assertEqual(others, [], result.stdout)

    def test_the_pager_inherits_none_of_tachos(self):
        run("record", "-q", "-e", "page-faults", "-c", "1", "--", "true", cwd=self.directory)
        terminal, other = pty.openpty()
        with subprocess.Popen([TACHO, "report"], cwd=self.directory, stdin=other, stdout=other, stderr=other,
                              env={**os.environ, "PAGER": "echo has $(ls /proc/self/fd); cat >/dev/null"}):
            os.close(other)
            shown = b""
            with contextlib.suppress(OSError):  # the terminal has no other end any more
                while piece := os.read(terminal, 4096):
                    shown += piece
        os.close(terminal)
        self.assertIn(b"has 0 1 2 3\r\n", shown)


if __name__ == "__main__":
    unittest.main()
