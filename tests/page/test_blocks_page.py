"""The pages of `tacho blocks --html` and `tacho blocks --compare --html`: their numbers are those of --json."""
import copy
import json
import os
import pathlib
import unittest

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from page_case import PageCase
from page_documents import press, table_after, with_data

SOURCE = pathlib.Path(os.environ.get("SOURCE", pathlib.Path(__file__).resolve().parents[2]))
BUILD = pathlib.Path(os.environ.get("BUILD", SOURCE / "build" / "release"))
PROGRAM = pathlib.Path(os.environ.get("EXAMPLES", BUILD / "examples")) / "random-loads"


class BlocksPage(PageCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.plain, cls.prefetch = (str(pathlib.Path(cls.folder) / name) for name in ("plain.data", "prefetch.data"))
        for recording, *options in ((cls.plain,), (cls.prefetch, "--prefetch")):
            cls.tacho("record", "-b", "--pmu", "simulated:skylake", "-e", "cycles", "-c", "10007", "-o", recording,
                      "--", PROGRAM, *options, "20971520", "10000")
        cls.page = cls.page_of("blocks", "-i", cls.plain)
        cls.document = json.loads(cls.tacho("blocks", "-i", cls.plain, "--json"))
        cls.few = {**cls.document, "runs": cls.document["runs"][:3], "branches": [], "loops": [], "chains": []}
        cls.compared = cls.page_of("blocks", "-i", cls.plain, "--compare", cls.prefetch)
        cls.comparison = json.loads(cls.tacho("blocks", "-i", cls.plain, "--compare", cls.prefetch, "--json"))

    def show(self, name, **changes):
        return self.open_page(with_data(self.page, name, document={**copy.deepcopy(self.few), **changes}))

    def main_text(self):
        return self.driver.find_element(By.TAG_NAME, "main").text

    def panel(self):
        return self.driver.find_element(By.CSS_SELECTOR, ".code-run").text

    def test_the_table_has_the_numbers_of_json(self):
        self.open_page(self.page)
        runs = self.document["runs"]
        total = sum(run["cycles"]["sum"] for run in runs)
        rows = table_after(self.driver, "Code runs")
        self.assertEqual(min(100, len(runs)), len(rows))
        for run, row in zip(runs[:20], rows):
            cycles = run["cycles"]
            self.assertEqual(f"{100 * cycles['sum'] / total:.1f} %", row["cycles"])
            self.assertEqual(f"{run['count']:,}", row["executions"])
            median, ends = cycles["median"], cycles["median_ci95"]
            self.assertEqual(f"{median:,} (?)" if ends is None else f"{median:,}" if ends[0] == ends[1]
                             else f"{median:,} ({ends[0]:,}…{ends[1]:,})", row["median"])
            self.assertEqual([f"{cycles[key]:,}" for key in ("min", "p90", "p99")],
                             [row[key] for key in ("min", "p90", "p99")])
            low, high = run["mispredicted_ci95"]
            self.assertEqual(f"{100 * run['mispredicted'] / run['count']:.1f} % ({100 * low:.1f}…{100 * high:.1f})",
                             row["mispredicted"])
            self.assertEqual(run["ipc_ci95"] is None, "(?)" in row["IPC"])
        self.assertTrue(rows[0]["run"].startswith("foo+0x0"))

    def test_the_hottest_run_is_explained(self):
        self.open_page(self.page)
        run, why = self.document["runs"][0], self.document["explanations"][0]
        self.assertIn(f"{why['floor']['cycles']:.1f} cycles if nothing missed", self.panel())
        for mode in why["modes"]:
            low, high = mode["share_ci95"]
            self.assertIn(f"{100 * mode['share']:.1f} % of executions ({100 * low:.1f}…{100 * high:.1f} %) at",
                          self.panel())
        self.assertEqual(len(run["cycles"]["modes"]),
                         len(self.driver.find_elements(By.CSS_SELECTOR, ".code-run .picture .mode-interval")))
        self.assertEqual(1, len(self.driver.find_elements(By.CSS_SELECTOR, ".code-run .picture .upright-line.floor")))

    def test_the_histogram_holds_every_execution(self):
        self.open_page(self.page)
        run = self.document["runs"][0]
        if self.driver.find_elements(By.XPATH, "//button[text()='all executions']"):
            press(self.driver, "all executions")
        texts = self.driver.execute_script("""
            const press = (key) => document.querySelector(".code-run .catch").dispatchEvent(
                new KeyboardEvent("keydown", { key }));
            const texts = new Set();
            press("Home");
            for (let text = ""; !texts.has(text); press("ArrowRight")) {
              texts.add(text);
              text = document.querySelector(".tooltip").textContent;
            }
            return [...texts].slice(1);
        """)
        executions = [int(text.split("\n")[1].split(" execution")[0].replace(",", "")) for text in texts]
        self.assertEqual(run["count"], sum(executions))

    def test_the_code_is_beside_it(self):
        self.open_page(self.page)
        code = table_after(self.driver, "Code")
        instructions = self.document["listings"][0]["instructions"]
        self.assertEqual((instructions[0]["address"], "128 times, to " + instructions[127]["address"]),
                         (code[0]["address"], code[0]["source"]))
        self.assertEqual([each["text"] for each in instructions[128:]], [row["instruction"] for row in code[1:]])

    def test_enter_opens_a_run(self):
        self.open_page(self.page)
        row = self.driver.find_element(By.CSS_SELECTOR, "tbody tr.opens")
        row.send_keys(Keys.ARROW_DOWN)
        self.driver.switch_to.active_element.send_keys(Keys.ENTER)
        second = self.document["runs"][1]
        self.assertIn(f"{second['start']} to {second['end']}: {second['count']:,} execution", self.panel())

    def test_loops_have_trip_counts(self):
        self.open_page(self.page)
        for loop, row in zip(self.document["loops"], table_after(self.driver, "Loops"), strict=True):
            self.assertIn("at least" if loop["trips"] is None else "(", row["iterations each time"])
            self.assertEqual(f"{loop['count']:,} time{'' if loop['count'] == 1 else 's'}", row["seen"])

    def test_a_run_without_code_says_so(self):
        self.show("bare", listings=[], explanations=[])
        self.assertIn("The page does not have the code of this run.", self.panel())
        self.assertNotIn("if nothing missed", self.main_text())

    def test_details_of_a_run(self):
        run = self.document["runs"][1]
        detail = {"listings": [{"start": run["start"], "end": run["end"], "instructions": [
                      {"address": run["start"], "text": "jmp 0x0", "target": "elsewhere", "block": True,
                       "file": "/a/b.cpp", "line": 7, "inlined": None},
                      {"address": run["end"], "text": "ret", "target": None, "block": False, "file": None,
                       "line": None, "inlined": None}]}]}
        document = {**copy.deepcopy(self.few), "runs": self.few["runs"][1:], "explanations": [], **detail}
        self.open_page(with_data(self.page, "details", document=document))
        first, last = table_after(self.driver, "Code")
        self.assertEqual(("jmp 0x0 <elsewhere>", "b.cpp:7"), (first["instruction"], first["source"]))
        self.assertIn("mispredicted", last["source"])

    def test_branches_without_cycles(self):
        runs = [{**run, "ipc": None, "ipc_ci95": None,
                 "cycles": {**dict.fromkeys(run["cycles"]), "count": 0, "sum": 0, "modes": [], "histogram": [],
                            "saturated": 0}} for run in self.document["runs"][:3]]
        self.show("untimed", runs=runs, has_cycles=False, listings=[], explanations=[])
        self.assertIn("The branches have no cycles", self.main_text())
        self.assertNotIn("median", table_after(self.driver, "Code runs")[0])

    def test_no_run_at_all(self):
        self.show("empty", runs=[], loops=[], chains=[], listings=[], explanations=[])
        self.assertIn("The stacks contain no code run.", self.main_text())

    def test_saturated_executions_are_a_lower_bound(self):
        run = copy.deepcopy(self.document["runs"][0])
        run["cycles"].update(saturated=7, p99=65535, histogram=[[10, 93], [65535, 7]])
        self.show("saturated", runs=[run])
        row, = table_after(self.driver, "Code runs")
        self.assertEqual("≥65,535", row["p99"])
        self.assertTrue(row["IPC"].startswith("≤"))
        self.assertIn("7 executions took 65,535 cycles or more", self.panel())

    def test_names_are_text(self):
        run = {**self.document["runs"][0], "function": "<img src=x onerror=alert(1)>\x1b" + "n" * 10000}
        self.show("names", runs=[run])
        self.assertEqual([], self.driver.find_elements(By.TAG_NAME, "img"))
        self.assertIn("<img src=x onerror=alert(1)>\\x1b", self.panel())

    def test_many_runs(self):
        run = {**self.document["runs"][0], "cycles": {**self.document["runs"][0]["cycles"], "histogram": [[3, 1]]}}
        self.show("many", runs=[{**run, "start": hex(number)} for number in range(20000)])
        self.assertEqual(100, len(table_after(self.driver, "Code runs")))

    def test_two_programs_have_the_words_of_the_report(self):
        self.open_page(self.compared)
        words = " ".join(self.tacho("blocks", "-i", self.plain, "--compare", self.prefetch).split())
        first = self.comparison["runs"][0]
        lines = self.driver.find_element(By.CSS_SELECTOR, ".code-run .words").text.split("\n")
        for line in set(lines) - {"median", "mean", "modes", "result"}:
            self.assertIn(line, words)
        self.assertIn(f"{first['before']['count']:,} executions before, {first['after']['count']:,} after.",
                      self.panel())

    def test_both_histograms_are_in_one_picture(self):
        self.open_page(self.compared)
        styles = [self.driver.execute_script("const style = getComputedStyle(arguments[0]); return [style.stroke, "
                                             "style.strokeDasharray];", each)
                  for each in self.driver.find_elements(By.CSS_SELECTOR, ".code-run .picture .outline")]
        self.assertEqual(2, len(styles))
        self.assertNotEqual(styles[0][0], styles[1][0])
        self.assertNotEqual(styles[0][1], styles[1][1])

    def test_one_recording_a_side_is_no_evidence(self):
        self.open_page(self.compared)
        self.assertIn("do not show how much two runs of one program differ", self.main_text())


if __name__ == "__main__":
    unittest.main()
