"""Values that a program notes in its regions: their figures, against what the program says that it noted."""
import csv
import io
import statistics
import unittest

from tacho_cli import Scratch, sanitized, stat_json
from test_calipers import PROGRAMS, Calipers, lines, quantity, run


def truth(text):
    """The values of executions, by region and note, as the program printed them."""
    rows = [line.split() for line in text.splitlines()]
    return {(region, note): list(map(int, values)) for region, note, *values in rows}


class Notes(Calipers, Scratch):
    def assert_figures(self, figures, values):
        self.assertEqual((figures["noted"], figures["status"], figures["cost"]), (True, "counted", 0))
        self.assertEqual((figures["executions"], figures["total"]), (len(values), sum(values)))
        self.assertEqual((figures["min"], figures["max"]), (min(values), max(values)))
        self.assertAlmostEqual(figures["mean"], statistics.mean(values))
        median = statistics.median_low(values)
        self.assertAlmostEqual(figures["median"], median, delta=median / 128)

    def test_the_figures_are_those_of_the_values(self):
        regions, result = self.regions("noted", "values")
        noted = {(name, q["name"]): q for name, region in regions.items() for q in region["quantities"] if q["noted"]}
        values = truth(result.stdout)
        self.assertEqual(set(noted), set(values))
        for name, figures in noted.items():
            with self.subTest(name):
                self.assert_figures(figures, values[name])
        self.assertEqual(regions["inner"]["executions"], 200, "half of them noted no bytes")

    def test_values_of_executions_that_are_not_measured_are_dropped(self):
        regions, result = self.regions("noted", "dropped")
        noted = {name: [(q["name"], q["executions"], q["total"]) for q in region["quantities"] if q["noted"]]
                 for name, region in regions.items()}
        self.assertEqual(noted, {"switched": [("bytes", 1, 1000)], "around": [], "left open": [("bytes", 1, 50)]},
                         result.stderr)

    def test_a_forked_child_begins_without_values(self):
        result = run("noted", "forked", TACHO_REGIONS="json")
        figures = [quantity(region, "bytes") for process in lines(result.stderr) for region in process["regions"]
                   if region["name"] == "outer"]
        self.assertEqual(sorted((q["executions"], q["total"]) for q in figures), [(20, 100), (40, 120)])

    def test_a_sum_that_is_too_large_is_the_largest_number(self):
        regions, _ = self.regions("noted", "large")
        for name, region in regions.items():
            total = quantity(region, "value")["total"]
            self.assertEqual(total, float(2**64), name)

    def test_a_report_that_the_program_makes_knows_its_notes(self):
        text = run("noted", "report").stdout
        self.assertIn("bytes/s", text)
        document = lines(text)[0]
        self.assertEqual([(q["name"], q["noted"]) for q in document["regions"][0]["quantities"]],
                         [("ticks", False), ("bytes", True)])
        rows = list(csv.DictReader(io.StringIO(text[text.index("pid,region"):])))
        self.assertEqual([(row["quantity"], row["noted"]) for row in rows], [("ticks", "false"), ("bytes", "true")])

    @unittest.skipIf(sanitized(), "the sanitizers need memory of their own")
    def test_the_memory_of_first_executions_is_not_part_of_the_region_around(self):
        regions, _ = self.regions("noted", "first", TACHO_REGIONS_EVENTS="page-faults")
        self.needs_page_faults(regions)
        first, second = (quantity(regions[f"around {which} ones"], "page-faults")["total"]
                         for which in ("first", "second"))
        self.assertLess(first, 20)
        self.assertLess(second, 5)

    def test_without_regions_a_note_does_nothing(self):
        result = run("noted", "values")
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_the_text_has_rates(self):
        result = run("noted", "values", TACHO_REGIONS="text", TACHO_REGIONS_EVENTS="page-faults")
        values = truth(result.stdout)
        regions, _ = self.regions("noted", "values")
        rows = [line.split() for line in result.stderr.splitlines()]
        total = sum(values["outer", "bytes"])
        self.assertIn(["bytes", str(total)], [row[:2] for row in rows])
        seconds = [int(row[2]) / 1e9 for row in rows if row[:2] == ["time", "ns"]]
        rates = [float(row[1]) for row in rows if row and row[0] == "bytes/s"]
        self.assertAlmostEqual(rates[0], total / seconds[0], delta=0.001 * rates[0])
        if quantity(regions["outer"])["total"] > 0:
            labels = {row[0] for row in rows if row}
            self.assertLessEqual({"bytes/s", "lines/s", "depth/s"}, labels)

    def test_stat_adds_them_up_over_processes(self):
        command = f"{PROGRAMS}/noted forked; {PROGRAMS}/noted dropped"
        result, document = stat_json(self.directory, "--regions", "--", "sh", "-c", command)
        self.assertEqual(result.code, 0, result.stderr)
        noted = {region["name"]: [(q["name"], q["executions"], q["total"], q["min"], q["max"])
                                  for q in region["quantities"] if q["noted"]] for region in document["regions"]}
        self.assertEqual(noted["outer"], [("bytes", 60, 220, 3, 5)])
        self.assertEqual(noted["switched"], [("bytes", 1, 1000, 1000, 1000)])
        outer = next(region for region in document["regions"] if region["name"] == "outer")
        self.assertEqual(quantity(outer, "bytes")["median"], 3)


if __name__ == "__main__":
    unittest.main()
