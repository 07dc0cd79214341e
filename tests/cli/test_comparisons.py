"""`tacho report --compare` on recordings that tacho made here: changes have an interval only if both programs were recorded
several times, in turn. Page faults are sampled each time, so what the programs did is known from each recording alone."""
import collections
import csv
import io
import pathlib
import statistics
import unittest

from tacho_cli import Scratch, example, run, unwrapped

FEW, MANY = 100, 300  # size of the matrices: 3 n² numbers of 4 bytes are touched


class Comparisons(Scratch):
    def record(self, name, size=FEW, event="page-faults:u"):
        file = str(self.directory / name)
        result = run("record", "-q", "-e", event, "-c", "1", "-o", file, "--", example("naive"), size)
        self.assertEqual(result.code, 0, result.stderr)
        return file

    def in_turn(self, before, after, size=MANY):
        """Records naive so many times before and after a change of its size, in turn."""
        files = [], []
        for at in range(max(before, after)):
            for side, count, of_size in ((0, before, FEW), (1, after, size)):
                if at < count:
                    files[side].append(self.record(f"{'ba'[side]}{at}", of_size))
        return files

    def compare(self, before, after, *args):
        result = run("report", "-i", *before, "--compare", *after, *args)
        warnings = [line for line in result.stderr.splitlines() if "it was stripped" not in line]  # Debian's ld.so is
        self.assertEqual((result.code, warnings), (0, []))
        return result

    def assert_no_claim(self, before, after, evidence):
        """Neither format has an interval or a mark, and the text says how to get them."""
        report = self.compare(before, after, "--json").json()
        self.assertEqual((report["evidence"], report["tests"]), (evidence, 0))
        for each in (report, *report["rows"]):
            self.assertIsNone(each["count_gained"]["ci95"])
            self.assertIsNone(each["changed"])
            self.assertIsNone(each["p_adjusted"])
        self.assertGreater(report["count_gained"]["value"], 100)
        for row in csv.DictReader(io.StringIO(self.compare(before, after, "--csv").stdout)):
            self.assertEqual({row[name] for name in ("count low", "count high", "share low", "share high", "changed")}, {""})
            self.assertNotEqual(row["count gained"], "")
        text = self.compare(before, after).stdout
        self.assertNotIn("95 %", text)
        self.assertRegex(text, r"\n in all +counts [\d,]+ more, [\d.]+ % of before\n")
        self.assertIn("tacho report -i before-*.data --compare after-*.data", text)
        return text

    def test_one_recording_of_each_program_claims_no_change(self):
        text = self.assert_no_claim([self.record("b")], [self.record("a", MANY)], "too_few")
        self.assertIn("do not show how much two runs of one program differ", unwrapped(text))
        self.assertIn("At least 6 on each side", unwrapped(text))

    def test_patterns_name_runs(self):
        before, after = self.in_turn(2, 2)
        by_pattern = self.compare([self.directory / "b?"], [self.directory / "a?"], "--json").json()
        self.assertEqual(by_pattern, self.compare(before, after, "--json").json())

    def test_one_against_six_claims_no_change(self):
        self.assert_no_claim(*self.in_turn(1, 6), "too_few")

    def test_programs_that_were_not_recorded_in_turn_claim_no_change(self):
        before = [self.record(f"b{at}") for at in range(6)]
        after = [self.record(f"a{at}", MANY) for at in range(6)]
        text = self.assert_no_claim(before, after, "blocks")
        self.assertIn("The recordings were not made in turn", text)

    def test_damaged_recordings_claim_no_change(self):
        before, after = self.in_turn(6, 6)
        whole = pathlib.Path(after[1]).read_bytes()
        pathlib.Path(after[1]).write_bytes(whole[:len(whole) * 3 // 5])
        result = run("report", "-i", *before, "--compare", *after, "--json")
        self.assertIn("the recording is damaged", result.stderr)
        report = result.json()
        self.assertEqual(report["evidence"], "damaged")
        for each in (report, *report["rows"]):
            self.assertIsNone(each["changed"])
            self.assertIsNone(each["count_gained"]["ci95"])
        text = run("report", "-i", *before, "--compare", *after).stdout
        self.assertIn("A part of a recording could not be read", text)

    def test_a_change_that_is_larger_than_the_spread_of_runs_is_found(self):
        for before, after in ((9, 9), (9, 10)):
            with self.subTest(after=after):
                files = self.in_turn(before, after)
                report = self.compare(*files, "--json").json()
                self.assertEqual(report["evidence"], "pairs")
                self.assertIs(report["changed"], True)
                changed = [row for row in report["rows"] if row["changed"]]
                self.assertTrue(changed)
                # More memory means more page faults, in the rows that touch it.
                self.assertGreater(sum(row["count_gained"]["value"] for row in changed), 150)
                for each in (report, *report["rows"]):
                    if each["changed"] is None:
                        self.assertIsNone(each["count_gained"]["ci95"])
                        continue
                    low, high = each["count_gained"]["ci95"]
                    self.assertLessEqual(low, each["count_gained"]["value"])
                    self.assertGreaterEqual(high, each["count_gained"]["value"])
                    self.assertEqual(each["changed"], low > 0 or high < 0)
                    self.assertEqual(each["changed"], each["p_adjusted"] <= 0.05)
                tested = [each for each in (report, *report["rows"]) if each["changed"] is not None]
                self.assertEqual(len(tested), report["tests"])
                rows = list(csv.DictReader(io.StringIO(self.compare(*files, "--csv").stdout)))
                words = {None: "", False: "no"}
                self.assertEqual([row["changed"] for row in rows],
                                 [words.get(row["changed"], "more" if row["count_gained"]["value"] > 0 else "less")
                                  for row in report["rows"]])
                text = self.compare(*files).stdout
                self.assertEqual("one side is in no pair." in " ".join(text.split()), before != after)
                self.assertRegex(text, r"\n in all +counts \d+ more \(\d+…\d+\), [\d.]+ % of before\n")
                self.assertRegex(text, r"\n +\d+ +\d+ +\+\d+ +\+\d+…\+\d+  more +")

    def test_figures_are_means_over_the_recordings_of_each_side(self):
        files = self.in_turn(6, 6)
        report = self.compare(*files, "--json").json()
        for side, recordings in zip(("before", "after"), files):
            alone = [run("report", "-i", file, "--json").json() for file in recordings]
            self.assertEqual(report[side]["files"], recordings)
            self.assertEqual(report[side]["counts"], [each["events"][0]["count"] for each in alone])
            self.assertAlmostEqual(report[side]["count"], statistics.mean(report[side]["counts"]))
            by_name = [collections.Counter() for _ in alone]
            for counts, each in zip(by_name, alone):
                for row in each["rows"]:
                    counts[row["module"], row["signature"]] += row["count"]
            at = ("before", "after").index(side)
            found = {(row["modules"][at], row["signature"]): row[side]["counts"] for row in report["rows"]
                     if row["modules"][at] is not None}
            self.assertEqual(found, {name: [counts[name] for counts in by_name] for name in set().union(*by_name)})
            for row in report["rows"]:
                self.assertAlmostEqual(row[side]["count"]["value"], statistics.mean(row[side]["counts"]))
        # The median of the averages of two differences of pairs, or of one with itself. Six pairs differ in one direction
        # by chance in 2 of 64 cases, so the interval of 95 % is from the least to the largest difference.
        changes = [after - before for before, after in zip(report["before"]["counts"], report["after"]["counts"])]
        averages = [(one + other) / 2 for at, one in enumerate(changes) for other in changes[at:]]
        self.assertAlmostEqual(report["count_gained"]["value"], statistics.median(averages), delta=0.5)
        self.assertEqual(report["count_gained"]["ci95"], [min(changes), max(changes)])

    def test_a_program_has_no_change_from_its_own_recordings(self):
        files = [self.record(f"{at}") for at in range(6)]
        # Given in another order, they are not pairs of equal recordings. The changes of these pairs add up to 0, but
        # their middle need not be 0.
        for other in (files, [*files[1:], files[0]]):
            report = self.compare(files, other, "--json").json()
            self.assertEqual(report["evidence"], "pairs")
            low, high = report["count_gained"]["ci95"]
            self.assertTrue(low <= 0 <= high)
            self.assertIs(report["changed"], False)
            self.assertFalse(any(row["changed"] for row in report["rows"]))
        self.assertIn("no significant change", self.compare(files, files).stdout)

    def test_sides_that_cannot_be_compared(self):
        file, other = self.record("b"), self.record("a")
        faults = self.record("faults", event="minor-faults:u")
        nonsense = self.directory / "nonsense"
        nonsense.write_text("no recording\n" * 100)
        for args, what, remedy in (
                (["-i", file, "--compare"], "--compare needs a value", "tacho report --help"),
                (["-i", "--compare", file], "-i needs a recording, and '--compare' follows it", "give a file"),
                (["-i", file, file, "--compare", other], f"-i has the recording '{file}' twice", "once"),
                (["-i", file, "--compare", other, f"{self.directory}/./a"], "--compare has the recording", "once"),
                (["-i", file, other], "are no pieces of one recording", "--compare"),
                (["-i", file, "--compare", other, nonsense], f"--compare {nonsense}: ", ""),
                (["-i", file, nonsense, "--compare", other], f"-i {nonsense}: ", ""),
                (["-i", file, "--compare", other, self.directory / "none"], f"--compare {self.directory}/none: ", ""),
                (["-i", file, "--compare", other, faults], f"--compare {faults}: the recording has no event 'page-faults:u'",
                 "minor-faults:u"),
                (["-i", file, "--compare", other, faults, "-o", faults], f"'{faults}' is the recording that is read",
                 "another file")):
            with self.subTest(args):
                refused = run("report", *args)
                self.assertEqual((refused.code, refused.stdout), (125, ""), refused.stderr)
                self.assertEqual(refused.stderr.count("tacho: error: "), 1)
                self.assertIn(what, refused.stderr)
                self.assertIn("remedy: ", refused.stderr)
                self.assertIn(remedy, refused.stderr.partition("remedy: ")[2])


if __name__ == "__main__":
    unittest.main()
