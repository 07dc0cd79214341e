"""Hostile inputs: tacho takes at most 200 MB + 2 x input of memory, and at most 5 s of CPU time for each MB."""
import resource
import subprocess
import sys
import tempfile
import unittest

from tacho_cli import SOURCE, TACHO, sanitized

sys.path.insert(0, str(SOURCE / "tests" / "cli" / "hostile"))
from bombs import bombs  # noqa: E402

MEMORY = 200 << 20  # bytes
SECONDS = 5         # CPU time of the smallest inputs; all of these are below 8 MB, and need less than a second


def bounded(size):
    """What limits a process (preexec_fn): private memory, so that mapped files do not count; and CPU time."""
    def bound():
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY + 2 * size,) * 2)
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 1))
    return bound


@unittest.skipIf(sanitized(), "the sanitizers take memory of their own")
class Budget(unittest.TestCase):
    def test_bombs(self):
        for name, bomb in bombs().items():
            with self.subTest(name), tempfile.TemporaryDirectory() as directory:
                size = bomb.make(directory, TACHO)
                result = subprocess.run([TACHO, *bomb.command(directory)], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace",
                                        preexec_fn=bounded(size), timeout=120)
                self.assertIn(result.returncode, (0, 125), result.stderr[:1000])
                self.assertNotIn("bad_alloc", result.stderr)
                self.assertNotIn("out of memory", result.stderr.lower())
                self.assertIn(bomb.says, result.stderr)


if __name__ == "__main__":
    unittest.main()
