"""tests/run and tests/run-file: what they count, and when they fail."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from tacho_cli import SOURCE

PASS = "def test_good(self): pass"
FAIL = "def test_bad(self): self.fail('wrong')"
SKIP = "def test_left(self): self.skipTest('no such machine')"
GTEST_SKIP = r"[ RUN      ] A.b\na_test.cpp:7: Skipped\nno PMU here\n\n[  SKIPPED ] A.b (0 ms)\n"


class Run(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.build = pathlib.Path(scratch.name)
        self.ctest = ""

    def add(self, name, label, command, properties):
        self.ctest += f"add_test({name} {command})\nset_tests_properties({name} PROPERTIES LABELS {label} {properties})\n"

    def python(self, name, label, *cases):
        path = self.build / f"test_{name}.py"
        path.write_text("import unittest\nclass T(unittest.TestCase):\n" + "".join(f"  {c}\n" for c in cases))
        self.add(name, label, f'"{sys.executable}" "{SOURCE}/tests/run-file" "{path}"', "SKIP_RETURN_CODE 77")

    def gtest(self, name, output):
        """A test that prints what a GoogleTest program would."""
        self.add(name, "unit", f'"printf" [==[{output}]==]', r'SKIP_REGULAR_EXPRESSION "\\[  SKIPPED \\]"')

    def run_all(self):
        """The exit status of tests/run, its last line, and all of its output."""
        (self.build / "CTestTestfile.cmake").write_text(self.ctest)
        # These runs are no part of the run that this test belongs to: they must not add to its sums.
        environment = {name: value for name, value in os.environ.items() if not name.startswith("TACHO_")}
        result = subprocess.run([SOURCE / "tests" / "run", self.build], env=environment, capture_output=True, text=True)
        return result.returncode, result.stdout.splitlines()[-1], result.stdout

    def test_counts_the_cases_in_files_and_gives_reasons(self):
        self.python("one", "cli", "def test_long(self): print('x' * 100000)", SKIP)
        self.python("two", "install", PASS)
        self.gtest("A.b", GTEST_SKIP)
        self.gtest("A.c", "fine")
        code, last, output = self.run_all()
        self.assertEqual((code, last), (0, "3 passed, 0 failed, 2 skipped"))
        self.assertRegex(output, r"\n  \S*test_left: no such machine\n")
        self.assertRegex(output, r"\n  A\.b: no PMU here\n")
        self.assertIn("cli:      1 passed, 0 failed, 1 skipped\n", output)

    def test_a_failed_case_fails_the_run(self):
        self.python("one", "cli", PASS, FAIL)
        code, last, _ = self.run_all()
        self.assertNotEqual(code, 0)
        self.assertEqual(last, "1 passed, 1 failed, 0 skipped")

    def test_a_case_that_failed_once_is_run_again_and_named(self):
        self.python("steady", "cli", PASS)
        self.python("once", "cli", PASS, "def test_odd(self):\n    import os\n    try: os.mkdir('been')\n"
                                         "    except FileExistsError: return\n    self.fail('the first time')")
        code, last, output = self.run_all()
        self.assertEqual((code, last), (0, "3 passed, 0 failed, 0 skipped"), output)
        self.assertIn("\nPassed only when run again:\n  once\n", output)

    def test_what_failed_is_shown_again_at_the_end(self):
        self.python("one", "cli", FAIL)
        self.python("two", "cli", PASS)
        _, _, output = self.run_all()
        self.assertNotIn("Passed only", output)
        self.assertRegex(output.partition("\nFailed: one, which ended with\n")[2], r"AssertionError: wrong")

    def test_a_lane_that_was_skipped_as_a_whole_fails_the_run(self):
        self.python("one", "cli", SKIP)
        self.python("two", "cli", SKIP)
        self.gtest("A.c", "fine")
        code, last, output = self.run_all()
        self.assertNotEqual(code, 0)
        self.assertEqual(last, "1 passed, 0 failed, 2 skipped")
        self.assertIn("cli:      0 passed, 0 failed, 2 skipped — the whole lane was skipped", output)

    def test_a_file_that_cannot_start_fails_the_run(self):
        self.python("one", "cli", PASS)
        self.add("gone", "cli", '"/nonexistent/program"', "SKIP_RETURN_CODE 77")
        self.python("broken", "cli", "def f(:")
        code, last, _ = self.run_all()
        self.assertNotEqual(code, 0)
        self.assertEqual(last, "1 passed, 2 failed, 0 skipped")

    def test_no_tests_at_all_fail_the_run(self):
        (self.build / "CTestTestfile.cmake").touch()
        # These runs are no part of the run that this test belongs to: they must not add to its sums.
        environment = {name: value for name, value in os.environ.items() if not name.startswith("TACHO_")}
        result = subprocess.run([SOURCE / "tests" / "run", self.build], env=environment, capture_output=True, text=True)
        self.assertNotEqual(result.returncode, 0)


if __name__ == "__main__":
    unittest.main()
