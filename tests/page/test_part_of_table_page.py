"""The table of functions follows the chosen time and threads: its numbers are those of `tacho report --time --tid`."""
import collections
import json
import os
import pathlib
import re
import unittest

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

from page_case import PageCase
from page_documents import data_of, ends, nameless, percent, press, with_data

SOURCE = pathlib.Path(os.environ.get("SOURCE", pathlib.Path(__file__).resolve().parents[2]))
BUILD = pathlib.Path(os.environ.get("BUILD", SOURCE / "build" / "release"))
EXAMPLES = pathlib.Path(os.environ.get("EXAMPLES", BUILD / "examples"))


def in_ns(time_ns):
    return f"{time_ns // 10**9}.{time_ns % 10**9:09}"


def numbered(named):
    """(name, row, order) as a dictionary. Two functions of a module may have one name: the first is the one with more."""
    found = {}
    for name, row, _ in sorted(named, key=lambda each: each[2], reverse=True):
        found[(*name, sum(key[:2] == name for key in found))] = row
    return found


def event_of(page, name=None):
    events = page["profile"]["events"]
    return events[page["profile"]["event"]] if name is None else next(each for each in events if each["name"] == name)


def entries_of(slices):
    """Pairs of a slice and the index of the entry."""
    at = 0
    for index, step in enumerate(slices["slice"]):
        at += step
        yield at, index


def interval_of(cell):
    """The ends of "12.3 %10.1…14.9 %", as shares."""
    low, high = cell.rpartition(" %")[0].split("%")[-1].split("…")
    return float(low) / 100, float(high) / 100


class PartOfTablePage(PageCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.one, cls.one_page = cls.recorded("naive", 60)
        cls.many, cls.many_page = cls.recorded("workers", 3, 60)

    @classmethod
    def recorded(cls, program, *words):
        recording = str(pathlib.Path(cls.folder) / f"{program}.data")
        cls.tacho("record", "-g", "--pmu", "simulated:skylake", "-e", "cycles,instructions", "-c", "5003",
                  "-o", recording, "--", EXAMPLES / program, *words)
        return recording, cls.page_of("report", "-i", recording)

    def report(self, recording, *options, event="instructions"):
        """What --json prints of some samples, for the event that the page shows first."""
        return json.loads(self.tacho("report", "--inline", "--json", "-i", recording, "--event", event, *options))

    def table(self):
        return self.driver.find_element(By.CSS_SELECTOR, ".functions:not([hidden])")

    def rows(self):
        """The cells of each row of the table, by the titles of the columns, without pictures. All rows are shown before."""
        return self.driver.execute_script("""
            const made = arguments[0], more = made.querySelector(":scope > p.controls:not(:first-child) button");
            while (more && !more.hidden) more.click();
            const titles = [...made.querySelectorAll("th")].map((each) => each.textContent);
            const words = (node) => node.nodeName === "svg" ? "" :
                node.childNodes.length ? [...node.childNodes].map(words).join("") : node.textContent;
            return [...made.querySelectorAll("tbody tr")].map((row) => Object.fromEntries(
                [...row.cells].map((cell, index) => [titles[index], words(cell).trim()])));
        """, self.table())

    def by_name(self):
        return numbered(((row["function"], row["module"]), row,
                         (int(row["samples"].replace(",", "")), float(re.search(r"[\d.]+", row["total, 95 %"])[0])))
                        for row in self.rows())

    def caption(self):
        return self.table().find_element(By.TAG_NAME, "caption").text

    def choose_time(self, slices, first, end):
        """Types both ends. The end comes first, so that both are in order at each time."""
        for name, at in (("time-to", end), ("time-from", first)):
            self.driver.find_element(By.ID, name).send_keys(Keys.CONTROL, "a", Keys.NULL, f"{at * slices['slice_ns'] / 1e9:.9f}",
                                                            Keys.ENTER)

    @staticmethod
    def time_option(slices, first, end):
        """--time has both ends."""
        start, width = slices["start_ns"], slices["slice_ns"]
        return "--time", f"{in_ns(start + first * width)},{in_ns(start + end * width - 1)}"

    @staticmethod
    def seen(report):
        """The rows that samples of the event have, by name."""
        return numbered(((row["function"] or nameless(row["module"]), row["module"]), row, (row["samples"], row["total"]))
                        for row in report["rows"] if row["total"] > 0)

    def assert_rows_are(self, report):
        shown, wanted = self.by_name(), self.seen(report)
        samples = {key for key, row in shown.items() if not row["total, 95 %"].startswith("0.0 %0.0…")}
        self.assertLessEqual(samples, set(wanted))
        self.assertGreater(len(wanted), 10)
        for key, want in wanted.items():
            row = shown[key]
            self.assertEqual(percent(want["share"]) + ends(want["ci95"]), row["share, 95 %"], key)
            self.assertEqual(percent(want["total"]) + ends(want["total_ci95"]), row["total, 95 %"], key)
            self.assertEqual(f"{want['samples']:,}", row["samples"], key)
        shares = [float(row["share, 95 %"].split(" ")[0]) for row in self.rows()]
        self.assertEqual(sorted(shares, reverse=True), shares)

    def test_a_part_of_the_time_has_the_numbers_of_json(self):
        self.open_page(self.one_page)
        slices = event_of(data_of(self.one_page))["slices"]
        for first, end in ((0, slices["count"] // 3), (slices["count"] // 3, slices["count"] // 2)):
            self.choose_time(slices, first, end)
            self.assert_rows_are(self.report(self.one, *self.time_option(slices, first, end)))

    def test_events_of_a_part(self):
        self.open_page(self.one_page)
        data = data_of(self.one_page)
        slices = event_of(data)["slices"]
        self.choose_time(slices, 100, slices["count"] - 100)
        for event in ("cycles", "instructions"):
            Select(self.driver.find_element(By.ID, "event")).select_by_index(
                data["profile"]["events"].index(event_of(data, event)))
            self.choose_time(slices, 100, slices["count"] - 100)
            report = self.report(self.one, *self.time_option(slices, 100, slices["count"] - 100), event=event)
            self.assert_rows_are(report)
            hottest, shown = report["rows"][0], self.rows()[0]
            for other, count in zip(report["events"], hottest["events"]):
                digits = shown[other["name"]].split(" ")[0].strip("~").replace(",", "")
                self.assertAlmostEqual(count["count"], int(digits), delta=0.02 * count["count"])

    def test_a_thread_has_the_numbers_of_json(self):
        self.open_page(self.many_page)
        data = data_of(self.many_page)
        self.assertEqual("instructions", event_of(data)["name"])
        slices = event_of(data)["slices"]
        index, _ = collections.Counter(slices["thread"]).most_common(1)[0]
        thread = data["profile"]["threads"][index]
        Select(self.driver.find_element(By.ID, "thread")).select_by_value(f"thread:{index}")
        self.assertIn(f"of thread workers {thread['tid']}.", self.caption())
        times = [at for at, entry in entries_of(slices) if slices["thread"][entry] == index]
        middle = sorted(times)[len(times) // 2]
        for first, end in ((0, slices["count"]), (middle, slices["count"])):
            self.choose_time(slices, first, end)
            report = self.report(self.many, "--tid", thread["tid"], *self.time_option(slices, first, end))
            shown = self.by_name()
            self.assertLessEqual(set(self.seen(report)), set(shown))
            for key, want in self.seen(report).items():
                self.assertEqual(f"{want['samples']:,}", shown[key]["samples"])
                self.assertTrue(shown[key]["share, 95 %"].startswith(percent(want["share"])))
                self.assertTrue(shown[key]["total, 95 %"].startswith(percent(want["total"])))
                # What no sample shows may be of other threads, so the page's interval is wider.
                low, high = interval_of(shown[key]["share, 95 %"])
                self.assertTrue(low <= want["ci95"][0] + 6e-4 and want["ci95"][1] - 6e-4 <= high, key)

    def test_intervals_that_may_be_wider_than_those_of_the_report_are_said_to_be(self):
        wider = "Intervals may be wider than those of 'tacho report' with --time or --tid."
        for path, is_wider in ((self.one_page, False), (self.many_page, True)):
            self.open_page(path)
            data = data_of(path)
            unsampled = next(each["unsampled"] for each in data["document"]["events"]
                             if each["name"] == event_of(data)["name"])
            self.assertEqual(is_wider, unsampled > 0)
            self.assertNotIn(wider, self.driver.find_element(By.TAG_NAME, "main").text)
            self.choose_time(event_of(data)["slices"], 100, 900)
            self.assertEqual(is_wider, wider in self.driver.find_element(By.TAG_NAME, "main").text)

    def test_the_caption_says_the_part(self):
        self.open_page(self.many_page)
        data = data_of(self.many_page)
        slices, thread = event_of(data)["slices"], data["profile"]["threads"][0]
        whole = self.caption()
        self.choose_time(slices, 100, 900)
        Select(self.driver.find_element(By.ID, "thread")).select_by_value("thread:0")
        first, end = (self.driver.find_element(By.ID, name).get_attribute("value") for name in ("time-from", "time-to"))
        self.assertIn(f"by functions, of {first} s to {end} s, thread workers {thread['tid']}.", self.caption())
        Select(self.driver.find_element(By.ID, "thread")).select_by_value(f"pid:{thread['pid']}")
        self.assertIn(f", process {thread['pid']}.", self.caption())
        self.assertNotIn(" s to ", whole)

    def test_what_is_not_known_of_a_part_is_said(self):
        self.open_page(self.one_page)
        titles = list(self.rows()[0])
        self.assertIn("IPC", titles)
        self.choose_time(event_of(data_of(self.one_page))["slices"], 100, 900)
        self.assertEqual([title for title in titles if title not in ("CPI", "IPC")], list(self.rows()[0]))
        self.assertFalse(any(row["#"].startswith("≈") for row in self.rows()))
        self.assertIn("was not tested for a part", self.table().text)
        self.assertIn("Metrics are not computed for a part", self.table().text)

    def test_the_whole_table_comes_back_as_it_was(self):
        self.open_page(self.one_page)
        slices = event_of(data_of(self.one_page))["slices"]
        self.table().find_element(By.XPATH, ".//th/button[text()='function']").click()
        before, caption = self.rows(), self.caption()
        self.choose_time(slices, 100, 900)
        self.assertNotEqual(before, self.rows())
        self.driver.find_element(By.ID, "time-clear").click()
        self.assertEqual((before, caption), (self.rows(), self.caption()))
        self.assertEqual(1, len(self.driver.find_elements(By.CSS_SELECTOR, ".functions")))

    def test_the_filter_keeps_its_text_when_the_choice_changes(self):
        self.open_page(self.one_page)
        slices = event_of(data_of(self.one_page))["slices"]

        def assert_filtered(text):
            self.assertEqual(text, self.filter_field().get_attribute("value"))
            self.assertTrue(all(text in row["function"] + row["module"] for row in self.rows()))
            self.assertGreater(len(self.rows()), 0)
        self.choose_time(slices, 100, 900)
        self.filter_field().send_keys("dl_")
        assert_filtered("dl_")
        self.choose_time(slices, 200, 800)
        assert_filtered("dl_")
        press(self.driver, "All of the time")
        assert_filtered("dl_")
        self.filter_field().send_keys("re")
        self.choose_time(slices, 100, 900)
        assert_filtered("dl_re")
        event = Select(self.driver.find_element(By.ID, "event"))
        event.select_by_index(1 - data_of(self.one_page)["profile"]["event"])
        assert_filtered("dl_re")

    def filter_field(self):
        return self.table().find_element(By.CSS_SELECTOR, "input[type=search]")

    def test_a_row_of_a_part_shows_the_code(self):
        self.open_page(self.one_page)
        self.choose_time(event_of(data_of(self.one_page))["slices"], 100, 990)
        row = self.driver.execute_script("""return [...arguments[0].querySelectorAll("tbody tr")].find(
            (each) => each.textContent.includes("multiply"))""", self.table())
        self.driver.execute_script("arguments[0].click()", row)
        self.assertIn("multiply", self.driver.find_element(By.CSS_SELECTOR, "section[aria-label='Code'] h2").text)

    def made_up(self, name, stacks, entries, **changes):
        """A page with a tree of [(depth, function, own samples)] and entries of [(slice, node, samples)]."""
        page = data_of(self.one_page)
        functions = max(function for _, function, _ in stacks) + 1
        own = [samples for _, _, samples in stacks]
        steps = [at - before for (at, *_), (before, *_) in zip(entries, [(0,), *entries])]
        event = {"name": "cycles", "unit": None, "scale": 1, "samples": sum(own), "total": sum(own), "exact": False,
                 "tree": {"depth": [each[0] for each in stacks], "function": [each[1] for each in stacks], "self": own,
                          "samples": own, "known": {"node": [], "low": [], "high": [], "tied": []}},
                 "slices": {"start_ns": 0, "slice_ns": 10**8, "count": 10, "least_share": 0, "slice": steps,
                            "thread": [0] * len(entries), "node": [each[1] for each in entries],
                            "samples": [each[2] for each in entries], "weight": [each[2] for each in entries], **changes}}
        return with_data(self.one_page, name, profile={
            **page["profile"], "modules": ["made-up"], "event": 0, "events": [event],
            "functions": {"name": [f"f{at}" for at in range(functions)], "module": [0] * functions}})

    def test_a_recursive_function_counts_a_sample_once(self):
        # f0 calls f1, f1 calls f0 again. In the first half are 30 samples, 20 of them in the inner f0.
        page = self.made_up("recursive", [(0, 0, 10), (1, 1, 40), (2, 0, 50)], [(1, 0, 10), (2, 2, 20), (7, 1, 40), (8, 2, 30)])
        self.open_page(page)
        self.choose_time(event_of(data_of(page))["slices"], 0, 5)
        rows = {row["function"]: row for row in self.rows()}
        self.assertEqual(("30", "0"), (rows["f0"]["samples"], rows["f1"]["samples"]))
        self.assertTrue(rows["f0"]["total, 95 %"].startswith("100.0 %"))
        self.assertTrue(rows["f1"]["total, 95 %"].startswith("66.7 %"))

    def test_a_part_without_samples(self):
        page = self.made_up("gap", [(0, 0, 30)], [(1, 0, 10), (8, 0, 20)])
        self.open_page(page)
        self.choose_time(event_of(data_of(page))["slices"], 3, 5)
        self.assertIn("There are no rows.", self.table().text)

    def test_intervals_allow_for_stacks_that_are_counted_at_a_caller(self):
        page = data_of(self.one_page)
        event = event_of(page)
        tree, slices = event["tree"], event["slices"]
        caller, path = [], []
        for node, depth in enumerate(tree["depth"]):
            del path[depth:]
            caller.append(path[-1] if path else None)
            path.append(node)
        total = list(tree["samples"])
        for node in reversed(range(len(total))):
            if caller[node] is not None:
                total[caller[node]] += total[node]
        least = 0.05
        moved, half, truth = [], slices["count"] // 2, collections.Counter()
        for at, entry in entries_of(slices):
            node = slices["node"][entry]
            if at < half:
                truth[tree["function"][node]] += slices["samples"][entry]
            while caller[node] is not None and total[node] < least * event["samples"]:
                node = caller[node]
            moved.append(node)
        self.assertNotEqual(moved, slices["node"])
        slices.update(node=moved, least_share=least)
        self.open_page(with_data(self.one_page, "moved", profile=page["profile"]))
        self.choose_time(slices, 0, half)
        self.assertIn("Stacks with less than 5.0 % of all samples are counted at a caller", self.table().text)
        shown, names = self.by_name(), page["profile"]["functions"]
        checked = 0
        for function, samples in truth.items():
            module = page["profile"]["modules"][names["module"][function]]
            name = names["name"][function] or nameless(module), module
            row = shown.get((*name, 0))
            if row and (*name, 1) not in shown:  # others are counted at callers only
                low, high = interval_of(row["share, 95 %"])
                self.assertTrue(low - 6e-4 <= samples / sum(truth.values()) <= high + 6e-4, names["name"][function])
                checked += 1
        self.assertGreater(checked, 3)
        press(self.driver, "All of the time")
        self.assertNotIn("counted at a caller", self.table().text)


if __name__ == "__main__":
    unittest.main()
