"""The page of `tacho latency --html`: its numbers are those of --json, and what is unknown is not drawn as known."""
import copy
import re
import unittest

from selenium.webdriver.common.by import By

from page_case import PageCase
from page_documents import data_of, press, table_after, with_data

MODEL = ("latency", "--pmu", "simulated:skylake", "--sizes", "4K,8K,16K")


def kib(size):
    return f"{size / 1024:.1f} KiB"


def a_list(size, cycles, **other):
    return {"bytes": size, "lines": size // 64, "page_bytes": 4096, "layout": "packed", "cycles": cycles,
            "ci95": cycles / 100, "ns": cycles / 4, "samples": 100, "from_blocks": False, "bias_ticks": 20,
            "modes": [{"cycles": cycles, "range": [cycles - 1, cycles + 1], "share": 0.9}], "chain_cycles": None,
            "core_hz": 4e9, "disturbed": False, "disturbance": None, "core_shared": False, "other_levels_share": 0,
            **other}


def a_tier(name, cycles, capacity, **other):
    return {"name": name, "condition": f"hit in {name}, TLB misses taken off", "capacity_bytes": capacity,
            "capacity_ci95": capacity and [capacity * 0.95, capacity * 1.05], "advertised_bytes": capacity and 32768,
            "advertised_ways": 8, "cycles": cycles, "ci95_cycles": cycles / 50, "ns": cycles / 4,
            "small_pages_extra_cycles": None, "sizes": 4, **other}


class LatencyPage(PageCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.page = cls.page_of(*MODEL)
        cls.document = data_of(cls.page)["document"]

    def show(self, name, **changes):
        return self.open_page(with_data(self.page, name, document={**copy.deepcopy(self.document), **changes}))

    def main_text(self):
        return self.driver.find_element(By.TAG_NAME, "main").text

    def two_levels(self, **changes):
        lists = [a_list(size << 10, 4 if size <= 32 else 200) for size in (8, 16, 32, 64, 128, 256)]
        return {"sizes": lists, "tiers": [a_tier("L1", 4.0, 33000), a_tier("memory", 200.0, None)], **changes}

    def test_the_tables_have_the_numbers_of_json(self):
        self.open_page(self.page)
        document = data_of(self.page)["document"]  # intervals differ from run to run
        level, = document["tiers"]
        row, = table_after(self.driver, "Levels")
        self.assertEqual(f"{level['cycles']:.2f} ± {level['ci95_cycles']:.2f}", row["cycles"])
        self.assertEqual(f"{level['ns']:.2f}", row["ns"])
        self.assertEqual(kib(level["advertised_bytes"]) + ", 8 ways", row["advertised"])
        self.assertEqual([(kib(each["bytes"]), f"{each['cycles']:.2f} ± {each['ci95']:.2f}", f"{each['ns']:.2f}")
                          for each in document["sizes"]],
                         [(each["memory"], each["cycles"], each["ns"])
                          for each in table_after(self.driver, "All lists")])

    def test_the_finding_is_one_sentence_with_intervals(self):
        self.show("finding", **self.two_levels())
        self.assertEqual("L1: 1.00 ns (4.00 ± 0.08 cycles) up to 32.2 KiB; memory: 50.00 ns (200.0 ± 4.0 cycles).",
                         self.driver.find_element(By.CSS_SELECTOR, ".finding").text)
        label = self.driver.find_element(By.CSS_SELECTOR, "svg[role=img]").get_attribute("aria-label")
        self.assertIn("L1: 1.00 ns (4.00 ± 0.08 cycles) up to 32.2 KiB", label)

    def test_the_picture_has_each_list_with_its_interval(self):
        self.show("marks", **self.two_levels())
        counts = [len(self.driver.find_elements(By.CSS_SELECTOR, f".picture .series .{kind}"))
                  for kind in ("dot", "interval")]
        self.assertEqual([6, 6], counts)
        heights = self.driver.execute_script("""
            return [...document.querySelectorAll(".picture .series rect.dot")].map((each) => +each.getAttribute("y"));
        """)
        self.assertEqual(2, len(set(heights)), "two levels are two heights")
        self.assertLess(heights[-1], heights[0], "slower is higher")

    def test_an_unknown_capacity_is_no_edge(self):
        self.show("edge", **self.two_levels())
        edges = self.driver.find_elements(By.CSS_SELECTOR, ".picture .upright.measured")
        self.assertEqual(1, len(edges))
        self.assertNotIn("memory up to", self.driver.find_element(By.CSS_SELECTOR, ".finding").text)

    def test_an_unknown_interval_is_a_question_mark(self):
        self.show("unknown", **self.two_levels(tiers=[a_tier("L1", 4.0, 33000, ci95_cycles=None, ns=None)]))
        self.assertIn("L1: 4.00 (?) cycles", self.driver.find_element(By.CSS_SELECTOR, ".finding").text)
        choices = self.driver.find_elements(By.CSS_SELECTOR, ".choices button")
        self.assertEqual(["logarithmic", "linear"], [each.text for each in choices])

    def test_cycles_and_ns_and_both_scales(self):
        self.show("units", **self.two_levels())

        def label():
            return self.driver.find_element(By.CSS_SELECTOR, ".picture").text
        self.assertIn("L1 4.00 ± 0.08 cycles", label())
        press(self.driver, "ns")
        self.assertIn("L1 1.00 ± 0.02 ns", label())
        self.assertIn("ns per load", label())
        press(self.driver, "linear")
        ticks = [float(each) for each in re.findall(r"^\d+$", label(), re.MULTILINE)]
        self.assertIn(0, ticks)

    def test_a_disturbed_list_is_crossed_out_with_its_reason(self):
        changes = self.two_levels()
        changes["sizes"][2].update(disturbed=True, disturbance="another program ran")
        self.show("disturbed", **changes)
        self.assertEqual(1, len(self.driver.find_elements(By.CSS_SELECTOR, ".picture .cross")))
        self.assertIn("left out: another program ran", [row["remark"] for row in table_after(self.driver, "All lists")])

    def test_parallel_chases_nodes_and_events(self):
        self.show("more", parallel=[
            {"level": "L1", "bytes": 16384, "chases": 1, "ns_per_access": 1.25, "ns_per_access_ci95": [1.2, 1.3]},
            {"level": "L1", "bytes": 16384, "chases": 2, "ns_per_access": 0.75, "ns_per_access_ci95": None}],
                  nodes={"what": "node to node", "rows": [0, 1], "columns": [0, 1], "ns": [[80, 140], [141, 81]],
                         "ns_ci95": [[[79, 81], None], [[138, 144], [80, 82]]], "partial": False},
                  events={"pmu": "simulated", "page_bytes": 4096, "units": {}, "unavailable": {"walks": "no such event"},
                          "sizes": [{"bytes": 8192, "per_access": {"misses": 0.5, "walks": None},
                                     "per_access_ci95": {"misses": 0.02, "walks": None}}]})
        self.assertEqual(["1.25 ± 0.05", "0.75 (?)"],
                         [row["ns for each access"] for row in table_after(self.driver, "Chases at once")])
        self.assertIn("node 0 to node 0: 80.0 ± 1.0 ns.", self.main_text())
        event, = table_after(self.driver, "Events for each access")
        self.assertEqual(("0.500 ± 0.020", "-"), (event["misses"], event["walks"]))
        self.assertIn("walks: no such event", self.main_text())

    def test_tlb_levels(self):
        spread = [a_list(64 * pages, 4 if pages <= 64 else 11, layout="spread", lines=pages) for pages in (16, 64, 256)]
        self.show("tlb", sizes=spread, tlb=[
            {"name": "L1 TLB", "page_bytes": 4096, "entries": 63.6, "entries_ci95": [60.4, 67.1],
             "advertised_entries": 64, "hit_extra_cycles": 0, "miss_extra_cycles": 7.02, "ci95_cycles": 1.6}])
        row, = table_after(self.driver, "TLB")
        self.assertEqual(("64", "60 to 67", "64", "7.0 cycles ± 1.6"),
                         (row["entries"], row["95 % interval"], row["advertised"], row["extra for a miss"]))

    def test_nothing_was_found(self):
        self.show("nothing", sizes=[], tiers=[], tlb=[], partial=True, core_hz=None)
        self.assertIn("No level was found", self.main_text())
        self.assertIn("partial", self.main_text())

    def test_it_fits_a_telephone(self):
        self.show("narrow", **self.two_levels())
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                    {"width": 390, "height": 800, "deviceScaleFactor": 1, "mobile": False})
        self.addCleanup(self.driver.execute_cdp_cmd, "Emulation.clearDeviceMetricsOverride", {})
        self.assertLessEqual(self.driver.execute_script("return document.documentElement.scrollWidth"), 390)


if __name__ == "__main__":
    unittest.main()
