"""-p of a process that forks while tacho opens its counters. The made-up machine answers each perf_event_open later than a
kernel does, so that a fork falls between two of them in most runs."""
import subprocess
import unittest

from machine import Machine
from tacho_cli import event, workload

GROUP = "{page-faults,minor-faults,major-faults,context-switches,cpu-migrations,dummy,cpu-clock,task-clock}"


class AttachedToForks(unittest.TestCase):
    def test_what_a_process_and_its_new_children_do_is_counted_by_all_events(self):
        """A child that is forked between the opening of two events has only the first. Then the kernel refuses to read the
        group (ECHILD) as long as the child lives, and everything was 0."""
        watched = subprocess.Popen([workload("forking"), "0", "1"], stdout=subprocess.PIPE, text=True)
        self.addCleanup(lambda: (watched.kill(), watched.communicate()))
        self.assertEqual(watched.stdout.readline(), "ready\n")
        with Machine("zen4") as machine:
            for _ in range(12):
                result, document = machine.stat("-e", GROUP, "-p", watched.pid, "--", "sleep", "0.05")
                self.assertEqual(result.code, 0, result.stderr)
                for name in ("page-faults", "minor-faults", "task-clock"):
                    self.assertEqual(event(document, name)["status"], "counted", document)
                    self.assertGreater(event(document, name)["count"], 0, document)
                self.assertNotIn("incomplete", "".join(document["warnings"]))


if __name__ == "__main__":
    unittest.main()
