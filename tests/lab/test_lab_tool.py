"""The lab's commands as a user sees them: when everything works, and when a board or the cache is broken."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import time
import unittest

import lab_case  # noqa: F401  (finds the lab)

import cache
from board import boot
from boards import BOARDS
from errors import BoardError, TimeLimit

SOON_BOOTED = BOARDS["arm64-nopmu"]
SMALL = BOARDS["armv6"]  # its packages are unpacked fastest
LAB = pathlib.Path(__file__).resolve().parents[2] / "lab"


def lab_run(*words, stdin="", environment=None):
    return subprocess.run([str(LAB / "run"), *words], input=stdin, capture_output=True, text=True, timeout=300,
                          env={**os.environ, **(environment or {})})


class Run(unittest.TestCase):
    def test_a_command_of_a_person(self):
        result = lab_run(SOON_BOOTED.name, "--", "sh", "-c", "echo on the board; exit 7")
        self.assertEqual((result.returncode, result.stdout), (7, "on the board\n"), result.stderr)
        self.assertIn("a script\n", lab_run(SOON_BOOTED.name, stdin="echo a script").stdout)
        unknown = lab_run("arm65")
        self.assertEqual(unknown.returncode, 2)
        self.assertIn("there are arm64,", unknown.stderr)

    def test_doctor_on_a_board_shows_its_pmu(self):
        result = lab_run("arm64", "--", "tacho", "doctor")
        self.assertRegex(result.stdout, r"ok +hardware PMU +armv8_pmuv3")
        self.assertRegex(result.stdout, r"ok +counters +6 beside cycles")
        self.assertRegex(result.stdout, r"ok +reads from user space")


class BrokenBoards(unittest.TestCase):
    def test_a_panic_shows_the_console(self):
        with boot(SOON_BOOTED) as board, self.assertRaises(BoardError) as caught:
            board.run("echo c >/proc/sysrq-trigger")
        self.assertRegex(str(caught.exception), r"board arm64-nopmu died[\s\S]*last lines of its console[\s\S]*Kernel panic")

    def test_a_hang_ends_at_the_time_limit(self):
        with boot(SOON_BOOTED) as board:
            begun = time.monotonic()
            with self.assertRaises(TimeLimit) as caught:
                board.run("sleep 1000", limit=1)
            self.assertLess(time.monotonic() - begun, 30)
        self.assertIn("did not end this within 1 s: sleep 1000", str(caught.exception))

    def test_garbage_on_the_line_is_an_error(self):
        with boot(SOON_BOOTED) as board, self.assertRaises(BoardError) as caught:
            board.run("echo '@lab out AAAA 12345678' >/dev/ttyAMA0; sleep 1")
        self.assertIn("damaged", str(caught.exception))
        with boot(SOON_BOOTED) as board, self.assertRaises(BoardError) as caught:
            board.run("head -c 3000000 /dev/zero >/dev/ttyAMA0; sleep 1")
        self.assertIn("garbage", str(caught.exception))

    def test_a_time_limit_has_a_status_of_its_own(self):
        self.assertEqual(lab_run("--limit", "1", SOON_BOOTED.name, "--", "sleep", "100").returncode, 124)


class Cache(unittest.TestCase):
    """Uses a copy of the real cache, and a mirror that does not exist."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.filled = cache.directory()
        self.name = SMALL.architecture.debian
        self.copy = pathlib.Path(scratch.name, "cache")
        (self.copy / self.name).mkdir(parents=True)
        for file in (self.filled / self.name).iterdir():
            if file.is_file():
                os.link(file, self.copy / self.name / file.name)
            elif file.name != "parts":  # the unpacked headers: unpacking them again would take seconds
                os.symlink(file, self.copy / self.name / file.name)
        self.environment = {**os.environ, "TACHO_LAB_CACHE": str(self.copy), "TACHO_LAB_MIRROR": "file:/nonexistent/debian"}

    def fetch(self):
        return subprocess.run([str(LAB / "prepare"), "--fetch-only", SMALL.name], env=self.environment,
                              capture_output=True, text=True, timeout=120)

    def damage(self, pattern):
        file = next(self.copy.rglob(pattern))
        content = file.read_bytes()
        file.unlink()  # a link to the real one
        file.write_bytes(content[:-1000] + bytes(1000))
        return file

    def test_a_filled_cache_needs_no_network(self):
        self.assertEqual(self.fetch().returncode, 0)
        self.assertTrue((self.copy / f"{self.name}/parts/kernel").exists())

    def test_an_empty_cache_without_network_says_what_is_missing(self):
        shutil.rmtree(self.copy / self.name)
        # A mirror that can't be reached: apt-get tries for seconds.
        self.environment["TACHO_LAB_MIRROR"] = "http://127.0.0.1:9/debian"
        result = self.fetch()
        self.assertNotEqual(result.returncode, 0)
        self.assertIn(f"holds no packages for {self.name} yet", result.stderr)
        self.assertIn("127.0.0.1:9", result.stderr)
        self.assertIn("copy a filled cache", result.stderr)

    def test_a_missing_or_damaged_package_is_named(self):
        damaged = self.damage("busybox*.deb")
        result = self.fetch()
        self.assertNotEqual(result.returncode, 0)
        self.assertIn(f"{damaged} is damaged", result.stderr)
        self.assertIn(f"cannot fetch busybox-static:{self.name}", result.stderr)
        self.assertFalse(damaged.exists())
        self.assertIn(f"cannot fetch busybox-static:{self.name}", self.fetch().stderr)

    def test_a_damaged_part_is_unpacked_again(self):
        self.fetch()
        part = self.damage("kernel")
        self.assertEqual(self.fetch().returncode, 0)
        self.assertEqual(cache.sha256(part), cache.sha256(self.filled / f"{self.name}/parts/kernel"))

    def test_two_at_once_share_it(self):
        command = [str(LAB / "prepare"), "--fetch-only", SMALL.name]
        both = [subprocess.Popen(command, env=self.environment, stderr=subprocess.PIPE, text=True) for _ in range(2)]
        for each in both:
            _, said = each.communicate(timeout=120)
            self.assertEqual(each.returncode, 0, said)

    def test_a_full_disk_is_said(self):
        if os.geteuid() != 0:
            self.skipTest("mounting a small disk needs root")
        small = self.copy.parent / "small"
        small.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=20m", "tmpfs", str(small)], capture_output=True, text=True)
        if mounted.returncode:
            self.skipTest(f"a small disk can't be mounted here: {mounted.stderr.strip()}")
        self.addCleanup(subprocess.run, ["umount", str(small)])
        result = lab_run(SOON_BOOTED.name, "--", "true", environment={"TMPDIR": str(small)})
        self.assertEqual(result.returncode, 125)
        self.assertIn("No space left on device", result.stderr)
        self.assertIn("TMPDIR", result.stderr)
        self.environment["TACHO_LAB_CACHE"] = str(small / "cache")
        (small / "cache").mkdir()
        shutil.copytree(self.copy / self.name, small / "cache" / self.name, symlinks=True, copy_function=os.symlink)
        result = self.fetch()
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("room", result.stderr)


if __name__ == "__main__":
    unittest.main()
