"""tacho with the capability that lets it measure (setcap), and tacho run by root: what other users can make it do. It takes
nothing from its user's environment, the workload gets that back, and no file of another user is written."""
import os
import pathlib
import shutil
import stat
import struct
import subprocess
import unittest

from tacho_cli import Scratch, for_everyone, run, sanitized, workload

NOBODY = 65534
# libc removes these from a program with privileges (ld.so(8)).
DROPPED = {"LD_LIBRARY_PATH": "/x", "TMPDIR": "/tmp", "MALLOC_TRACE": "a", "GCONV_PATH": "b", "LOCPATH": "c"}
COUNT = ["stat", "-e", "task-clock"]


def become(user):
    def change():
        os.setgroups([])
        os.setgid(user)
        os.setuid(user)
    return change


def add_capability(file):
    """setcap cap_perfmon=ep."""
    perfmon, effective, revision_2 = 38, 1, 0x02000000
    os.setxattr(file, "security.capability", struct.pack("<5I", revision_2 | effective, 0, 0, 1 << perfmon - 32, 0))


def tool(path, mark):
    path.write_text(f"#!/bin/sh\n: > {mark}\nexit 1\n")
    path.chmod(0o755)


@unittest.skipUnless(os.geteuid() == 0, "needs root, to give a copy of tacho a capability and to become another user")
@unittest.skipIf(sanitized(), "a sanitizer starts the program anew, without its variables")
class SetCap(Scratch):
    def setUp(self):
        super().setUp()
        self.directory.chmod(0o777)
        self.plain = for_everyone(self.directory)
        if os.statvfs(self.directory).f_flag & os.ST_NOSUID:
            self.skipTest(f"capabilities of files have no effect in {self.directory} (nosuid)")
        self.capable = pathlib.Path(shutil.copy(self.plain, self.plain.parent / "capable"))
        add_capability(self.capable)
        try:
            self.nobody("--version", program=self.capable)
        except PermissionError:
            self.skipTest("this container has no CAP_PERFMON to give")

    def nobody(self, *args, **options):
        return run(*args, preexec_fn=become(NOBODY), cwd=self.directory, **options)

    def test_the_workload_gets_the_variables_that_libc_drops(self):
        env = pathlib.Path(shutil.copy(shutil.which("env"), self.directory / "env"))
        add_capability(env)
        without = self.nobody(program=env, env=DROPPED).stdout.splitlines()
        self.assertNotIn("LD_LIBRARY_PATH=/x", without, "libc drops nothing here: the test shows nothing")
        result = self.nobody(*COUNT, "--", "env", program=self.capable, env=DROPPED)
        self.assertEqual(result.code, 0, result.stderr)
        for name, value in DROPPED.items():
            self.assertEqual(result.stdout.splitlines().count(f"{name}={value}"), 1, name)

    def test_the_workload_has_no_privileges(self):
        show = ["--", "sh", "-c", "grep -E '^Cap(Prm|Eff|Amb)' /proc/self/status"]
        for line in self.nobody(*COUNT, *show, program=self.capable).stdout.splitlines():
            self.assertEqual(int(line.split()[1], 16), 0, line)

    def test_sets_of_the_users_environment_are_ignored_and_named(self):
        for variable, folder in (("TACHO_DATA", ""), ("XDG_CONFIG_HOME", "tacho"), ("HOME", ".config/tacho")):
            with self.subTest(variable):
                place = self.directory / variable
                (place / folder / "sets").mkdir(parents=True)
                file = place / folder / "sets" / "mine.toml"
                file.write_text('description = "mine"\nevents = ["page-faults"]\n')
                count = ["stat", "-S", "mine", "--", "true"]
                environment = {"TACHO_DATA": None, "XDG_CONFIG_HOME": None, "HOME": "/", variable: str(place)}
                self.assertEqual(self.nobody(*count, program=self.plain, env=environment).code, 0)
                refused = self.nobody(*count, program=self.capable, env=environment)
                self.assertEqual(refused.code, 125)
                self.assertIn("no event set 'mine'", refused.stderr)
                self.assertEqual(refused.stderr.count(f"from {place / folder}"), 1, refused.stderr)
                by_path = self.nobody("stat", "-S", file, "--", "true", program=self.capable, env=environment)
                self.assertEqual(by_path.code, 0, by_path.stderr)

    def test_helpers_come_from_fixed_directories(self):
        program = pathlib.Path(shutil.copy(workload("two_functions"), self.directory / "stripped"))
        subprocess.run(["strip", program], check=True)
        self.assertEqual(self.nobody("record", "-o", "r.data", "--", "./stripped", "40", "10", program=self.plain).code, 0)
        helpers = self.directory / "helpers"
        helpers.mkdir()
        mark = self.directory / "ran"
        tool(helpers / "debuginfod-find", mark)
        report = ["report", "-i", "r.data", "--debuginfod"]
        with_helpers = {"DEBUGINFOD_URLS": "http://localhost:9", "PATH": f"{helpers}:/usr/bin:/bin"}
        self.nobody(*report, program=self.plain, env=with_helpers)
        self.assertTrue(mark.exists(), "an ordinary tacho runs what its user names")
        mark.unlink()
        self.nobody(*report, program=self.capable, env=with_helpers)
        self.assertFalse(mark.exists())
        # An empty element of PATH is the working directory for a shell.
        tool(self.directory / "debuginfod-find", mark)
        for path in (":/usr/bin:/bin", "/usr/bin:/bin:", "/usr/bin::/bin", ".:/usr/bin:/bin"):
            self.nobody(*report, program=self.plain, env={**with_helpers, "PATH": path})
            self.assertFalse(mark.exists(), path)

    def test_the_doctor_says_who_may_read_others_stacks(self):
        def found(program):
            return [each for each in run("doctor", "--json", program=program).json()["findings"] if each["name"] == "capability"]
        self.assertEqual(found(self.plain), [])
        self.assertEqual(found(self.capable)[0]["status"], "warning")
        self.assertIn(f"chmod 0750 '{self.capable}'", found(self.capable)[0]["remedy"])
        self.capable.chmod(0o750)
        self.assertEqual(found(self.capable)[0]["status"], "ok")

    def test_a_set_user_id_or_set_group_id_tacho_runs_nothing(self):
        for mode, word in ((0o4755, "set-user-ID"), (0o2755, "set-group-ID")):
            self.plain.chmod(mode)
            result = self.nobody(*COUNT, "-o", "out", "--", "touch", "ran", program=self.plain)
            self.assertEqual((result.code, result.stdout), (125, ""))
            self.assertIn(word, result.stderr)
            self.assertIn("remedy: chmod ug-s", result.stderr)
            self.assertFalse((self.directory / "ran").exists() or (self.directory / "out").exists())


class EmptyElementsOfPath(Scratch):
    def test_no_command_of_the_working_directory_runs(self):
        tool(self.directory / "trap", self.directory / "ran")
        for path in (":/usr/bin:/bin", "/usr/bin:/bin:", "/usr/bin::/bin", ""):
            for words in (COUNT, ["record", "-o", "r.data"]):
                result = run(*words, "--", "trap", cwd=self.directory, env={"PATH": path})
                self.assertEqual(result.code, 127, result.stderr)
                self.assertIn("remedy: give './trap' for the file in the working directory", result.stderr)
        self.assertFalse((self.directory / "ran").exists())
        self.assertEqual(run(*COUNT, "--", "./trap", cwd=self.directory, env={"PATH": ""}).code, 1)
        self.assertTrue((self.directory / "ran").exists())

    def test_a_command_is_found_as_a_shell_finds_it(self):
        """In the first directory that has it, and past one that may not be executed."""
        for number, mode in enumerate((0o644, 0o755, 0o755)):
            place = self.directory / str(number)
            place.mkdir()
            (place / "found").write_text(f"#!/bin/sh\nexit {number + 10}\n")
            (place / "found").chmod(mode)
        path = ":".join(["/nowhere", "/dev/null", *(str(self.directory / str(i)) for i in range(3))])
        self.assertEqual(run(*COUNT, "--", "found", env={"PATH": path}).code, 11)
        self.assertEqual(run(*COUNT, "--", "found", env={"PATH": str(self.directory / "0")}).code, 126)


@unittest.skipUnless(os.geteuid() == 0, "needs root, to write over a file of another user")
class FilesOfOthers(Scratch):
    """As in /tmp: everyone may make files in the directory."""
    def setUp(self):
        super().setUp()
        self.recording = self.directory / "own.data"
        self.assertEqual(run("record", "-o", self.recording, "--", "true").code, 0)
        self.shared = self.directory / "shared"
        self.shared.mkdir()
        self.shared.chmod(0o1777)

    def planted(self, name, content=b"", owner=NOBODY):
        """A file of another user that everyone may write, opened by this user."""
        path = self.shared / name
        path.write_bytes(content)
        path.chmod(0o666)
        os.chown(path, owner, owner)
        file = path.open("rb")
        self.addCleanup(file.close)
        return path, file

    def commands(self, path):
        return {"record": ["record", "-o", path, "--", "true"],
                "stat": [*COUNT, "-o", path, "--", "true"],
                "json": [*COUNT, "--json", "-o", path, "--", "true"],
                "series": [*COUNT, "-o", "/dev/null", "--series", path, "--", "true"],
                "report": ["report", "-i", self.recording, "-o", path],
                "pprof": ["report", "-i", self.recording, "--pprof", "-o", path],
                "dump": ["dump", "-i", self.recording, "-o", path]}

    def test_root_writes_a_new_file(self):
        for content in (b"", b"theirs"):
            for name in self.commands(""):
                with self.subTest(name, content=content):
                    path, theirs = self.planted(f"{name}{len(content)}", content)
                    result = run(*self.commands(path)[name])
                    self.assertEqual(result.code, 0, result.stderr)
                    now = path.stat()
                    self.assertEqual((now.st_uid, now.st_mode & 0o022), (0, 0))
                    self.assertNotEqual(now.st_ino, os.fstat(theirs.fileno()).st_ino)
                    self.assertGreater(now.st_size, 0)
                    self.assertEqual(theirs.read(), content, "the other user reads nothing of it")
        names = {path.name.removesuffix(".old") for path in self.shared.iterdir()}
        self.assertEqual(names, {f"{name}{size}" for name in self.commands("") for size in (0, 6)}, "nothing else is left")

    def test_links_of_others_are_not_followed(self):
        for target_exists in (True, False):
            for name in self.commands(""):
                with self.subTest(name, target_exists=target_exists):
                    target = self.directory / f"target-{name}-{target_exists}"
                    if target_exists:
                        target.write_text("precious")
                    link = self.shared / f"{name}-{target_exists}"
                    link.symlink_to(target)
                    os.chown(link, NOBODY, NOBODY, follow_symlinks=False)
                    self.assertEqual(run(*self.commands(link)[name]).code, 0)
                    self.assertFalse(link.is_symlink())
                    self.assertEqual(target.read_text() if target_exists else target.exists(),
                                     "precious" if target_exists else False)

    def test_a_command_that_is_not_there_leaves_their_file(self):
        for name in ("record", "stat", "series"):
            path, _ = self.planted(name, b"theirs")
            self.assertEqual(run(*self.commands(path)[name][:-1], "no-such-command").code, 127)
            self.assertEqual((path.read_bytes(), path.stat().st_uid), (b"theirs", NOBODY))
        self.assertEqual(len(list(self.shared.iterdir())), 3)

    def test_what_may_not_be_replaced_is_an_error_before_the_command_runs(self):
        tacho = for_everyone(self.directory)
        self.directory.chmod(0o755)
        for name in ("record", "stat", "series"):
            path, theirs = self.planted(name, owner=1234)
            result = run(*self.commands(path)[name][:-1], "touch", self.shared / "ran", program=tacho, preexec_fn=become(NOBODY))
            self.assertEqual(result.code, 125, result.stderr)
            self.assertRegex(result.stderr, "belongs to another user.*\n +remedy: .*another file")
            self.assertEqual(theirs.read(), b"")
        self.assertFalse((self.shared / "ran").exists())

    def test_own_files_pipes_and_devices_are_written_as_they_are(self):
        mine = self.directory / "mine"
        mine.write_text("before")
        inode = mine.stat().st_ino
        link = self.directory / "link"
        link.symlink_to(mine)
        self.assertEqual(run(*COUNT, "-o", link, "--", "true").code, 0)
        self.assertEqual(mine.stat().st_ino, inode)
        self.assertIn("task-clock", mine.read_text())
        self.assertEqual(run(*COUNT, "-o", "/dev/null", "--", "true").code, 0)
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/null").st_mode))
        self.assertIn("task-clock", run(*COUNT, "-o", "/dev/stdout", "--", "true").stdout)
        fifo = self.directory / "fifo"
        os.mkfifo(fifo)
        os.chown(fifo, NOBODY, NOBODY)
        with subprocess.Popen(["cat", fifo], stdout=subprocess.PIPE, text=True) as reader:
            self.assertEqual(run(*COUNT, "-o", fifo, "--", "true").code, 0)
            self.assertIn("task-clock", reader.stdout.read())

    def test_a_file_that_the_caller_opened_is_written(self):
        """As in `sudo tacho stat -o /dev/stdout > FILE`: the shell of the other user made the file."""
        path, theirs = self.planted("theirs")
        with path.open("wb") as out:
            self.assertEqual(run(*COUNT, "-o", "/dev/stdout", "--", "true", stdout=out).code, 0)
        self.assertIn(b"task-clock", theirs.read())


if __name__ == "__main__":
    unittest.main()
