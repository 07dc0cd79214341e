"""The examples that measure themselves: the same programs, with regions that are run through as often as their
sources say."""
import json
import os
import pathlib
import platform
import re
import subprocess
import tempfile
import unittest

from tacho_cli import example
from test_examples import assembly_of

TWINS = {"naive": ["64"], "interchange": ["64"], "chase": ["65536", "1600"]}


class SelfMeasuring(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.file = pathlib.Path(scratch.name, "regions.json")

    def measured(self, program, *args):
        """What the program prints, and its regions' executions and threads by name."""
        result = subprocess.run([example(program), *args], capture_output=True, text=True, timeout=60,
                                env={**os.environ, "TACHO_REGIONS": f"json:{self.file}"})
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        report = json.loads(self.file.read_text())
        self.file.unlink()
        return result.stdout, {region["name"]: (region["executions"], region["threads"]) for region in report["regions"]}

    def test_they_print_what_their_twins_print_and_run_through_each_region_once(self):
        for program, args in TWINS.items():
            with self.subTest(program=program):
                twin = subprocess.run([example(program), *args], capture_output=True, text=True, timeout=60).stdout
                stdout, regions = self.measured(f"self-{program}", *args)
                self.assertEqual(stdout, twin)
                work = "chase" if program == "chase" else "product"
                self.assertEqual(regions, {"initialisation": (1, 1), work: (1, 1)})

    def test_turned_off_regions_leave_nothing_in_the_twins(self):
        for program in TWINS:
            symbols = subprocess.run(["nm", "-C", example(program)], capture_output=True, text=True, check=True).stdout
            self.assertNotIn("tacho::", symbols)

    @unittest.skipUnless(platform.machine() == "x86_64", "knows the machine code of x86-64 only")
    def test_the_measured_code_is_the_same_as_that_of_the_twins(self):
        for program, function in (("naive", "multiplyEPKf"), ("interchange", "multiplyEPKf"), ("chase", "chaseEPK")):
            with self.subTest(program=program):
                # But for where it stands in the file, and what fills the space behind its last return.
                own, twin = ([re.sub(r"\b[0-9a-f]{4,} <.*", "", line) for line in assembly_of(name, function)[0]]
                             for name in (f"self-{program}", program))
                own, twin = (code[:len(code) - code[::-1].index("ret")] for code in (own, twin))
                self.assertEqual(own, twin)

    def test_workers_measure_each_task_and_each_question_for_one(self):
        def collatz(n):
            steps = 0
            while n != 1:
                n, steps = n // 2 if n % 2 == 0 else 3 * n + 1, steps + 1
            return steps
        for threads, tasks in ((1, 1), (3, 40), (8, 100), (2, 0)):
            with self.subTest(threads=threads, tasks=tasks):
                stdout, regions = self.measured("workers", str(threads), str(tasks))
                steps = sum(collatz(n) for task in range(1, tasks + 1) for n in range(1, task + 1))
                self.assertEqual(stdout, f"workers: {tasks} tasks, {steps} steps\n")
                self.assertEqual(regions["next task"], (tasks + threads, threads))
                self.assertEqual(regions.get("task", (0,))[0], tasks)

    def test_google_benchmark_has_the_counters_of_an_iteration(self):
        if not os.path.exists(example("benchmarked")):
            self.skipTest("built without Google Benchmark (libbenchmark-dev): packaging/setup bench, then build anew")
        result = subprocess.run([example("benchmarked"), "page-faults", "no-such-event", "--benchmark_filter=touch",
                                 "--benchmark_min_time=0.05", "--benchmark_format=json"],
                                capture_output=True, text=True, timeout=120)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("no-such-event is not counted: ", result.stderr)
        page = os.sysconf("SC_PAGE_SIZE")
        for row in json.loads(result.stdout)["benchmarks"]:
            pages = int(row["name"].split("/")[1]) / page
            self.assertNotIn("no-such-event", row)
            # Google Benchmark's own faults are shared by all iterations, of which there may be one.
            own = abs(row["page-faults"] - pages) * row["iterations"]
            self.assertLess(own, max(row["iterations"], 32), row)


if __name__ == "__main__":
    unittest.main()
