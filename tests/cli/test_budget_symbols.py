"""Programs with hostile names and debug information: tacho reports on them with at most 200 MB + 2 x input of private
memory and 5 s of CPU time, and says what it left out."""
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import unittest

from tacho_cli import SOURCE, TACHO, sanitized

sys.path.insert(0, str(SOURCE / "tests" / "cli"))
from hostile.symbol_bombs import bombs, doubling_name  # noqa: E402

MEMORY = 200 << 20  # bytes
SECONDS = 5         # CPU time; all bombs have less than 8 MB
DAMAGED = "is damaged or too large for its file"
NO_LINES = "no source lines of "
# What tacho says about each bomb. Those that are not named here are read whole.
SAYS = {
    "doubling name": "1 name stays mangled", "doubling Rust name": "1 name stays mangled",
    "parsed twice": "1 name stays mangled",
    "shared ranges": DAMAGED, "wide abbreviation": DAMAGED, "rows": DAMAGED, "directory of every file": DAMAGED,
    "directory of the compiler": DAMAGED, "abbreviations of units": NO_LINES,
    "unpacks to 200 MiB": NO_LINES, "claims to unpack to 1 TiB": NO_LINES,
    "8 GiB hole in .debug_info": NO_LINES, "8 GiB hole in .debug_str": NO_LINES,
}


def bounded(size):
    """What limits a process (preexec_fn): private memory, so that mapped files do not count; and CPU time."""
    def bound():
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY + 2 * size,) * 2)
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 1))
    return bound


def stored(path):
    """The bytes of a file that are on the disk."""
    return os.stat(path).st_blocks * 512


@unittest.skipIf(sanitized(), "the sanitizers take memory of their own")
class BudgetOfSymbols(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.bombs = {name: (program, data) for name, program, data in bombs(scratch.name)}

    def tacho(self, *words, size):
        result = subprocess.run([TACHO, *map(str, words)], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                errors="replace", preexec_fn=bounded(size), timeout=120)
        self.assertIn(result.returncode, (0, 125), result.stderr[:1000])
        for words in ("bad_alloc", "out of memory"):
            self.assertNotIn(words, result.stderr.lower())
        return result

    def test_each_bomb_is_reported_within_the_budget(self):
        self.assertLessEqual(set(SAYS), set(self.bombs))
        for name, (program, data) in self.bombs.items():
            with self.subTest(name):
                result = self.tacho("report", "--sort", "line", "--inline", "-i", data, size=stored(program) + stored(data))
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertIn(pathlib.Path(program).name, result.stdout, "the samples are in the report")
                shown = result.stdout + result.stderr
                warnings = [each for each in (DAMAGED, NO_LINES, "stays mangled") if each in shown]
                if name in SAYS:
                    self.assertEqual(shown.count(SAYS[name]), 1, "one warning says what is left out")
                elif warnings != [NO_LINES]:  # the program has no debug information
                    self.assertEqual(warnings, [])

    def test_annotate_and_inlined_functions_within_the_budget(self):
        for name in ("siblings", "inlined siblings", "backward sibling", "shared ranges",
                     "overlapping inlined functions", "nested inlined functions", "wide abbreviation", "rows"):
            program, data = self.bombs[name]
            for words in (("annotate", "main"), ("report", "--inline"), ("dump",)):
                with self.subTest(name, words=words):
                    self.tacho(*words, "-i", data, size=stored(program) + stored(data))

    def test_a_name_that_is_too_long_is_found_by_its_symbol(self):
        program, data = self.bombs["doubling name"]
        result = self.tacho("annotate", doubling_name(30), "-i", data, size=stored(program))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("nop", result.stdout)


if __name__ == "__main__":
    unittest.main()
