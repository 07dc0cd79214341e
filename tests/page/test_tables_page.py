"""The table of functions and the code of a function in the page of `tacho report --html`: the numbers of --json, sorting,
the filter, the keyboard, and names that are hostile."""
import json
import os
import pathlib
import unittest

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

from page_case import PageCase
from page_documents import data_of, ends, nameless, percent, press, with_data

SOURCE = pathlib.Path(os.environ.get("SOURCE", pathlib.Path(__file__).resolve().parents[2]))
BUILD = pathlib.Path(os.environ.get("BUILD", SOURCE / "build" / "release"))
NAIVE = pathlib.Path(os.environ.get("EXAMPLES", BUILD / "examples")) / "naive"
HOSTILE = '</script><img src=x onerror="document.title=1">\u202e\x1b[31m'


class TablesPage(PageCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.is_fresh = False  # the browser shows `page`, and its rows are as they were
        cls.recording = str(pathlib.Path(cls.folder) / "naive.data")
        cls.tacho("record", "-g", "--pmu", "simulated:skylake", "-e", "cycles,instructions", "-c", "5003",
                  "-o", cls.recording, "--", NAIVE, "60")
        cls.page = cls.page_of("report", "-i", cls.recording)
        cls.report = data_of(cls.page)["document"]
        cls.code = json.loads(cls.tacho("annotate", "-i", cls.recording, "--json", "multiply"))

    def show(self, change=None):
        """Opens the page, or one whose Page was changed. The same page is opened again only if its table was."""
        if change is None:
            if not self.is_fresh:
                self.open_page(self.page)
        else:
            page = data_of(self.page)
            change(page)
            self.open_page(with_data(self.page, "changed", **page))
        type(self).is_fresh = change is None

    def select(self, css):
        return self.driver.find_elements(By.CSS_SELECTOR, css)

    def rows(self):
        """The cells of each row that the table shows, by the titles of the columns."""
        return self.driver.execute_script("""
            const table = document.querySelector(".functions table");
            const titles = [...table.querySelectorAll("th")].map((each) => each.textContent);
            return [...table.querySelectorAll("tbody tr")].map((row) => Object.fromEntries(
                [...row.cells].map((cell, index) => [titles[index], cell.textContent.trim()])));
        """)

    def sort_button(self, title):
        return next(each for each in self.select(".functions th button") if each.text == title)

    def sort_by(self, title):
        type(self).is_fresh = False
        self.driver.execute_script("arguments[0].click()", self.sort_button(title))
        return self.rows()

    def filter(self, text):
        type(self).is_fresh = False
        field = self.select(".functions input")[0]
        field.clear()
        field.send_keys(text)
        return [row.get("function") for row in self.rows()]

    def first_row(self):
        return self.select(".functions tbody tr")[0]

    def open_code(self):
        self.driver.execute_script("arguments[0].focus()", self.first_row())
        self.driver.switch_to.active_element.send_keys(Keys.ENTER)
        return self.select("section.code")[0]

    def listing(self, title):
        return self.driver.execute_script("""
            const panel = [...document.querySelectorAll(".code-panel")].find(
                (each) => each.querySelector("h3").textContent === arguments[0]);
            const titles = [...panel.querySelectorAll("th")].map((each) => each.textContent);
            return [...panel.querySelectorAll("tbody tr[tabindex]")].map((row) => Object.fromEntries(
                [...row.cells].map((cell, index) => [titles[index], cell.textContent])));
        """, title)

    def test_the_rows_are_those_of_json(self):
        # As in other viewers' formats, inlined functions are functions of their own.
        want = json.loads(self.tacho("report", "--inline", "-i", self.recording, "--json"))["rows"]
        self.assertEqual(self.report["rows"], want)

    def test_shares_and_intervals_are_those_of_json(self):
        self.show()
        shown = self.rows()
        for row, want in zip(shown, self.report["rows"]):
            self.assertEqual(row["function"], want["function"] or nameless(want["module"]))
            self.assertEqual(row["module"], want["module"])
            self.assertIn(percent(want["share"]) + ends(want["ci95"]), row["share, 95 %"])
            self.assertIn(percent(want["total"]) + ends(want["total_ci95"]), row["total, 95 %"])
            self.assertEqual(row["samples"], f"{want['samples']:,}")
        self.assertEqual(len(shown), min(len(self.report["rows"]), 100))

    def columns_in_view(self, width):
        """The titles of the columns that a window shows without scrolling, and the heights of names in lines."""
        with self.window_of(width):
            return self.driver.execute_script("""
                const box = document.querySelector(".functions .scroll");
                const right = box.getBoundingClientRect().left + box.clientWidth;
                const names = [...box.querySelectorAll("td .name")];
                return [[...box.querySelectorAll("th")].filter((each) => each.getBoundingClientRect().right <= right)
                    .map((each) => each.textContent),
                    Math.max(...names.map((each) => each.offsetHeight / parseFloat(getComputedStyle(each).lineHeight)))];""")

    def test_a_wide_window_shows_shares_samples_and_events_and_a_narrow_one_the_share(self):
        self.show()
        wide, lines = self.columns_in_view(1280)
        events = [event["name"] for event in self.report["events"]]
        self.assertLessEqual({"function", "share, 95 %", "total, 95 %", "module", "samples", *events}, set(wide))
        self.assertLess(lines, 1.5)
        narrow, lines = self.columns_in_view(390)
        self.assertEqual(["#", "function", "share, 95 %"], narrow[:3])
        self.assertLess(lines, 1.5)

    def test_a_long_name_loses_its_middle_and_its_title_has_all_of_it(self):
        name = "first::" + "middle::" * 8 + "last"

        def long(page):
            page["document"]["rows"][0].update(function=name, signature=None)
        self.show(long)
        with self.window_of(390):
            cell = self.select(".functions td .name")[0]
            head, tail = cell.find_elements(By.TAG_NAME, "span")
            hidden = self.driver.execute_script("return arguments[0].scrollWidth > arguments[0].clientWidth", head)
            right = self.driver.execute_script("return arguments[0].getBoundingClientRect().right", tail)
        self.assertTrue(hidden)
        self.assertLess(right, 390)
        self.assertEqual((name, name), (cell.get_attribute("title"), cell.get_attribute("textContent")))
        self.assertTrue(tail.get_attribute("textContent").endswith("last"))

    def test_each_picture_says_its_interval(self):
        self.show()
        labels = [each.get_attribute("aria-label") for each in self.select(".functions tbody tr:first-child svg")]
        first = self.report["rows"][0]
        self.assertEqual(labels[0], f"own share {percent(first['share'])}, 95 % interval {ends(first['ci95'])}")

    def test_an_order_that_is_not_certain_is_marked(self):
        open_order = {pair["rows"][1] for pair in self.report["comparisons"] if not pair["apart"]}
        self.show()
        self.assertEqual({at for at, row in enumerate(self.rows()) if row["#"].startswith("≈")}, open_order)

        def certain(page):
            for pair in page["document"]["comparisons"]:
                pair["apart"] = not pair["apart"]
        self.show(certain)
        compared = {pair["rows"][1] for pair in self.report["comparisons"]}
        self.assertEqual({at for at, row in enumerate(self.rows()) if row["#"].startswith("≈")}, compared - open_order)

    def test_columns_sort_both_ways_and_say_so(self):
        self.show()
        total = [int(row["samples"].replace(",", "")) for row in self.sort_by("samples")]
        self.assertEqual(total, sorted(total, reverse=True))
        header = self.sort_button("samples").find_element(By.XPATH, "..")
        self.assertEqual(header.get_attribute("aria-sort"), "descending")
        total = [int(row["samples"].replace(",", "")) for row in self.sort_by("samples")]
        self.assertEqual(total, sorted(total))
        self.assertEqual(header.get_attribute("aria-sort"), "ascending")
        names = [row["function"] for row in self.sort_by("function") if not row["function"].startswith("[")]
        self.assertEqual(names, sorted(names))
        self.assertIsNone(header.get_attribute("aria-sort"))

    def test_a_row_without_a_number_is_last_either_way(self):
        def one_unknown(page):
            page["document"]["rows"][0]["total"] = page["document"]["rows"][0]["total_ci95"] = None
        self.show(one_unknown)
        name = self.report["rows"][0]["function"]
        for _ in range(2):
            self.sort_by("total, 95 %")
            self.driver.execute_script("document.querySelector('.functions > p:not(:first-child) button').click()")
            self.assertEqual(self.rows()[-1]["function"], name)

    def test_the_filter_needs_every_word(self):
        self.show()
        names = [row["function"] or nameless(row["module"]) for row in self.report["rows"]]
        want = [name for name in names if "_dl_" in name]
        self.assertEqual(self.filter("_dl_"), want[:100])
        want = [name for name in want if "map" in name.lower()]
        self.assertEqual(self.filter("MAP _dl_"), want[:100])
        self.assertEqual(self.select(".functions [role=status]")[0].text,
                         f"{len(want)} of {len(names)} rows")
        self.filter("no function has this name")
        self.assertIn("No row", self.first_row().text)

    def test_arrows_move_through_the_rows(self):
        self.show()
        self.driver.execute_script("arguments[0].focus()", self.first_row())
        self.driver.switch_to.active_element.send_keys(Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.ARROW_UP)
        self.assertIn(self.report["rows"][1]["function"], self.driver.switch_to.active_element.text)
        self.assertEqual(len(self.select(".functions tbody tr[tabindex='0']")), 1)

    def test_enter_shows_the_code_with_the_numbers_of_annotate(self):
        self.show()
        self.assertIn(self.code["function"], self.open_code().text)
        press(self.driver, "Hot parts only")
        source = {row["line"]: row for row in self.listing("Source")}
        self.assertEqual(len(source), len(self.code["lines"]))
        for line in self.code["lines"]:
            row = source[str(line["line"])]
            self.assertEqual(row["source"].strip(), line["text"].strip())
            want = (percent(line["share"]), str(line["samples"])) if line["samples"] else ("", "")
            self.assertEqual((row["share"], row["samples"]), want)
        shown = self.listing("Instructions")
        self.assertEqual([(row["address"], row["instruction"]) for row in shown],
                         [(each["address"], each["text"]) for each in self.code["instructions"]])

    def test_hot_parts_leave_out_cold_code_and_say_how_much(self):
        self.show()
        self.open_code()
        shown = self.listing("Instructions")
        hottest = max(self.code["instructions"], key=lambda each: each["samples"])
        self.assertIn(hottest["address"], [row["address"] for row in shown])
        self.assertLess(len(shown), len(self.code["instructions"]))
        left_out = len(self.code["instructions"]) - len(shown)
        self.assertIn(f"{left_out} instructions more", self.select("section.code")[0].text)

    def test_pointing_at_a_line_marks_its_instructions(self):
        self.show()
        self.open_code()
        press(self.driver, "Hot parts only")
        hottest = max(self.code["lines"], key=lambda each: each["samples"])
        row = next(each for each in self.select(".code-panel:first-child tbody tr[tabindex]")
                   if f"{hottest['line']}" in [cell.text for cell in each.find_elements(By.TAG_NAME, "td")])
        self.driver.execute_script("arguments[0].focus()", row)
        marked = {each.find_element(By.CSS_SELECTOR, "td.mono").text for each in self.select(".code-panel:last-child .linked")}
        self.assertEqual(marked, {each["address"] for each in self.code["instructions"]
                                  if (each["file"], each["line"]) == (hottest["file"], hottest["line"])})

    def test_the_code_of_another_event(self):
        self.show()
        self.open_code()
        other = next(index for index, event in enumerate(self.code["events"])
                     if event["samples"] and event["name"] != self.code["event"]["name"])
        Select(self.select("section.code select")[0]).select_by_visible_text(self.code["events"][other]["name"])
        hottest = max(self.code["lines"], key=lambda each: each["events"][other]["samples"])
        shown = {row["line"]: row for row in self.listing("Source")}[str(hottest["line"])]
        self.assertEqual(shown["samples"], str(hottest["events"][other]["samples"]))
        share = hottest["events"][other]["count"] / self.code["counts"][other]["count"]
        self.assertEqual(shown["share"], percent(share))

    def test_a_page_without_source_has_no_code(self):
        page = data_of(self.page_of("report", "-i", self.recording, "--no-source"))
        self.assertEqual(page["profile"]["code"], [])
        self.assertTrue(data_of(self.page)["profile"]["code"])

    def test_code_that_is_not_in_the_page(self):
        def without(page):
            page["profile"]["code"] = []
        self.show(without)
        text = self.open_code().text
        self.assertIn("not in this page", text)
        self.assertIn("tacho annotate -i RECORDING '(anonymous namespace)::multiply'", text)

    def test_rows_of_each_kind(self):
        for sort, title in (("module", "module"), ("line", "line"), ("instruction", "address"), ("comm", "command"),
                            ("pid", "pid"), ("tid", "tid"), ("cpu", "cpu")):
            with self.subTest(sort=sort):
                report = json.loads(self.tacho("report", "-i", self.recording, "-s", sort, "--json"))
                self.show(lambda page: page.update(document=report))
                shown = self.rows()
                self.assertEqual(len(shown), min(len(report["rows"]), 100))
                self.assertIn(title, shown[0])
                self.assertIn(percent(report["rows"][0]["share"]), shown[0]["share, 95 %"])

    def test_hostile_names_stay_text(self):
        def hostile(page):
            row, code = page["document"]["rows"][0], page["profile"]["code"][0]
            row["function"] = row["signature"] = code["function"] = HOSTILE + "x" * 10000
            row["module"] = row["path"] = code["module"] = HOSTILE
            code["lines"][0]["text"] = code["instructions"][0]["text"] = HOSTILE
        self.show(hostile)
        text = self.open_code().text
        press(self.driver, "Hot parts only")
        self.assertEqual(self.select("img"), [])
        self.assertNotEqual(self.driver.title, "1")
        for shown in (text, self.rows()[0]["function"], self.rows()[0]["module"]):
            self.assertIn("</script><img src=x", shown)
            self.assertIn("\\u202e\\x1b[31m", shown)
            self.assertLess(len(shown), 3000)

    def test_a_report_without_rows(self):
        def empty(page):
            page["document"].update(rows=[], comparisons=[])
        self.show(empty)
        self.assertIn("There are no rows.", self.first_row().text)

    def test_many_rows_are_shown_a_few_at_a_time(self):
        def many(page):
            row = page["document"]["rows"][0]
            page["document"].update(rows=[{**row, "function": f"f{at}"} for at in range(10000)], comparisons=[])
        self.show(many)
        self.assertEqual(len(self.rows()), 100)
        press(self.driver, "Show 100 more of 9,900 rows")
        self.assertEqual(len(self.rows()), 200)
        self.assertEqual(self.filter("f9999"), ["f9999"])

    def test_a_narrow_window_does_not_scroll_sideways(self):
        self.show()
        self.open_code()
        self.assert_fits_a_narrow_window()


if __name__ == "__main__":
    unittest.main()
