"""Hostile inputs: tacho takes at most 200 MB + 2 x input of memory, and at most 5 s of CPU time for each MB."""
import pathlib
import resource
import subprocess
import sys
import tempfile
import unittest

from tacho_cli import SOURCE, TACHO, run, sanitized

sys.path.insert(0, str(SOURCE / "tests" / "cli" / "hostile"))
from bombs import bombs, events_at_places, large_compiled_function, runs_over_each_other, threads  # noqa: E402

MEMORY = 200 << 20  # bytes
SECONDS = 5         # CPU time of inputs of less than 1 MB, and of each MB of larger ones


def bounded(size):
    """What limits a process (preexec_fn): private memory, so that mapped files do not count; and CPU time."""
    seconds = int(max(SECONDS, SECONDS * size / 1e6))

    def bound():
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY + 2 * size,) * 2)
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
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

    def test_all_samples_of_a_function_that_is_too_large_are_in_what_is_shown(self):
        with tempfile.TemporaryDirectory() as directory:
            large_compiled_function(200_000)(directory, TACHO)
            result = run("annotate", "--json", "-i", f"{directory}/perf.data", "--symfs", directory)
        self.assertEqual(result.code, 0, result.stderr)
        self.assertIn("134464 instructions of f left out", result.stderr)
        shown = result.json()["instructions"]
        self.assertEqual(len(shown), 65_536)
        sampled = {int(each["address"], 16): each["samples"] for each in shown if each["samples"] > 0}
        self.assertEqual(sampled, {0x400000 + at: 1 for at in range(0, 200_000, 4096)})

    def test_rows_have_the_events_that_fit(self):
        with tempfile.TemporaryDirectory() as directory:
            pathlib.Path(directory, "perf.data").write_bytes(events_at_places(2000, 20_000))
            result = run("report", "--json", "--sort", "instruction", "-i", f"{directory}/perf.data")
        self.assertEqual(result.code, 0, result.stderr)
        report = result.json()
        shown = (262_144 + 20_000) // 20_000
        self.assertIn(f"the counts of {2000 - shown} events left out", result.stderr)
        self.assertEqual([each["samples"] for each in report["events"]], [10] * shown)
        self.assertEqual({len(row["events"]) for row in report["rows"]}, {shown})
        for event in range(shown):
            self.assertEqual(sum(row["events"][event]["samples"] for row in report["rows"]), 10)

    def test_runs_whose_instructions_are_too_many_have_no_number(self):
        with tempfile.TemporaryDirectory() as directory:
            runs_over_each_other(40_000, 1000, 1)(directory, TACHO)
            result = run("blocks", "--json", "-i", f"{directory}/perf.data")
        self.assertEqual(result.code, 0, result.stderr)
        known = [each for each in result.json()["runs"] if each["instructions"] is not None]
        self.assertGreater(len(known), 50)
        for each in known:
            self.assertEqual(each["instructions"], (int(each["end"], 16) - int(each["start"], 16)) // 2 + 1)
        unknown = len(result.json()["runs"]) - len(known)
        self.assertIn(f"the instructions of {unknown} runs are not counted", result.stderr)


if __name__ == "__main__":
    unittest.main()
