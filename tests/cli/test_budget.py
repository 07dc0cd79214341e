"""Hostile inputs: tacho takes at most 200 MB + 2 x input of memory, and at most 5 s of CPU time for each MB."""
import pathlib
import resource
import subprocess
import sys
import tempfile
import unittest

from tacho_cli import SOURCE, TACHO, run, sanitized

sys.path.insert(0, str(SOURCE / "tests" / "cli" / "hostile"))
from bombs import bombs, threads  # noqa: E402

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
                self.assertNotIn("not enough memory", result.stderr)
                self.assertIn(bomb.says, result.stderr)

    def test_threads_that_are_too_many_for_the_viewer_become_one(self):
        with tempfile.TemporaryDirectory() as directory:
            pathlib.Path(directory, "perf.data").write_bytes(threads(10_005))
            result = run("report", "--firefox", "-i", f"{directory}/perf.data")
        self.assertEqual(result.code, 0, result.stderr)
        shown = result.json()["threads"]
        self.assertEqual(len(shown), 10_001)
        self.assertEqual(shown[-1]["name"], "5 threads with fewer samples")
        self.assertEqual(sum(thread["samples"]["length"] for thread in shown), 10_005)
        self.assertEqual({thread["name"] for thread in shown[:-1]} - {f"t{tid}" for tid in range(101, 10_106)}, set())


if __name__ == "__main__":
    unittest.main()
