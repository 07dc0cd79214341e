"""--pmu arm-registers without the module, or without an ARM core: one error with the remedy, and no run."""
import pathlib
import tempfile
import unittest

from tacho_cli import run


@unittest.skipIf(pathlib.Path("/proc/tacho_pmu").exists(), "the module tacho_pmu is loaded here: the lab has these tests")
class WithoutTheModule(unittest.TestCase):
    def refused(self, *args):
        with tempfile.TemporaryDirectory() as scratch:
            result = run(*args, cwd=scratch)
            self.assertFalse((pathlib.Path(scratch) / "ran").exists(), "the workload ran")
        self.assertEqual((result.code, result.stdout), (125, ""), result.stderr)
        self.assertEqual(result.stderr.count("tacho: error: "), 1, result.stderr)
        self.assertIn("the kernel module tacho_pmu is not loaded", result.stderr)
        self.assertIn("remedy: sudo modprobe tacho_pmu", result.stderr)

    def test_nothing_is_counted_and_nothing_runs(self):
        self.refused("stat", "--pmu", "arm-registers", "--", "touch", "ran")
        self.refused("stat", "--pmu", "arm-registers", "-a", "--", "touch", "ran")
        self.refused("list", "--pmu", "arm-registers")

    def test_auto_works_without_the_module(self):
        result = run("stat", "-e", "page-faults", "--", "true")
        self.assertEqual(result.code, 0, result.stderr)
        self.assertNotIn("arm-registers", result.stderr)

    def test_the_help_names_it(self):
        self.assertIn("arm-registers", run("stat", "--help").stdout)


if __name__ == "__main__":
    unittest.main()
