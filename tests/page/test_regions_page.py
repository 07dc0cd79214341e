"""The page of `tacho regions … report --html`, and the regions of `tacho stat --html`."""
import os
import pathlib
import unittest

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

from page_case import PageCase
from page_documents import data_of, table_after, with_data

SOURCE = pathlib.Path(os.environ.get("SOURCE", pathlib.Path(__file__).resolve().parents[2]))
BUILD = pathlib.Path(os.environ.get("BUILD", SOURCE / "build" / "release"))
WORKLOAD = pathlib.Path(os.environ.get("WORKLOADS", BUILD / "tests" / "cli" / "workloads")) / "regions"
UNITS = {"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1}


def in_seconds(text):
    number, unit = text.split()
    return float(number) * UNITS[unit]


def a_quantity(name="ticks", **other):
    return {"name": name, "unit": None, "status": "counted", "executions": 10, "total": 10_000, "ci95": 0, "low": 10_000,
            "high": 10_000, "share": 1, "min": 100, "mean": 1000, "median": 900, "p99": 4000, "max": 5000, "cost": 0,
            "reason": None, "remedy": None, "noted": False, **other}


def a_region(name, *quantities, **other):
    return {"name": name, "program": "app", "processes": 1, "threads": 1, "executions": 10, "recursions": 0,
            "unfinished": 0, "left_open_by": None, "too_short": False, "own_ticks": 10_000, "ticks_hz": 1e9,
            "ticks_of_a_process": None, "quantities": list(quantities) or [a_quantity()], **other}


class RegionsPage(PageCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.page = cls.page_of("stat", "-e", "task-clock", "--regions", "--", WORKLOAD, "nested", "20", "5")
        cls.document = data_of(cls.page)["document"]

    def show(self, name, regions, paths=(), processes=()):
        document = {"regions": regions, "region_paths": list(paths), "region_processes": list(processes), "warnings": []}
        return self.open_page(with_data(self.page, name, kind="regions", document=document))

    def main_text(self):
        return self.driver.find_element(By.TAG_NAME, "main").text

    def test_regions_of_a_run_have_their_counts_and_times(self):
        self.open_page(self.page)
        rows = {row["Region"]: row for row in table_after(self.driver, "Regions")}
        self.assertEqual({name: row["Executions"] for name, row in rows.items()}, {"outer": "20", "inner": "100"})
        for region in self.document["regions"]:
            ticks = region["quantities"][0]
            for column, key in ("Total", "total"), ("Mean", "mean"), ("Median", "median"), ("99 %", "p99"):
                seconds = ticks[key] / region["ticks_hz"]
                self.assertAlmostEqual(in_seconds(rows[region["name"]][column]), seconds, delta=seconds * 0.006)

    def test_a_region_stands_below_the_one_around_it_and_is_as_wide_as_its_time(self):
        self.open_page(self.page)
        cells = self.driver.execute_script("""
            return [...document.querySelectorAll(".cell")].map((cell) => {
              const box = cell.querySelector("rect").getBoundingClientRect();
              return [cell.getAttribute("aria-label").split("\\n")[0], box.left, box.right, box.top, box.bottom];
            });""")
        self.assertEqual([cell[0] for cell in cells], ["outer", "inner"])
        (_, left, right, _, bottom), (_, inner_left, inner_right, inner_top, _) = cells
        self.assertGreaterEqual(inner_left, left)
        self.assertLessEqual(inner_right, right)
        self.assertGreaterEqual(inner_top, bottom)
        outer, inner = self.document["region_paths"]
        self.assertAlmostEqual((inner_right - inner_left) / (right - left), inner["ticks"] / outer["ticks"], delta=0.01)

    def test_the_arrows_go_through_the_nested_regions_and_say_their_figures(self):
        self.open_page(self.page)
        first = self.driver.find_element(By.CSS_SELECTOR, ".cell")
        first.send_keys(Keys.ARROW_RIGHT)
        tooltip = self.driver.find_element(By.CSS_SELECTOR, ".tooltip")
        self.assertIn("inner\n100 executions", tooltip.text)
        self.driver.switch_to.active_element.send_keys(Keys.ESCAPE)
        self.assertFalse(tooltip.is_displayed())

    def test_the_distribution_is_on_one_scale_for_all_regions(self):
        slow = a_quantity(min=10_000, median=90_000, mean=100_000, p99=400_000, max=500_000)
        self.show("strips", [a_region("fast"), a_region("slow", slow)])
        places = self.driver.execute_script("""
            return [...document.querySelectorAll(".strip")].map((strip) => {
              const at = (name, which) => Number(strip.querySelector(name).getAttribute(which));
              return [at(".reach", "x1"), at(".dot", "cx"), at(".ring", "cx"), at(".reach", "x2")];
            });""")
        fast, slow = places
        self.assertEqual(fast, sorted(fast))
        for near, far in zip(fast, slow):  # 100 times slower: the same distance on a logarithmic scale
            self.assertAlmostEqual(far - near, slow[0] - fast[0], delta=0.01)
        self.assertIn("smallest 100 ns, median 900 ns, 99 % 4.00 µs, largest 5.00 µs",
                      self.driver.find_element(By.CSS_SELECTOR, ".strip").get_attribute("aria-label"))

    def test_buckets_are_drawn_as_columns(self):
        values = {"scale": 1, "buckets": "100 3 28 6"}  # bucket 128 holds the values 128 and 129
        self.show("buckets", [a_region("task", a_quantity(min=100, median=128, mean=120, p99=129, max=129, values=values))])
        heights = self.driver.execute_script("""
            return [...document.querySelectorAll(".heap")].map((column) => Number(column.getAttribute("height")));""")
        self.assertEqual(len(heights), 2)
        self.assertAlmostEqual(heights[0] / heights[1], 3 / 6)

    def test_real_regions_have_columns_for_all_their_executions(self):
        for region in self.document["regions"]:
            for quantity in region["quantities"]:
                numbers = list(map(int, quantity["values"]["buckets"].split()))
                self.assertEqual(sum(numbers[1::2]), quantity["executions"], quantity["name"])
        self.open_page(self.page)
        for strip in self.driver.find_elements(By.CSS_SELECTOR, ".strip"):
            self.assertTrue(strip.find_elements(By.CSS_SELECTOR, ".heap"))

    def test_an_event_that_was_not_counted_has_no_number_but_a_reason(self):
        nothing = dict.fromkeys(("total", "ci95", "low", "high", "min", "mean", "median", "p99", "max"))
        self.show("reason", [a_region("task", a_quantity(), a_quantity("cycles", status="unavailable", **nothing,
                                                                       reason="there is no PMU", remedy="bare metal"))])
        self.assertIn("task: cycles: there is no PMU (remedy: bare metal).", self.main_text())
        choice = Select(self.driver.find_element(By.CSS_SELECTOR, "main select"))
        self.assertEqual([each.text for each in choice.options], ["time", "cycles"])
        choice.select_by_visible_text("cycles")
        row, = table_after(self.driver, "Regions")
        self.assertEqual([row[column] for column in ("Total", "Mean", "Median", "99 %")], ["-"] * 4)

    def test_what_is_wrong_with_a_region_is_said(self):
        self.show("marks", [a_region("tiny", too_short=True), a_region("open", unfinished=2, left_open_by="a.cpp:3"),
                            a_region("again", recursions=4)])
        text = self.main_text()
        self.assertIn("(!) tiny is too short to trust", text)
        self.assertIn("open: 2 executions did not end; the first was begun by a.cpp:3.", text)
        self.assertIn("again: 4 recursive executions", text)

    def test_unequal_processes_are_a_table(self):
        ticks = {"min": 1e9, "mean": 2e9, "max": 3e9, "longest": "rank 3 on node7"}
        self.show("unequal", [a_region("task", processes=2, ticks_of_a_process=ticks)], processes=[
            {"pid": pid, "program": "app", "host": "node7", "rank": None, "clock": "TSC", "counting": None, "unmatched": 0,
             "too_deep": 0, "no_memory": 0, "without_path": 0, "perhaps_unmatched": 0, "on_s": 1, "of_s": 1}
            for pid in (7, 8)])
        row, = table_after(self.driver, "Processes")
        self.assertEqual([row[column] for column in ("Minimum", "Mean", "Maximum", "Longest in")],
                         ["1.00 s", "2.00 s", "3.00 s", "rank 3 on node7"])

    def test_no_region_and_twenty_thousand_regions(self):
        self.show("none", [])
        self.assertIn("No region was executed.", self.main_text())
        paths = [{"program": "app", "name": f"r{i}", "parent": None if i == 0 else (i - 1) // 3, "executions": 1,
                  "ticks": 1000 / (1 + i), "own_ticks": 1} for i in range(20_000)]
        self.show("many", [a_region(f"<b>{i}") for i in range(20_000)], paths)
        self.assertEqual(self.driver.find_elements(By.CSS_SELECTOR, "main b"), [])
        self.assertIn("more of 19,900 rows", self.main_text())


if __name__ == "__main__":
    unittest.main()
