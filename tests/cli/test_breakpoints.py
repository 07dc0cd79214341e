"""Breakpoints (mem:ADDRESS): the processor counts them exactly, even if it has no PMU.

The truth is the workload's own loop: so many stores to one word, by so many calls of one function.
"""
import re
import subprocess
import unittest

from tacho_cli import Scratch, event, run, stat_json, workload

COUNT = 1000


def addresses():
    """The addresses of the word and of the function that stores it."""
    return subprocess.run([workload("stores"), "0"], capture_output=True, text=True, check=True).stdout.split()


class Stores(Scratch):
    def setUp(self):
        super().setUp()
        self.word, self.function = addresses()

    def document(self, events, *options):
        result, document = stat_json(self.directory, *options, "-e", events, "--", workload("stores"), COUNT)
        self.assertEqual(result.code, 0, result.stderr)
        return document


class AnyMachine(Stores):
    def test_a_breakpoint_counts_exactly_or_is_refused_with_the_reason(self):
        """Under some hypervisors (PVM) the kernel accepts breakpoints that never see an access."""
        for name in (f"mem:{self.word}:w:u", f"mem:{self.function}:x:u"):
            entry = event(self.document(name), name)
            if entry["status"] == "counted":
                self.assertEqual(entry["count"], COUNT)
            else:
                self.assertIsNone(entry["count"])
                self.assertTrue(entry["reason"] and entry["remedy"])
                file = self.directory / "perf.data"
                self.assertEqual(run("record", "-o", file, "-e", name, "--", workload("stores"), COUNT).code, 125)


class Breakpoints(Stores):
    def setUp(self):
        super().setUp()
        name = f"mem:{self.word}:w:u"
        if (tried := event(self.document(name), name))["status"] != "counted":
            self.skipTest(f"this machine has no breakpoints to count with: {tried['reason']}")

    def test_stores_reads_and_executions_are_counted_exactly(self):
        truth = {f"mem:{self.word}:w:u": COUNT, f"mem:{self.word}/8:rw:u": COUNT * 3 // 2,
                 f"mem:{self.function}:x:u": COUNT, f"mem:{self.word}:wu": COUNT}
        for several in (",".join(truth), "{" + ",".join(truth) + "}"):
            with self.subTest(several):
                document = self.document(several)
                self.assertEqual({name: event(document, name)["count"] for name in truth}, truth)

    def test_they_do_not_take_turns(self):
        """Each hit takes microseconds, so the program would be different during the turns of other events."""
        name = f"mem:{self.word}:w:u"
        document = self.document(f"page-faults:u,{{minor-faults:u,{name}}}", "--counters", 1)
        self.assertEqual((event(document, name)["status"], event(document, name)["count"]), ("counted", COUNT))
        self.assertEqual(event(document, "minor-faults:u")["status"], "estimated")

    def test_more_breakpoints_than_the_processor_has_are_refused(self):
        names = [f"mem:{self.word}/{size}:{access}:u" for size in (1, 2, 4, 8) for access in ("w", "rw")]
        document = self.document(",".join(names))
        entries = [event(document, name) for name in names]
        refused = [each for each in entries if each["status"] != "counted"]
        self.assertTrue(refused)
        for each in refused:
            self.assertIsNone(each["count"])
            self.assertIn("all breakpoints of the processor are in use", each["reason"])

    def test_every_call_is_a_sample(self):
        file = self.directory / "perf.data"
        result = run("record", "-o", file, "-c", 1, "-e", f"mem:{self.function}:x", "--", workload("stores"), COUNT)
        self.assertEqual(result.code, 0, result.stderr)
        rows = run("report", "-i", file, "--json").json()["rows"]
        self.assertEqual([(row["samples"], bool(re.search("store", row["function"]))) for row in rows], [(COUNT, True)])

    def test_invalid_breakpoints_are_refused_with_the_reason(self):
        for name, what in ((f"mem:{self.word}/3:w", "1, 2, 4 or 8 bytes"), (f"mem:{self.word}:xw", "x excludes r and w"),
                           (f"mem:{self.word}:q", "no modifier 'q'"), ("mem:0x:w", "the address: ")):
            with self.subTest(name):
                result = run("stat", "-e", name, "--", "true")
                self.assertEqual(result.code, 125)
                self.assertIn(what, result.stderr)
                self.assertIn("remedy: ", result.stderr)


if __name__ == "__main__":
    unittest.main()
