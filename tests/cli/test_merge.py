"""`tacho merge`, and the names that the ranks of a parallel program give to their files.

The truth is the number of pages that each rank touches.
"""
import csv
import io
import json
import os
import pathlib
import platform
import re
import shutil
import subprocess
import unittest

from tacho_cli import TACHO, Scratch, assert_pages, event, needs_simulator, run, stat_json, unwrapped, workload

EVENTS = "page-faults,task-clock"
FEW = 150  # page faults of the program's start
# Only the loopback interface, and no cluster.
MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--mca", "btl", "self,vader", "--mca", "oob_tcp_if_include",
          "lo", "--mca", "plm", "isolated", "--mca", "pmix", "^s1,s2,cray"]


class Merge(Scratch):
    def ranks(self, pages, *options):
        """A file for each number of pages."""
        files = []
        for rank, number in enumerate(pages):
            out = self.directory / f"rank{rank}.json"
            result = run("stat", "--json", "-e", EVENTS, "-o", out, *options, "--", workload("touch_pages"), str(number))
            self.assertEqual(result.code, 0, result.stderr)
            files.append(out)
        return files

    def merged(self, *args):
        result = run("merge", "--json", *args)
        self.assertEqual(result.code, 0, result.stderr)
        return result.json(), result.stderr

    def test_counts_add_up_and_the_odd_rank_is_found(self):
        files = self.ranks([2000, 2000, 5000, 2000, 2000, 2000])
        counts = [event(json.loads(file.read_text()), "page-faults")["count"] for file in files]
        document, messages = self.merged(*files)
        self.assertEqual(messages, "")
        faults = event(document, "page-faults")
        self.assertEqual((faults["estimate"], faults["ci95"], faults["files"]), (sum(counts), 0, 6))
        assert_pages(self, faults["estimate"], 15000, 6 * FEW)
        self.assertEqual(faults["mean"], sum(counts) / 6)
        self.assertEqual((faults["maximum"], faults["maximum_file"]), (counts[2], str(files[2])))
        self.assertEqual(faults["minimum"], min(counts))
        self.assertEqual(faults["outliers"], [{"file": str(files[2]), "value": counts[2]}])
        self.assertEqual(document["merged"], [str(file) for file in files])
        elapsed = next(each for each in document["run"] if each["name"] == "elapsed_s")
        self.assertIsNone(elapsed["sum"])

    def test_text_names_the_odd_rank(self):
        files = self.ranks([2000, 2000, 5000, 2000, 2000])
        text = run("merge", *files).stdout
        self.assertRegex(" ".join(text.split()), r"\A5 files of .*touch_pages 2000 and other commands: software events ")
        self.assertRegex(text, r"\n  all files +mean +minimum  in +maximum  in\n")
        self.assertRegex(text, r" [\d,]+ +page-faults +[\d,.]+ +[\d,]+  rank\d.json +[\d,]+  rank2.json\n")
        self.assertRegex(text, r"\n Outliers: .*\n(.*\n)* +[\d,]+ +page-faults +rank2.json  the median is [\d,]+\n")
        few = run("merge", *files[:3]).stdout
        self.assertIn("Too few files to find outliers: ", few)

    def test_ratios_are_those_of_the_sums(self):
        files = self.ranks([1000, 30000])
        documents = [json.loads(file.read_text()) for file in files]
        clock = sum(event(each, "task-clock")["count"] for each in documents)
        faults = sum(event(each, "page-faults")["count"] for each in documents)
        metric = next(each for each in self.merged(*files)[0]["metrics"] if each["name"] == "Page-fault rate")
        self.assertAlmostEqual(metric["value"] * clock / 1e9 / faults, 1, places=6)
        self.assertNotAlmostEqual(metric["mean"] / metric["value"], 1, places=2)

    def test_csv_has_the_figures_of_json(self):
        files = self.ranks([500, 600, 700, 5000])
        document = self.merged(*files)[0]
        rows = list(csv.DictReader(io.StringIO(run("merge", "--csv", *files).stdout)))
        for row in rows:
            if row["kind"] in ("event", "metric"):
                its = next(each for each in document[row["kind"] + "s"] if each["name"] == row["name"])
                self.assertEqual(float(row["mean"]), its["mean"])
                self.assertEqual(row["maximum_file"], its["maximum_file"])
                value = its["estimate"] if row["kind"] == "event" else its["value"]
                self.assertEqual(float(row["value"]), value)
        self.assertEqual({row["kind"] for row in rows} - {"outlier"}, {"event", "metric", "run"})

    def test_a_file_that_can_t_be_used_is_left_out_and_named(self):
        good = self.ranks([1000, 1000])
        (self.directory / "empty.json").touch()
        (self.directory / "cut.json").write_bytes(good[0].read_bytes()[:700])
        (self.directory / "table.json").write_text("kind,name\n")
        (self.directory / "other.json").write_text('{"tacho": {"schema": 1}, "rows": []}')
        (self.directory / "newer.json").write_text(good[0].read_text().replace('"schema": 1', '"schema": 2'))
        (self.directory / "folder.json").mkdir()
        os.mkfifo(self.directory / "pipe.json")
        reasons = {"empty": "it is empty", "cut": "its end is missing", "table": "it is no JSON", "other": "something else",
                   "newer": "another schema", "gone": "No such file", "folder": "directory", "pipe": "pipe.json"}
        bad = [self.directory / f"{name}.json" for name in reasons]
        document, messages = self.merged(*good, *bad)
        self.assertEqual(event(document, "page-faults")["files"], 2)
        self.assertEqual([each["file"] for each in document["left_out"]], [str(path) for path in bad])
        self.assertEqual(messages.count("tacho: warning: "), len(bad))
        for path, reason, left_out in zip(bad, reasons.values(), document["left_out"]):
            self.assertIn(reason, left_out["reason"])
            self.assertIn(path.name, left_out["reason"])
        text = run("merge", *good, *bad).stdout
        self.assertIn(f"2 files ({len(bad)} left out) of ", unwrapped(text))
        for path in bad:
            alone = run("merge", path)
            self.assertEqual((alone.code, alone.stdout), (125, ""))
            self.assertEqual(alone.stderr.count("tacho: error: "), 1, alone.stderr)
        none = run("merge", *bad)
        self.assertEqual(none.code, 125)
        self.assertIn(f"none of the {len(bad)} files can be used", none.stderr)

    def test_what_would_be_wrong_is_refused(self):
        a, b = self.ranks([100, 100])
        before = b.read_text()
        (self.directory / "link.json").symlink_to(a)
        for words, what in (([a, b, a], "given twice"), ([a, self.directory / "link.json"], "given twice"),
                            ([a, b, "-o", b], "one of the files"), ([], "required")):
            result = run("merge", *words)
            self.assertEqual((result.code, result.stdout), (125, ""))
            self.assertIn(what, result.stderr)
            self.assertIn("remedy: ", result.stderr)
        self.assertEqual(b.read_text(), before)

    @needs_simulator
    def test_simulated_counts_and_others_do_not_mix(self):
        counted, = self.ranks([100])
        result, _ = stat_json(self.directory, "--pmu", "simulated:arm1176", "-e", "instructions", "--", "true")
        self.assertEqual(result.code, 0, result.stderr)
        mixed = run("merge", counted, self.directory / "stat.json")
        self.assertEqual(mixed.code, 125)
        self.assertIn("was simulated, and the other was not", mixed.stderr)

    def test_intervals_of_estimates_are_put_together(self):
        files = []
        for rank in range(3):
            files.append(self.directory / f"{rank}.json")
            run("stat", "--json", "--counters", "1", "-e", EVENTS + ",minor-faults", "-o", files[-1], "--",
                workload("touch_pages"), "50000", "3000")
        each = [event(json.loads(file.read_text()), "page-faults") for file in files]
        faults = event(self.merged(*files)[0], "page-faults")
        self.assertEqual(faults["status"], "estimated")
        self.assertEqual(faults["estimate"], sum(its["estimate"] for its in each))
        if None not in (its["ci95"] for its in each):
            self.assertGreater(faults["ci95"], 0.999 * sum(its["ci95"] ** 2 for its in each) ** 0.5)
            self.assertLess(faults["ci95"], sum(its["ci95"] for its in each))

    def test_failed_commands_and_missing_events_are_warnings(self):
        for name, words in (("a", ["-e", EVENTS, "--", "true"]), ("b", ["-e", "page-faults", "--", "false"])):
            run("stat", "--json", "-o", self.directory / f"{name}.json", *words)
        document, _ = self.merged(self.directory / "a.json", self.directory / "b.json")
        self.assertIn(f"1 of 2 commands failed ({self.directory}/b.json: status 1)", document["warnings"])
        self.assertIn(f"task-clock is missing in 1 of 2 files ({self.directory}/b.json): its sum is that of the others",
                      document["warnings"])


class Names(Scratch):
    def test_host_process_and_variable(self):
        result = run("stat", "--json", "-o", "%h.%p.%q{SLURM_PROCID}.%r.json", "--series", "s.%q{SLURM_PROCID}", "--", "true",
                     cwd=self.directory, env={"SLURM_PROCID": "3", "OMPI_COMM_WORLD_RANK": None})
        self.assertEqual(result.code, 0, result.stderr)
        series, = self.directory.glob("s.3")
        report, = set(self.directory.iterdir()) - {series}
        self.assertRegex(report.name, rf"\A{re.escape(platform.node())}\.\d+\.3\.3\.json\Z")

    def test_a_name_for_all_ranks_by_mistake_is_an_error(self):
        for name, what in (("%H.json", "%H, which has no meaning"), ("%q{NO_RANK}.json", "'NO_RANK', which is not set"),
                           ("%q.json", "without {NAME}")):
            result = run("stat", "-o", name, "--", "touch", "ran", cwd=self.directory)
            self.assertEqual(result.code, 125)
            self.assertIn(what, result.stderr)
            self.assertIn("remedy: ", result.stderr)
        self.assertEqual(list(self.directory.iterdir()), [])

    def test_other_per_cents_stay(self):
        self.assertEqual(run("stat", "-o", "50%.100%%.txt", "--", "true", cwd=self.directory).code, 0)
        self.assertEqual([path.name for path in self.directory.iterdir()], ["50%.100%.txt"])


@unittest.skipUnless(shutil.which("mpirun"), "mpirun is not installed (packaging/setup test)")
class Mpi(Scratch):
    def mpirun(self, *words):
        """What mpirun printed; its ranks run in the scratch directory."""
        ran = subprocess.run([*MPIRUN, *map(str, words)], cwd=self.directory, capture_output=True, text=True, timeout=120,
                             stdin=subprocess.DEVNULL, env={**os.environ, "TMPDIR": str(self.directory)})
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return ran.stdout

    def test_ranks_have_a_file_each_and_the_odd_one_is_found(self):
        pages = 'pages=3000; [ "$OMPI_COMM_WORLD_RANK" = 2 ] && pages=8000; exec "$@" $pages'
        for name in ("out.%h.%p.json", "out.%q{OMPI_COMM_WORLD_RANK}.json"):
            with self.subTest(name):
                for old in self.directory.glob("out.*"):
                    old.unlink()
                self.mpirun("-n", "4", "sh", "-c", pages, "sh", TACHO, "stat", "--json", "-e", EVENTS, "-o", name, "--",
                            workload("touch_pages"))
                files = sorted(self.directory.glob("out.*.json"))
                self.assertEqual(len(files), 4)
                result = run("merge", "--json", *files)
                self.assertEqual((result.code, result.stderr), (0, ""))
                faults = event(result.json(), "page-faults")
                assert_pages(self, faults["estimate"], 3 * 3000 + 8000, 4 * FEW)
                odd, = faults["outliers"]
                assert_pages(self, odd["value"], 8000, FEW)
                if "OMPI" in name:
                    self.assertEqual(pathlib.Path(odd["file"]).name, "out.2.json")


if __name__ == "__main__":
    unittest.main()
