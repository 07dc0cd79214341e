"""rpistat: the published layout, figures that follow from one another, the data and the plots."""
import itertools
import json
import os
import re
import shutil
import sys
import unittest

from estimate_oracle import estimate
from tacho_cli import RPISTAT, SOURCE, Scratch, example, finish, needs_simulator, run, start

sys.path.append(str(SOURCE / "tests"))
from rpistat_layout import read, rows_of  # noqa: E402

SIMULATED = "--pmu", "simulated:arm1176"
SETS = {"Instr": ("Instructions", "IBUF stall cycles"), "DC": ("DC cached accesses", "DC misses"),
        "TLB": ("MicroTLB misses", "Main TLB misses"), "BR": ("Branches", "Mispredicted BR")}


class Rpistat(Scratch):
    def rpistat(self, *args, **options):
        return finish(start(*args, program=RPISTAT, cwd=self.directory, **options), timeout=120)

    def file(self, name="rpistat.txt"):
        return (self.directory / name).read_text()

    @needs_simulator
    def test_the_layout_is_the_published_one_and_figures_follow_from_each_other(self):
        result = self.rpistat(*SIMULATED, example("naive"), "200")
        self.assertEqual((result.code, result.stdout[:6]), (0, "naive:"), result.stderr)
        self.assertIn(str(self.directory.resolve() / "rpistat.txt"), result.stderr)
        report = read(self.file())
        self.assertEqual(report["command"], f"{example('naive')} 200")
        self.assertIn("simulated (arm1176)", report["pmu"])
        rows = rows_of(self.file("rpistat.data"))
        cycles = report["Cycles"].count
        self.assertEqual(report["Total periods"].count, len(rows))
        self.assertEqual(sum(report[f"{name} periods"].count for name in SETS), len(rows))
        self.assertEqual(rows[-1]["total_cycles"], cycles)
        self.assertEqual(sum(row["cycles"] for row in rows), cycles)  # turns cost no simulated time
        ends = list(itertools.accumulate(row["cycles"] for row in rows))
        for name, labels in SETS.items():
            for label in labels:
                mine = [(i, row) for i, row in enumerate(rows) if row[label.replace(" ", "_")] is not None]
                counts = [row[label.replace(" ", "_")] for _, row in mine]
                self.assertEqual(report[label].count, sum(counts))
                self.assertEqual(report[f"{name} periods"].count, len(mine))
                turns = [(i, row["cycles"]) for i, row in mine]
                self.assertAlmostEqual(report[label].scaled, estimate(turns, counts, ends, len(SETS), cycles)[0], delta=1)
        scaled = {label: report[label].scaled for labels in SETS.values() for label in labels}
        for label, value in (("CPI", cycles / scaled["Instructions"]),
                             ("IBUF stall percent", 100 * scaled["IBUF stall cycles"] / cycles),
                             ("DC miss ratio", 100 * scaled["DC misses"] / scaled["DC cached accesses"]),
                             ("Micro miss rate", 1000 * scaled["MicroTLB misses"] / scaled["Instructions"]),
                             ("Main miss rate", 1000 * scaled["Main TLB misses"] / scaled["Instructions"]),
                             ("Branch rate", 1000 * scaled["Branches"] / scaled["Instructions"]),
                             ("Mispredict ratio", 100 * scaled["Mispredicted BR"] / scaled["Branches"])):
            self.assertAlmostEqual(report[label].ratio, value, delta=0.00051, msg=label)
            value = report[label]
            self.assertTrue(value.spread or value.low < value.high, label)  # percentages have ends

    @needs_simulator
    def test_under_its_newer_name_the_same_run_s_series_has_the_truth(self):
        result = run("stat", "--report", "rpistat", *SIMULATED, "--series", "s.jsonl", "-o", "r.txt", "--",
                     example("naive"), "200", cwd=self.directory, timeout=120)
        self.assertEqual(result.code, 0, result.stderr)
        report = read(self.file("r.txt"))
        lines = [json.loads(line) for line in self.file("s.jsonl").splitlines()]
        self.assertEqual(len(lines) - 2, report["Total periods"].count)
        instructions = next(e for e in lines[0]["events"] if e["name"] == "instructions")
        truth = lines[-1]["end"]["always"][instructions["truth"]]
        self.assertAlmostEqual(report["Instructions"].scaled / truth, 1, delta=0.05)
        self.assertTrue((self.directory / "r.data").exists())

    @needs_simulator
    def test_with_more_counters_all_is_counted_all_the_time(self):
        self.rpistat(*SIMULATED, "--counters", "9", "--period", "10", example("naive"), "100")
        report = read(self.file())
        self.assertEqual(report["Instructions"].count, report["Instructions"].scaled)
        self.assertIsNone(report["Instructions"].spread)
        rows = rows_of(self.file("rpistat.data"))
        self.assertEqual(report["Instructions"].count, sum(row["Instructions"] for row in rows))
        self.assertEqual(report["Branches"].count, sum(row["Branches"] for row in rows))
        self.assertGreater(len(rows), 1)

    @needs_simulator
    @unittest.skipUnless(shutil.which("gnuplot"), "gnuplot is not installed")
    def test_the_picture_has_axes_and_a_legend(self):
        result = self.rpistat(*SIMULATED, "--plot", "p.svg", example("naive"), "150")
        self.assertEqual(result.code, 0, result.stderr)
        picture = self.file("p.svg")
        self.assertIn("simulated time (s)", picture)
        self.assertEqual(len(re.findall("per 1000 cycles", picture)), 8)
        for labels in SETS.values():
            for label in labels:
                self.assertRegex(picture, label)
        result = self.rpistat(*SIMULATED, "--plot", example("naive"), "50")  # its value can be left out
        self.assertEqual(result.code, 0, result.stderr)
        self.assertIn("<svg", self.file("rpistat.svg"))

    @needs_simulator
    def test_the_terminal_s_plot_shows_phases(self):
        script = f"{example('naive')} 150 >/dev/null; {example('interchange')} 150"
        for plot in ("--plot=terminal", "--plot=-"):
            result = self.rpistat(*SIMULATED, "--period", "2", plot, "sh", "-c", script)
            self.assertEqual(result.code, 0, result.stderr)
            # Columns of a small matrix miss the TLB all the time, its rows hardly ever.
            bars = re.search(r"MicroTLB misses +\|(.+)\|", result.stderr)[1]
            first, second = bars[len(bars) // 8:3 * len(bars) // 8], bars[-3 * len(bars) // 8:-len(bars) // 8]
            self.assertGreater(min(first.replace(" ", "")), max(second.replace(" ", "")), bars)
        self.assertFalse((self.directory / "rpistat.svg").exists())

    def test_what_cannot_be_counted_is_never_a_zero(self):
        result = self.rpistat("--pmu", "software", "sh", "-c", "exit 3")
        self.assertEqual(result.code, 3, result.stderr)
        report = read(self.file())
        for label in ("Cycles", "Instructions", "CPI", "DC periods", "Main TLB misses", "Mispredict ratio"):
            self.assertIsNotNone(report[label].reason, label)
            self.assertIsNone(report[label].count, label)
        self.assertGreaterEqual(report["Total periods"].count, 1)
        self.assertEqual({row["Instructions"] for row in rows_of(self.file("rpistat.data"))}, {None})

    def test_a_plot_of_nothing_is_refused_before_the_workload_runs(self):
        for plot in ("--plot=terminal", *(("--plot=p.svg",) if shutil.which("gnuplot") else ())):
            result = self.rpistat("--pmu", "software", plot, "touch", "launched")
            self.assertEqual(result.code, 125)
            self.assertEqual(result.stderr.count("error:"), 1, result.stderr)
            self.assertIn("nothing to plot", result.stderr)
            self.assertEqual(list(self.directory.iterdir()), [])

    @unittest.skipUnless(shutil.which("gnuplot"), "gnuplot is not installed")
    def test_the_picture_is_not_drawn_over_the_report(self):
        result = self.rpistat("--pmu", "software", "-o", "out.svg", "--plot", "--", "touch", "launched")
        self.assertEqual(result.code, 125)
        self.assertIn("would go into the same file: 'out.svg'", result.stderr)
        self.assertEqual(list(self.directory.iterdir()), [])

    def test_exit_status_and_streams_are_the_workload_s(self):
        for script, code in (("exit 7", 7), ("kill -TERM $$", 143), ("echo out", 0)):
            self.assertEqual(self.rpistat("sh", "-c", script).code, code)
        self.assertEqual(self.rpistat("nonexistent-command").code, 127)
        self.assertEqual(self.rpistat("sh", "-c", "echo out").stdout, "out\n")
        self.assertEqual(self.rpistat("echo", "--plot", "--version").stdout, "--plot --version\n")

    def test_what_can_t_be_written_is_said_before_the_workload_runs(self):
        (self.directory / "rpistat.data").mkdir()
        for args, named in (((), "rpistat.data"), (("-o", "missing/r.txt"), "missing/r.txt"),
                            (("-o", "x.data"), "x.data")):
            result = self.rpistat(*args, "touch", "launched")
            self.assertEqual(result.code, 125)
            self.assertEqual(result.stderr.count("error:"), 1, result.stderr)
            self.assertIn(named, result.stderr)
            self.assertIn("remedy:", result.stderr)
            self.assertFalse((self.directory / "launched").exists())

    def test_a_picture_without_gnuplot_is_refused_before_the_workload_runs(self):
        empty = self.directory / "bin"
        empty.mkdir()
        result = self.rpistat("--plot", "/bin/sh", "-c", "echo launched", env={"PATH": str(empty)})
        self.assertEqual((result.code, result.stdout), (125, ""))
        self.assertIn("gnuplot is not installed", result.stderr)
        self.assertIn("--plot=terminal", result.stderr)

    def test_a_full_disk_loses_no_result(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("there is no /dev/full")
        result = self.rpistat("-o", "/dev/full", "true")
        self.assertEqual(result.code, 125)
        self.assertIn("Performance events", result.stderr)
        self.assertTrue((self.directory / "rpistat.data").exists())  # beside a device there is no file

    def test_options_that_don_t_go_together_are_named(self):
        for args, named in ((("-e", "cycles"), "-e and -S"), (("--json",), "--json"), (("-r", "2"), "-r"),
                            (("--plot=x.png",), ".svg")):
            result = run("stat", "--report", "rpistat", *args, "--", "true", cwd=self.directory)
            self.assertEqual(result.code, 125)
            self.assertIn(named, result.stderr)
        result = run("stat", "--plot=terminal", "--", "true")
        self.assertIn("--plot needs --report", result.stderr)
        result = run("stat", "--report", "rpistart", "--", "true")
        self.assertEqual(result.code, 125)
        self.assertIn("the reports are rpistat", result.stderr)

    def test_help_and_version(self):
        self.assertRegex(self.rpistat("--version").stdout, r"^rpistat \(tacho\) \d")
        self.assertIn("rpistat [OPTIONS] [--] COMMAND", self.rpistat("--help").stdout)
        self.assertEqual(self.rpistat().code, 125)


if __name__ == "__main__":
    unittest.main()
