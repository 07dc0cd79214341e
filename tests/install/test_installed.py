"""The installed program, away from its build and source trees."""
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

from tacho_cli import BUILD, SOURCE


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.prefix = pathlib.Path(scratch.name, "prefix")
        subprocess.run(["cmake", "--install", BUILD, "--strip", "--prefix", cls.prefix], check=True, stdout=subprocess.DEVNULL)

    def tacho(self, *args):
        """Runs the installed tacho in the root directory with an empty environment."""
        return subprocess.run([self.prefix / "bin" / "tacho", *args], env={}, cwd="/", capture_output=True,
                              text=True, stdin=subprocess.DEVNULL, timeout=60)

    def test_version_is_the_project_s(self):
        version = re.search(r"project\(tacho VERSION (\S+)", (SOURCE / "CMakeLists.txt").read_text()).group(1)
        result = self.tacho("--version")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn(version, result.stdout)

    def test_stat_measures_and_passes_the_status_on(self):
        result = self.tacho("stat", "--", "/bin/true")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("task-clock", result.stderr)
        self.assertEqual(self.tacho("stat", "--", "/bin/false").returncode, 1)

    def test_rpistat_is_the_same_program_with_its_report(self):
        self.assertEqual(os.readlink(self.prefix / "bin" / "rpistat"), "tacho")
        result = subprocess.run([self.prefix / "bin" / "rpistat", "-o", self.prefix / "r.txt", "/bin/true"], env={}, cwd="/",
                                capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("Performance events", (self.prefix / "r.txt").read_text())

    def test_event_sets_are_found_where_they_were_installed(self):
        for name in ("default", "cache", "branch", "tlb", "stalls"):
            with self.subTest(set=name):
                result = self.tacho("stat", "-S", name, "--", "/bin/true")
                self.assertEqual(result.returncode, 0, result.stderr)

    def test_man_pages_and_completions_are_where_shells_look(self):
        pages = {page.name for page in (SOURCE / "docs/man").glob("*.1")}
        self.assertEqual({page.name for page in (self.prefix / "share/man/man1").iterdir()}, pages)
        for place in ("bash-completion/completions/tacho", "zsh/site-functions/_tacho",
                      "fish/vendor_completions.d/tacho.fish"):
            self.assertIn("tacho completion", (self.prefix / "share" / place).read_text())

    def test_the_service_is_where_systemd_looks_for_units(self):
        self.assertTrue((self.prefix / "lib/systemd/system/tacho-stat.service").is_file())

    def test_nothing_names_the_build_tree(self):
        for path in self.prefix.rglob("*"):
            if path.is_file():
                self.assertNotIn(os.fsencode(BUILD), path.read_bytes(), path)


if __name__ == "__main__":
    unittest.main()
