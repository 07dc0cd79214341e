"""The page of `tacho stat --html`: its figures are those of --json, and time is drawn as the periods of --series are."""
import json
import os
import pathlib
import re
import unittest

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from page_case import PageCase
from page_documents import data_of, table_after, with_data

SOURCE = pathlib.Path(os.environ.get("SOURCE", pathlib.Path(__file__).resolve().parents[2]))
BUILD = pathlib.Path(os.environ.get("BUILD", SOURCE / "build" / "release"))
NAIVE = pathlib.Path(os.environ.get("EXAMPLES", BUILD / "examples")) / "naive"
WHY = ("--pmu", "simulated:skylake", "-S", "why", "--counters", "3")
HOSTILE = "<img src=x onerror=alert(1)>\u202e\n" + "x" * 10_000


def an_event(name, **other):
    return {"name": name, "status": "counted", "count": 5, "estimate": 5, "ci95": 0, "low": 5, "high": 5, "share": 1,
            "periods": 1, "reason": None, "remedy": None, "unit": None, "minimum": None, "truth": None, "shared95": 0,
            **other}


def rounding(value, ci95):
    """A figure has the digits that its interval leaves certain, or three if a run of few periods has no interval."""
    return abs(value) / 200 if ci95 is None else ci95 / 2


class StatPage(PageCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        series = pathlib.Path(cls.folder) / "why.series"
        cls.tacho("stat", *WHY, "--series", series, "-o", os.devnull, "--", NAIVE, "90")
        lines = [json.loads(line) for line in series.read_text().splitlines()]
        cls.series = {"head": lines[0], "periods": [line for line in lines if "period" in line]}
        cls.page = with_data(cls.page_of("stat", *WHY, "--", NAIVE, "90"), "why", series=cls.series)
        cls.document = data_of(cls.page)["document"]

    def show(self, name, **changes):
        page = data_of(self.page)
        members = {key: changes.pop(key) for key in ("series", "intervals") if key in changes}
        return self.open_page(with_data(self.page, name, document={**page["document"], **changes},
                                        **{"series": None, **members}))

    def main_text(self):
        return self.driver.find_element(By.TAG_NAME, "main").text

    def rows(self, heading, column):
        return {row[column]: row for row in table_after(self.driver, heading)}

    def test_every_event_has_the_figure_of_json_and_says_how_it_was_counted(self):
        self.open_page(self.page)
        rows = self.rows("Events", "Event")
        self.assertEqual(set(rows), {event["name"] for event in self.document["events"]})
        for event in self.document["events"]:
            row = rows[event["name"]]
            if event["status"] == "simulated":
                self.assertEqual((f"{event['count']:,}", "simulated"), (row["Figure"], row["How"]))
                continue
            self.assertEqual("estimated", event["status"])
            self.assertIn(f"({event['periods']} periods)", row["How"])
            self.assertAlmostEqual(100 * event["share"], float(re.search(r"from ([\d.]+) %", row["How"])[1]), delta=0.06)
            shown = float(re.match(r"~([\d,]+)", row["Figure"])[1].replace(",", ""))
            self.assertAlmostEqual(event["estimate"], shown, delta=max(rounding(event["estimate"], event["ci95"]), 1))

    def test_metrics_have_the_values_of_json(self):
        self.open_page(self.page)
        rows = self.rows("Metrics", "Metric")
        known = [metric for metric in self.document["metrics"] if metric["value"] is not None]
        self.assertEqual(set(rows), {metric["name"] for metric in known})
        for metric in known:
            shown = float(re.search(r"[\d,.]+", rows[metric["name"]]["Figure"])[0].replace(",", ""))
            self.assertAlmostEqual(metric["value"], shown, delta=rounding(metric["value"], metric["ci95"]))

    def test_cycles_are_one_bar_whose_pieces_are_as_wide_as_the_causes(self):
        metrics = {"Waited for loads": 40.0, "for stores": 5.0, "for translations": 10.0, "for operands": 20.0,
                   "for instructions": 4.0, "after mispredictions": 1.0}
        self.show("cycles", metrics=[{"name": name, "value": value, "unit": "%", "ci95": 0, "low": value, "high": value,
                                      "reason": None, "shared95": 0} for name, value in metrics.items()])
        self.assertIn("Where the cycles went (simulated)", self.main_text())
        self.assertIn("waited most for loads: 40.00 %", self.main_text())
        widths = self.driver.execute_script("""
            return [...document.querySelectorAll("rect.cycles")].filter((each) => each.getAttribute("height") === "28")
                .map((each) => Number(each.getAttribute("width")));""")
        self.assertEqual(len(widths), 7)
        for width, percent in zip(widths, [20, *metrics.values()]):
            self.assertAlmostEqual(100 * width / sum(widths), percent, delta=0.01)

    def show_cycles(self, name, **intervals):
        """A page whose causes have these figures: (value, low, high); the others have 1 % without an interval's width."""
        causes = {"loads": "Waited for loads", "stores": "for stores", "translations": "for translations",
                  "operands": "for operands", "instructions": "for instructions", "mispredictions": "after mispredictions"}
        figures = {causes[cause]: intervals.get(cause, (1, 1, 1)) for cause in causes}
        self.show(name, metrics=[{"name": metric, "value": value, "unit": "%", "low": low, "high": high, "reason": None,
                                  "ci95": None if low is None else (high - low) / 2, "shared95": 0}
                                 for metric, (value, low, high) in figures.items()])
        return self.main_text(), len(self.driver.find_elements(By.CSS_SELECTOR, ".whisker.tip"))

    def test_only_a_cause_whose_interval_is_above_all_others_is_the_largest(self):
        text, _ = self.show_cycles("apart", operands=(30, 26, 34), loads=(20, 15, 25))
        self.assertIn("It waited most for operands: 30", text)
        text, _ = self.show_cycles("overlap", operands=(30, 24, 36), loads=(20, 15, 25), stores=(10, 8, 12))
        self.assertIn("It waited mostly for operands or for loads: 30", text)
        text, _ = self.show_cycles("three", operands=(30, 10, 60), loads=(20, 10, 40), mispredictions=(15, 5, 30))
        self.assertIn("It waited mostly for operands, for loads or after mispredictions: 30", text)
        text, _ = self.show_cycles("unknown", operands=(30, None, None))
        self.assertNotIn("waited most for", text)

    def test_an_interval_beyond_the_picture_has_an_arrow(self):
        text, arrows = self.show_cycles("beyond", loads=(4, 3, 5), instructions=(40, 10, 200))
        self.assertEqual(1, arrows)
        self.assertIn("goes on beyond the picture", text)
        text, arrows = self.show_cycles("exact")
        self.assertEqual(0, arrows)
        self.assertNotIn("Thin lines", text)

    def test_what_has_no_number_is_listed_with_its_reason_and_is_not_in_the_table(self):
        self.show("missing", events=[an_event("cycles"), an_event("walks", status="unsupported", count=None, estimate=None,
                                                                  ci95=None, low=None, high=None,
                                                                  reason="there is no such counter", remedy="ask")])
        self.assertEqual(set(self.rows("Events", "Event")), {"cycles"})
        missing = self.driver.find_element(By.CSS_SELECTOR, "details.missing")
        self.assertIn("1 event without a number", missing.text)
        for text in "walks", "unsupported", "there is no such counter", "ask":
            self.assertIn(text, missing.get_attribute("textContent"))

    def test_advice_is_a_note_and_no_warning(self):
        advice = "A simulated processor can count instead: tacho stat --pmu simulated -- COMMAND"
        self.assertEqual("", data_of(self.page)["advice"])
        self.open_page(self.page)
        self.assertEqual([], self.driver.find_elements(By.CSS_SELECTOR, ".advice"))
        self.open_page(with_data(self.page, "advice", advice=advice))
        self.assertEqual(advice, self.driver.find_element(By.CSS_SELECTOR, "main .note.advice").text)
        warnings = self.driver.find_elements(By.CSS_SELECTOR, ".warnings li")
        self.assertEqual(data_of(self.page)["warnings"], [each.text for each in warnings])

    def test_advice_of_tacho_is_not_among_the_warnings(self):
        data = data_of(self.page_of("stat", "-e", "cycles,page-faults", "--", NAIVE, "20"))
        self.assertEqual(data["document"]["warnings"], data["warnings"])
        if data["document"]["pmu"]["kind"] == "software":
            self.assertRegex(data["advice"], "can count instead|may count instead")

    def values_at_cursor(self):
        return dict(self.driver.execute_script("""
            return [...document.querySelectorAll(".tracks > svg")].map((track) =>
                [".track-name", ".track-value"].map((part) => track.querySelector(part).textContent));"""))

    def test_the_cursor_reads_the_rates_of_the_period_and_only_of_events_that_it_counted(self):
        self.open_page(self.page)
        figure = self.driver.find_element(By.CSS_SELECTOR, ".over-time")
        figure.send_keys(Keys.SHIFT, *[Keys.ARROW_RIGHT] * 3)
        shown = self.values_at_cursor()
        period = self.series["periods"][2]
        self.assertEqual(len(shown), len(self.series["head"]["events"]))
        prefixes = {"": 1, "k": 1e3, "M": 1e6, "G": 1e9}
        for event in self.series["head"]["events"]:
            text = shown[event["name"] + ", per second"]
            if event["duty"] == "turned" and event["set"] != period["set"]:
                self.assertEqual("not counted here", text)
                continue
            count = (period["counts"] if event["duty"] == "turned" else period["always"])[event["slot"]]
            number, prefix = re.fullmatch(r"([\d.]+) ([kMG]?)/s", text).groups()
            rate = count / period["duration_s"]
            self.assertAlmostEqual(float(number) * prefixes[prefix], rate, delta=0.06 * rate)

    def test_keys_zoom_move_and_show_the_whole_time(self):
        self.open_page(self.page)
        figure = self.driver.find_element(By.CSS_SELECTOR, ".over-time")
        end = max(each["start_s"] + each["duration_s"] for each in self.series["periods"])

        def span(*keys):
            figure.send_keys(*keys)
            self.driver.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")
            text = figure.find_element(By.CSS_SELECTOR, ".said").text
            return [float(each) for each in re.findall(r"([\d.]+) s", text)] or text

        self.assertEqual(span("0"), "the whole time")
        for got, wanted in zip(span("+"), (end / 4, end * 3 / 4)):
            self.assertAlmostEqual(got, wanted, delta=2e-6)
        for got, wanted in zip(span(Keys.ARROW_LEFT), (end / 8, end * 5 / 8)):
            self.assertAlmostEqual(got, wanted, delta=2e-6)
        self.assertEqual(span("-"), "the whole time")
        # Steps there and back are rounded, each in another way.
        for steps in range(1, 9):
            span("+", "+", *[Keys.ARROW_LEFT, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT] * steps)
            self.assertEqual(span("-", "-"), "the whole time")

    def test_only_events_that_took_turns_have_hatched_gaps(self):
        self.open_page(self.page)
        hatched = self.driver.execute_script("""
            return [...document.querySelectorAll(".tracks > svg")].filter((track) => track.querySelector("pattern"))
                .map((track) => track.querySelector(".track-name").textContent);""")
        turned = {event["name"] for event in self.series["head"]["events"] if event["duty"] == "turned"}
        self.assertEqual({name.split(",")[0] for name in hatched}, turned)

    def test_a_reporting_interval_without_a_number_is_a_gap(self):
        known = {"events": [an_event("faults", estimate=10, low=10, high=10)], "metrics": [], "warnings": [], "parts": []}
        unknown = {"events": [an_event("faults", estimate=None, ci95=None, low=None, high=None)], "metrics": [],
                   "warnings": [], "parts": []}
        intervals = [{"interval": end, **(unknown if end == 2 else known)} for end in (1, 2, 4)]
        self.show("gap", intervals=intervals)
        self.assertIn("3 reporting intervals", self.main_text())
        line = self.driver.find_element(By.CSS_SELECTOR, ".tracks .line").get_attribute("d")
        self.assertEqual(line.count("M"), 2)
        figure = self.driver.find_element(By.CSS_SELECTOR, ".over-time")
        figure.send_keys(Keys.SHIFT + Keys.ARROW_RIGHT)
        self.assertEqual(self.values_at_cursor(), {"faults, per second": "10.0 /s"})
        figure.send_keys(Keys.SHIFT + Keys.ARROW_RIGHT)
        self.assertEqual(self.values_at_cursor(), {"faults, per second": "5.00 /s"})

    def test_a_short_stretch_does_not_set_the_scale_and_the_cursor_reads_its_figure(self):
        def interval(end, count):
            return {"interval": end, "events": [an_event("faults", estimate=count, low=count, high=count)], "metrics": [],
                    "warnings": [], "parts": []}
        counts = [10, 20, 10, 10, 10]
        ends = [1, 2, 3, 4, 4.05]
        self.show("short", intervals=[interval(end, count) for end, count in zip(ends, counts)])
        self.assertEqual(["0", "20"], self.ticks())
        self.assertEqual(1, len(self.driver.find_elements(By.CSS_SELECTOR, ".tracks .beyond")))
        self.assertIn("has a figure above the scale", self.main_text())
        figure = self.driver.find_element(By.CSS_SELECTOR, ".over-time")
        figure.send_keys(Keys.SHIFT, *[Keys.ARROW_RIGHT] * 5)
        self.assertEqual(self.values_at_cursor(), {"faults, per second": "200 /s"})
        self.show("long", intervals=[interval(end, 200 if end == 3 else 10) for end in (1, 2, 3, 4, 4.5)])
        self.assertEqual(["0", "200"], self.ticks())
        self.assertEqual([], self.driver.find_elements(By.CSS_SELECTOR, ".tracks .beyond"))
        constant = [10, 10, 10, 10, 0.50001]  # as cycles of a simulated clock
        self.show("constant", intervals=[interval(end, count) for end, count in zip(ends, constant)])
        self.assertEqual([], self.driver.find_elements(By.CSS_SELECTOR, ".tracks .beyond"))
        self.show("rare", intervals=[interval(end, 10 if end == 4.05 else 0) for end in ends])
        self.assertEqual(["0", "200"], self.ticks())

    def ticks(self):
        return [each.text for each in self.driver.find_elements(By.CSS_SELECTOR, ".tracks .axis text")]

    def test_phases_begin_where_the_program_changes_what_it_does(self):
        forks = "sleep 1; i=0; while [ $i -lt 300 ]; do /bin/true; i=$((i+1)); done"
        page = self.page_of("stat", "-I", "20", "-e", "page-faults,cycles", "--", "sh", "-c", forks)
        intervals = data_of(page)["intervals"]
        ends = [each["interval"] for each in intervals]
        forking = next(i for i, each in enumerate(intervals) if ends[i] > 0.9 and each["events"][0]["count"] > 0)
        self.open_page(page)
        label = self.driver.find_element(By.CSS_SELECTOR, ".tracks > svg").get_attribute("aria-label")
        phases = re.findall(r"([\d.]+ ?[kM]?) from ([\d.]+) s", label)
        self.assertGreaterEqual(len(phases), 2, label)
        self.assertLess(float(phases[0][1]), 0.1)
        self.assertAlmostEqual(float(phases[1][1]), ends[forking - 1], delta=0.1)
        borders = self.driver.find_elements(By.CSS_SELECTOR, ".phase-border")
        self.assertEqual(len(borders), len(phases) - 1)

    def test_runs_are_dots_in_their_order_on_one_scale(self):
        runs = [0.010, 0.013, None, 0.011]
        self.show("runs", runs=4, elapsed_s=0.0113, elapsed_ci95_s=0.002, elapsed_low_s=0.0095, elapsed_high_s=0.0135,
                  elapsed_runs_s=runs, simulated_s=None, simulated_runs_s=None)
        self.assertIn("Elapsed time of 4 runs: mean 11.3 ms", self.main_text())
        dots = self.driver.execute_script("""
            return [...document.querySelectorAll("circle.dot")].filter((dot) => dot.closest("[aria-label^=run]"))
                .map((dot) => [dot.parentNode.getAttribute("aria-label"), Number(dot.getAttribute("cy"))]);""")
        self.assertEqual([label for label, _ in dots], ["run 1: 0.0100 s", "run 2: 0.0130 s", "run 4: 0.0110 s"])
        (_, first), (_, second), (_, fourth) = dots
        self.assertAlmostEqual((first - fourth) / (first - second), 1 / 3, places=3)

    def test_parts_are_a_table_with_a_row_for_each(self):
        parts = [{"label": f"CPU {number}", "events": [an_event("faults", estimate=number * 1000, count=number * 1000)],
                  "metrics": [], "warnings": []} for number in range(3)]
        self.show("parts", parts=parts)
        rows = {row["Part"]: row["faults"] for row in table_after(self.driver, "Parts")}
        self.assertEqual(rows, {"CPU 0": "0", "CPU 1": "1,000", "CPU 2": "2,000"})

    def test_names_are_never_markup_and_nothing_is_wider_than_a_phone(self):
        self.driver.set_window_size(500, 900)
        self.addCleanup(self.driver.set_window_size, 1280, 900)
        self.show("hostile", events=[an_event(HOSTILE), an_event("zero", status="estimated", estimate=0, share=None)],
                  parts=[{"label": HOSTILE, "events": [an_event("a")], "metrics": [], "warnings": [HOSTILE]}],
                  series=self.series)
        self.assertEqual(self.driver.find_elements(By.CSS_SELECTOR, "main img"), [])
        self.assertIn("<img src=x onerror=alert(1)>\\u202e", self.main_text())
        width, room = self.driver.execute_script(
            "return [document.documentElement.scrollWidth, document.documentElement.clientWidth]")
        self.assertLessEqual(width, room)

    def test_without_any_figure_the_page_says_so(self):
        self.show("empty", events=[], metrics=[], parts=[], sets=0, cycles_error=None)
        self.assertIn("No event was counted.", self.main_text())


if __name__ == "__main__":
    unittest.main()
