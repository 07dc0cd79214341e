"""tacho stat --regions: what instrumented programs measure of themselves, in tacho's own report."""
import csv
import io
import os
import re
import signal
import sys
import unittest

from tacho_cli import Scratch, run, stat_json, workload


class Regions(Scratch):
    def regions(self, *args, code=0, env=None):
        """The workload's regions by name, the whole document, and the result of the run."""
        result, document = stat_json(self.directory, "--regions", *args, env=env)
        self.assertEqual(result.code, code, result.stderr)
        names = [region["name"] for region in document["regions"]]
        self.assertEqual(len(names), len(set(names)), names)
        return {region["name"]: region for region in document["regions"]}, document, result

    def assert_whole(self, region):
        """The figures of one process's ticks agree with each other."""
        ticks = region["quantities"][0]
        self.assertEqual((ticks["name"], ticks["status"]), ("ticks", "counted"))
        self.assertEqual(ticks["executions"], region["executions"])
        self.assertAlmostEqual(ticks["mean"] * region["executions"], ticks["total"], delta=ticks["total"] * 1e-9)
        self.assertLessEqual(ticks["min"], ticks["mean"])
        self.assertLessEqual(ticks["mean"], ticks["max"])
        return ticks

    def test_nested_regions_are_within_what_the_program_measured_around_and_inside(self):
        regions, document, result = self.regions("--", workload("regions"), "nested", "20", "5")
        inside, around = map(int, result.stdout.split())
        self.assertEqual({name: region["executions"] for name, region in regions.items()},
                         {"outer": 20, "inner": 100})
        outer, inner = (self.assert_whole(regions[name]) for name in ("outer", "inner"))
        for ticks in outer, inner:
            # What is taken off may be more than was spent, by no more than the cost's own size.
            self.assertGreater(ticks["total"], inside * 0.98)
            self.assertLess(ticks["total"], around)
        self.assertGreaterEqual(inner["min"], 100_000 - inner["cost"])
        self.assertGreater(inner["median"], 99_000)
        self.assertEqual([process["program"] for process in document["region_processes"]], ["regions"])
        self.assertFalse(regions["inner"]["too_short"])
        top, below = document["region_paths"]
        self.assertEqual([(path["name"], path["parent"], path["executions"]) for path in (top, below)],
                         [("outer", None, 20), ("inner", 0, 100)])
        self.assertEqual((top["ticks"], below["ticks"], below["own_ticks"]),
                         (outer["total"], inner["total"], inner["total"]))
        self.assertAlmostEqual(top["own_ticks"], outer["total"] - inner["total"], delta=100)
        self.assertEqual(top["own_ticks"], regions["outer"]["own_ticks"])
        self.assertLess(top["own_ticks"], around - inside)

    def test_a_region_is_told_below_each_region_that_it_ran_in(self):
        _, document, _ = self.regions("--", workload("regions"), "paths", "3")
        names = {}
        for i, path in enumerate(document["region_paths"]):
            above = names[path["parent"]] + " > " if path["parent"] is not None else ""
            names[i] = above + path["name"]
        told = {names[i]: path["executions"] for i, path in enumerate(document["region_paths"])}
        # Each of two processes runs it: once in its first thread, and once in two others.
        self.assertEqual(told, {"load": 6 * 3, "load > parse": 6 * 3 * 2, "solve": 6 * 3, "solve > parse": 6 * 3,
                                "solve > parse > check": 6 * 3})
        text = run("stat", "--regions", "--", workload("regions"), "paths", "3").stderr
        self.assertRegex(text, r"\n   solve +18 +[\d,]+ +[\d,]+ +\d+\.\d %\n     parse +18 .*\n       check +18 ")

    def test_threads_are_told_and_added_up(self):
        regions, _, _ = self.regions("--", workload("regions"), "threads", "7", "30")
        self.assertEqual((regions["piece"]["threads"], regions["piece"]["executions"]), (7, 210))
        self.assert_whole(regions["piece"])

    def test_processes_by_fork_and_exec_are_one_region(self):
        regions, document, _ = self.regions("--", workload("regions"), "forks", "6", "10")
        piece = regions["piece"]
        self.assertEqual((piece["processes"], piece["executions"]), (13, 130))
        self.assertEqual(len({process["pid"] for process in document["region_processes"]}), 13)
        ticks = self.assert_whole(piece)
        self.assertGreater(ticks["total"], 130 * 98_000)

    # Starts a process of "piece" for each number of ticks, as the ranks of a launcher that closes descriptors.
    LAUNCHER = """
import os, subprocess, sys
program, *ticks = sys.argv[1:]
ranks = [subprocess.Popen([program, "lasting", t, "50"], env=os.environ | {"OMPI_COMM_WORLD_RANK": str(rank)}, close_fds=True)
         for rank, t in enumerate(ticks)]
sys.exit(max(rank.wait() for rank in ranks))
"""

    def test_ranks_of_a_launcher_that_closes_descriptors_are_one_region(self):
        result, document = stat_json(self.directory, "--regions", "--", sys.executable, "-c", self.LAUNCHER,
                                     workload("regions"), "200000", "300000", "4000000")
        self.assertEqual(result.code, 0, result.stderr)
        lasted = sorted(map(int, result.stdout.split()))
        piece, = document["regions"]
        ticks = self.assert_whole(piece)
        self.assertEqual((piece["processes"], piece["executions"], len(lasted)), (3, 150, 150))
        # The printing is within the region, too, and is not in the program's own figures.
        printing = 0.2 * 100_000 + 0.01 * lasted[75]
        self.assertAlmostEqual(ticks["median"], lasted[74], delta=printing)
        self.assertGreaterEqual(ticks["p99"], lasted[148] * 0.99)
        host = os.uname().nodename
        self.assertEqual(sorted((process["rank"], process["host"]) for process in document["region_processes"]),
                         [(rank, host) for rank in range(3)])
        spread = piece["ticks_of_a_process"]
        self.assertEqual(spread["longest"], f"rank 2 on {host}")
        self.assertGreaterEqual(spread["max"], 50 * 4_000_000 * 0.99)
        self.assertAlmostEqual(3 * spread["mean"], ticks["total"], delta=1)
        self.assertLess(spread["min"], spread["mean"])
        text = run("stat", "--regions", "--", sys.executable, "-c", self.LAUNCHER, workload("regions"), "200000", "900000").stderr
        self.assertRegex(text, rf"\n   piece +2 +[\d,]+ +[\d,]+ +[\d,]+  rank 1 on {host}\n")

    def test_all_runs_are_told_together(self):
        regions, _, _ = self.regions("-r", "3", "--", workload("regions"), "threads", "2", "5")
        self.assertEqual((regions["piece"]["processes"], regions["piece"]["executions"]), (3, 30))

    def test_a_killed_process_loses_its_own_and_its_childs_are_kept(self):
        regions, document, _ = self.regions("--", workload("regions"), "killed", "4", code=128 + signal.SIGKILL)
        self.assertEqual(list(regions), ["piece"])
        self.assertEqual(regions["piece"]["executions"], 4)
        self.assertTrue(any("ended by a signal" in warning for warning in document["warnings"]), document["warnings"])

    def test_a_command_without_regions_is_told_so_in_every_format(self):
        for arguments, reason in ((["true"], "not linked with tacho's library"),
                                  (["sh", "-c", "kill -9 $$"], "a signal ended it")):
            with self.subTest(command=arguments):
                text = run("stat", "--regions", "--", *arguments).stderr
                self.assertRegex(text, r"\n Regions\n   - '\w+' reported no regions: ")
                result, document = stat_json(self.directory, "--regions", "--", *arguments)
                self.assertEqual(document["regions"], [], result.stderr)
                self.assertTrue(any(reason in warning for warning in document["warnings"]))
                rows = run("stat", "--regions", "--csv", "--", *arguments).stdout
                self.assertIn("reported no regions", rows)
                self.assertNotIn("\nregion,", rows)

    def test_without_the_option_nothing_is_asked_and_nothing_said(self):
        result, document = stat_json(self.directory, "--", "sh", "-c", "echo ${TACHO_REGIONS_FD-none} ${TACHO_REGIONS_PATH-none}")
        self.assertEqual((result.stdout, document["regions"]), ("none none\n", None))

    def test_names_have_any_bytes_and_reach_no_terminal(self):
        regions, _, _ = self.regions("--", workload("regions"), "names")
        self.assertEqual(list(regions), [r'quote " and comma, and backslash \\', r"escape \x1b[31m\x0a\x09\x00 null",
                                         r"\xff\xfe", "µ-Prüfung → 計測", ""])
        text = run("stat", "--regions", "--", workload("regions"), "names").stderr
        self.assertIn(r"escape \x1b[31m\x0a\x09\x00 null", text)
        self.assertNotIn("\x1b", text)
        rows = list(csv.DictReader(io.StringIO(
            run("stat", "--regions", "--csv", "--", workload("regions"), "names").stdout)))
        counts = {row["part"]: row["estimate"] for row in rows if (row["kind"], row["name"]) == ("region", "executions")}
        self.assertEqual(counts, {f"regions: {name}": "1" for name in regions})

    def test_lines_that_are_no_regions_are_counted_and_the_others_kept(self):
        regions, document, _ = self.regions("--", workload("regions"), "noise")
        self.assertEqual(regions["heard"]["executions"], 1)
        self.assertIn("5 lines of the regions could not be read, and are left out: a process has too many regions, events "
                      "and notes, or what it wrote is damaged", document["warnings"])
        self.assertEqual(run("stat", "--regions", "--", workload("regions"), "noise").code, 0)

    def test_text_csv_and_json_tell_the_same(self):
        text = run("stat", "--regions", "--", workload("regions"), "threads", "3", "4", env={"LC_ALL": "C"}).stderr
        self.assertRegex(text, r"\n Regions of 1 process; ticks: .*\n")
        self.assertRegex(text, r"\n   piece +12 +3 +ticks +\d+ ")
        rows = run("stat", "--regions", "--csv", "--", workload("regions"), "threads", "3", "4").stdout
        figures = {row["name"]: row["estimate"] for row in csv.DictReader(io.StringIO(rows)) if row["kind"] == "region"}
        self.assertEqual((figures["executions"], figures["threads"], figures["too short"]), ("12", "3", "0"))
        self.assertAlmostEqual(float(figures["ticks"]), 12 * float(figures["ticks mean"]), delta=1)

    def test_a_descriptor_that_the_program_closes_is_never_written_to(self):
        # The shell closes it, and opens a file of its own under its number.
        script = 'fd=${TACHO_REGIONS_FD%%:*}; eval "exec $fd>&-"; eval "exec $fd>$0"; exec "$@"'
        victim = self.directory / "victim"
        result, document = stat_json(self.directory, "--regions", "--", "bash", "-c", script, victim,
                                     workload("regions"), "threads", "1", "1")
        self.assertEqual((result.code, victim.read_text()), (0, ""), result.stderr)
        self.assertEqual(document["regions"][0]["executions"], 1, "they came by the path")

    def test_what_it_does_not_go_with_is_refused(self):
        for arguments, words in ((["-p", "1"], "--regions needs a command"),
                                 (["--pmu", "simulated", "--", "true"], "does not go with a simulation"),
                                 (["--csv", "-I", "100", "--", "true"], "--csv and -I")):
            with self.subTest(arguments=arguments):
                result = run("stat", "--regions", *arguments)
                self.assertEqual(result.code, 125)
                self.assertTrue(re.search(re.escape(words), result.stderr), result.stderr)


if __name__ == "__main__":
    unittest.main()
