"""The page of `tacho compare --html`: its sentences are those of the text report, and dots are the runs."""
import json
import os
import pathlib
import unittest

from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select

from page_case import PageCase
from page_documents import data_of, table_after, with_data

SOURCE = pathlib.Path(os.environ.get("SOURCE", pathlib.Path(__file__).resolve().parents[2]))
BUILD = pathlib.Path(os.environ.get("BUILD", SOURCE / "build" / "release"))
NAIVE = pathlib.Path(os.environ.get("EXAMPLES", BUILD / "examples")) / "naive"
SIMULATED = ("compare", "--pmu", "simulated:skylake", "-e", "instructions", "--gate", "instructions<=+100%", "--save")
METRICS = [{"name": "CPU time", "unit": "s", "reason": None}, {"name": "context-switches", "unit": "", "reason": None},
           {"name": "cycles", "unit": "", "reason": "there is no PMU"}]


def a_change(metric, verdict, change, ci95, **other):
    unit = next(each["unit"] for each in METRICS if each["name"] == metric)
    return {"metric": metric, "unit": unit, "command": "B", "role": "compared", "primary": metric == "CPU time",
            "pairs": 6, "before": 0.010, "after": 0.012, "scale": "ratio", "change": change, "ci95": ci95, "p": 0.03,
            "level": 0.05, "verdict": verdict, "findable": 0.034, "reason": None, **other}


def runs_of(values):
    """Runs of A and B from pairs of CPU times; the first pair is the warm-up."""
    return [{"command": "AB"[member], "member": member, "block": block, "begun_s": 2 * block + member, "exit": 0,
             "output_bytes": 0, "output_digest": "0", "values": [value, 7, None]}
            for block, pair in enumerate(values) for member, value in enumerate(pair)]


class CommandsPage(PageCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.saved = pathlib.Path(cls.folder) / "saved.json"
        cls.page = cls.page_of(*SIMULATED, cls.saved, f"{NAIVE} 20", f"{NAIVE} 24")

    def show(self, name, **changes):
        document = {**data_of(self.page)["document"], "metrics": METRICS, "gates": [], "pairs": 6, "looks": [6],
                    "pmu": {"kind": "software", "name": "perf_event", "counters": None}, **changes}
        return self.open_page(with_data(self.page, name, document=document))

    def main_text(self):
        return self.driver.find_element(By.TAG_NAME, "main").text

    def verdicts(self):
        return [each.text for each in self.driver.find_elements(By.CSS_SELECTOR, ".change-verdict")]

    def dots(self):
        return self.driver.execute_script("""
            return [...document.querySelectorAll(".run[aria-label]")].map((dot) => dot.getAttribute("aria-label"));""")

    def test_the_verdict_is_the_sentence_of_the_text_report(self):
        self.open_page(self.page)
        document = json.loads(self.saved.read_text())
        a, b = ([run["values"][0] for run in document["runs"] if run["command"] == each] for each in "AB")
        text, = self.verdicts()
        self.assertEqual(text, f"B has {100 * (b[0] / a[0] - 1):.2f} % more instructions than A (exactly).")
        report = self.tacho("compare", "--pmu", "simulated:skylake", "-e", "instructions", f"{NAIVE} 20", f"{NAIVE} 24")
        self.assertEqual(" ".join(report.split("\n\n")[0].split()), text)
        self.assertIn("instructions<=+100% holds (B: +", self.main_text())
        self.assertIn("2 simulated runs of each command counted alike: the counts are exact.", self.main_text())

    def test_every_run_is_a_dot_that_says_its_value(self):
        self.open_page(self.page)
        document = json.loads(self.saved.read_text())
        values = sorted(f"{run['values'][0]:,}" for run in document["runs"])
        runs = [label.rsplit(": ", 1)[1] for label in self.dots() if not label.startswith("pair")]
        self.assertEqual(sorted(runs), values)

    def test_words_numbers_and_places_of_changes_agree(self):
        times = [(0.010, 0.012)] * 7
        self.show("words", runs=runs_of(times), changes=[
            a_change("CPU time", "more", 0.2, [0.1, 0.3]),
            a_change("context-switches", "undecided", -0.05, [-0.2, 0.1], before=7, after=6.5),
            a_change("cycles", "missing", None, [None, None], before=None, after=None, pairs=0, reason="there is no PMU")])
        self.assertEqual(self.verdicts(), ["B takes 20 % more CPU time than A (10 to 30 %)."])
        rows = {row["Metric"]: row for row in table_after(self.driver, "Changes from A to B")}
        self.assertEqual(set(rows), {"CPU time", "context-switches"})
        self.assertEqual([rows["CPU time"][each] for each in ("Change", "Interval", "Verdict", "A", "B")],
                         ["+20 %", "(+10…+30)", "more", "10.00 ms", "12.00 ms"])
        self.assertEqual(rows["context-switches"]["Verdict"], "not decided")
        missing = self.driver.find_element(By.CSS_SELECTOR, "details.missing").get_attribute("textContent")
        self.assertIn("1 metric not compared", missing)
        self.assertIn("there is no PMU", missing)
        places = self.driver.execute_script("""
            return [...document.querySelectorAll(".changes tbody svg")].map((picture) => {
              const at = (name, which) => Number(picture.querySelector(name).getAttribute(which));
              return [at(".zero", "x1"), at(".interval", "x1"), at(".dot", "cx"), at(".interval", "x2")];
            });""")
        (zero, low, middle, high), (_, low_of_unsure, _, high_of_unsure) = places
        self.assertLess(zero, low)
        self.assertLess(low, middle)
        self.assertLess(middle, high)
        self.assertLess(low_of_unsure, zero)
        self.assertLess(zero, high_of_unsure)

    def test_no_difference_is_not_drawn_as_one_and_few_pairs_have_no_interval(self):
        self.show("few", runs=runs_of([(0.010, 0.011), (0.010, 0.012)]), pairs=1,
                  changes=[a_change("CPU time", "undecided", 0.2, [None, None], findable=None)])
        self.assertEqual(self.verdicts(), ["No difference in CPU time is shown between A and B: too few pairs."])
        self.assertEqual(self.driver.find_elements(By.CSS_SELECTOR, ".changes .interval"), [])
        self.assertEqual(len(self.driver.find_elements(By.CSS_SELECTOR, ".changes .dot.open")), 1)
        self.assertEqual(self.driver.find_elements(By.CSS_SELECTOR, ".runs rect.band"), [])

    def test_pairs_are_drawn_in_order_around_zero_and_the_warm_up_is_apart(self):
        self.show("pairs", runs=runs_of([(0.020, 0.020), (0.010, 0.011), (0.010, 0.009), (0.020, None)]),
                  changes=[a_change("CPU time", "undecided", 0.0, [-0.1, 0.1])])
        labels = self.dots()
        self.assertEqual([label for label in labels if label.startswith("pair")], ["pair 1: +10 %", "pair 2: -10 %"])
        self.assertEqual([label for label in labels if "warm-up" in label],
                         ["A, warm-up: 20.00 ms", "B, warm-up: 20.00 ms"])
        self.assertNotIn("B, run 3: 0", labels)
        zero, up, down = self.driver.execute_script("""
            const zero = Number([...document.querySelectorAll(".runs .zero")].pop().getAttribute("y1"));
            return [zero, ...[...document.querySelectorAll(".difference")].map((dot) => Number(dot.getAttribute("cy")))];
        """)
        self.assertAlmostEqual(zero - up, down - zero, delta=0.01)
        self.assertLess(up, zero)

    def test_another_metric_can_be_chosen(self):
        self.show("choose", runs=runs_of([(0.010, 0.012)] * 3), changes=[
            a_change("CPU time", "more", 0.2, [0.1, 0.3]), a_change("context-switches", "equal", 0, [0, 0])])
        choice = Select(self.driver.find_element(By.CSS_SELECTOR, "main select"))
        self.assertEqual([each.text for each in choice.options], ["CPU time", "context-switches"])
        choice.select_by_visible_text("context-switches")
        self.assertIn("A, run 1: 7", self.dots())

    def test_a_baseline_is_said_to_have_run_at_another_time(self):
        runs = runs_of([(0.010, 0.012)] * 3)
        self.show("baseline", runs=[run for run in runs if run["member"] == 1] + [run for run in runs if run["member"] == 0],
                  changes=[a_change("CPU time", "more", 0.2, [0.1, 0.3])])
        self.assertIn("The commands did not run side by side.", self.main_text())
        self.assertEqual([label for label in self.dots() if label.startswith("pair")], [])

    def test_a_sweep_says_how_the_cost_grows(self):
        page = self.page_of("compare", "--pmu", "simulated:skylake", "-e", "instructions", "--sweep", "n=8,16,24",
                            f"{NAIVE} {{n}}")
        self.open_page(page)
        growth, = data_of(page)["document"]["growth"]
        self.assertIn(f"Growth of instructions with n: n^{growth['exponent']:.2f}", self.verdicts()[0])
        runs = len(data_of(page)["document"]["runs"])
        self.assertEqual(len(self.driver.find_elements(By.CSS_SELECTOR, ".growth circle.run")), runs)

    def test_layout_and_nothing_compared(self):
        self.show("layout", runs=[], changes=[], layout_share={"value": -0.03, "ci95": [-1.4, 0.56]})
        self.assertIn("Nothing was compared.", self.main_text())
        self.assertIn("it explains 0 % of the spread between runs (0 to 56 %)", self.main_text())


if __name__ == "__main__":
    unittest.main()
