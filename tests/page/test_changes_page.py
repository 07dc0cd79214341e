"""The page of `tacho report --compare --html`: only significant changes have a colour, the widths are those of the chosen
side, and nothing that was not tested sounds like a result."""
import json
import os
import pathlib
import unittest

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from page_case import PageCase
from page_documents import press, with_data

SOURCE = pathlib.Path(os.environ.get("SOURCE", pathlib.Path(__file__).resolve().parents[2]))
BUILD = pathlib.Path(os.environ.get("BUILD", SOURCE / "build" / "release"))
NAIVE = pathlib.Path(os.environ.get("EXAMPLES", BUILD / "examples")) / "naive"
HOSTILE = '</script><img src=x onerror="document.title=1">\u202e\x1b[31m'
MS = 1e6  # ns

# Frames with their own ns before and after, and what a test said of their totals: low, high, changed.
TREE = [
    (0, "main", 10 * MS, 10 * MS, (-45 * MS, -15 * MS, 1)),
    (1, "work", 60 * MS, 20 * MS, (-50 * MS, -30 * MS, 1)),
    (1, "more", 10 * MS, 20 * MS, (5 * MS, 15 * MS, 1)),
    (1, "alike", 20 * MS, 25 * MS, (-2 * MS, 12 * MS, 0)),
    (1, "small", 10 * MS, 5 * MS, None),
    (1, "gone", 5 * MS, 0, None),
]
TOTAL = {"before": sum(frame[2] for frame in TREE), "after": sum(frame[3] for frame in TREE)}


def profile_of(tree, clock=True):
    names = [name for _, name, *_ in tree]
    tested = [(node, *frame[4]) for node, frame in enumerate(tree) if frame[4]]
    return {"modules": ["naive"], "functions": {"name": names, "module": [0] * len(names)},
            "unit": "ns" if clock else None, "clock": clock,
            "before": {"recordings": 6, "total": TOTAL["before"]}, "after": {"recordings": 6, "total": TOTAL["after"]},
            "tree": {"depth": [frame[0] for frame in tree], "function": list(range(len(tree))),
                     "before": [frame[2] for frame in tree], "after": [frame[3] for frame in tree],
                     "known": {**dict(zip(("node", "low", "high", "changed"), map(list, zip(*tested)) if tested else [[]] * 4)),
                               "tests": len(tested), "pairs": 6, "pairs_needed": 6}}}


def side_of(count, ci95, samples=1000):
    return {"samples": samples, "counts": [count] * 6, "count": {"value": count, "ci95": ci95},
            "share": {"value": 0.5, "ci95": [0.4, 0.6]}}


def row_of(name, before, after, ci95, changed):
    return {"modules": ["naive", "interchange"], "function": name, "signature": name, "file": None, "line": None,
            "before": side_of(before, [before - MS, before + MS]), "after": side_of(after, [after - MS, after + MS]),
            "count_gained": {"value": after - before, "ci95": ci95}, "changed": changed,
            "p_adjusted": None if changed is None else 0.01, "share_gained": {"value": 0, "ci95": None}, "metrics": {}}


ROWS = [row_of("work", 60 * MS, 20 * MS, [-50 * MS, -30 * MS], True),
        row_of("more", 10 * MS, 20 * MS, [5 * MS, 15 * MS], True),
        row_of("alike", 20 * MS, 25 * MS, [-2 * MS, 12 * MS], False),
        row_of("small", 10 * MS, 5 * MS, None, None)]


class ChangesPage(PageCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for name, period in (("before", 5003), ("after", 5009)):
            cls.tacho("record", "-g", "--pmu", "simulated:skylake", "-e", "cycles", "-c", period,
                      "-o", cls.file(name), "--", NAIVE, "40")
        # Any page has the script of all kinds.
        cls.any = cls.page_of("report", "-i", cls.file("before"))
        cls.untested = json.loads(cls.tacho("report", "-i", cls.file("before"), "--compare", cls.file("after"), "--json"))
        side = {"file": "b1.data", "files": [f"b{at}.data" for at in range(1, 7)], "command": ["naive"],
                "machine": {"host": "a", "kernel": "6", "cpu": "c"}, "samples": 6000, "exact": False, "warnings": []}
        cls.tested = {"event": "cpu-clock", "sort": "function", "chosen": None, "evidence": "pairs", "order": "in_turn",
                      "tests": 5, "count_gained": {"value": -35 * MS, "ci95": [-45 * MS, -15 * MS]}, "changed": True,
                      "p_adjusted": 0.01, "rows": ROWS, "warnings": [],
                      "before": {**side, "count": TOTAL["before"], "counts": [TOTAL["before"]] * 6},
                      "after": {**side, "count": TOTAL["after"], "counts": [TOTAL["after"]] * 6}}

    @classmethod
    def file(cls, name):
        return str(pathlib.Path(cls.folder) / f"{name}.data")

    def show(self, document=None, profile=None):
        self.open_page(with_data(self.any, "changes", kind="report-compare", document=document or self.tested,
                                 profile=profile or profile_of(TREE)))

    def text(self, css):
        return self.driver.find_element(By.CSS_SELECTOR, css).text

    def graph(self):
        return self.driver.find_element(By.CLASS_NAME, "change-graph")

    def hue(self, row, part):
        """"blue", "orange" or "grey": the colour of the frame in a row, at a part of the width, right of its name."""
        # A copy of the canvas: Chromium warns if the canvas itself is read often.
        red, _, blue = self.driver.execute_script("""
            const canvas = document.querySelector(".change-graph canvas");
            const copy = document.createElement("canvas");
            Object.assign(copy, { width: canvas.width, height: canvas.height });
            const context = copy.getContext("2d", { willReadFrequently: true });
            context.drawImage(canvas, 0, 0);
            return [...context.getImageData(Math.round(canvas.width * arguments[1]),
                                            (arguments[0] * 20 + 10) * devicePixelRatio, 1, 1).data].slice(0, 3);
        """, row, part)
        return "blue" if blue - red > 25 else "orange" if red - blue > 25 else "grey"

    def hues(self, side):
        """The colours of the frames that main calls, by their names. They begin at the left, largest first."""
        found, left = {}, 0
        for _, name, before, after, _ in TREE[1:]:
            width = (before if side == "before" else after) / TOTAL[side]
            if width > 0:
                found[name] = self.hue(2, left + width / 2)
            left += width
        return found

    def rows(self):
        return self.driver.execute_script("""
            const table = document.querySelector(".profile-changes table");
            const titles = [...table.querySelectorAll("th")].map((each) => each.textContent);
            return [...table.querySelectorAll("tbody tr")].map((row) => Object.fromEntries(
                [...row.cells].map((cell, index) => [titles[index], cell.textContent])));
        """)

    def is_bold(self, index):
        return self.driver.execute_script("""
            return Number(getComputedStyle(document.querySelectorAll(".profile-changes tbody tr td:first-child")[
                arguments[0]]).fontWeight) >= 600;
        """, index)

    def test_only_significant_frames_have_a_colour(self):
        self.show()
        self.assertEqual(self.hues("after"), {"work": "blue", "more": "orange", "alike": "grey", "small": "grey"})
        self.assertEqual((self.hue(0, 0.5), self.hue(1, 0.5)), ("blue", "blue"))

    def test_the_old_time_shows_what_vanished(self):
        self.show()
        press(self.driver, "Old time")
        self.assertEqual(self.hues("before"),
                         {"work": "blue", "more": "orange", "alike": "grey", "small": "grey", "gone": "grey"})

    def test_colours_and_signs_in_the_dark(self):
        self.show()
        press(self.driver, "Light or dark")
        self.assertEqual(self.hues("after"), {"work": "blue", "more": "orange", "alike": "grey", "small": "grey"})
        legend = self.text(".change-legend")
        self.assertIn("▼ takes less time", legend)
        self.assertIn("▲ takes more time", legend)
        self.assertNotIn("faster", self.text("main"))

    def test_vanished_frames_are_listed(self):
        self.show()
        details = self.driver.find_element(By.CSS_SELECTOR, ".vanished")
        self.assertIn("1 frame without new time", details.text)
        self.driver.execute_script("arguments[0].open = true", details)
        self.assertIn("gone", details.text)
        self.assertIn("5.0", details.text)

    def test_arrows_tell_the_frames(self):
        self.show()
        self.driver.execute_script("arguments[0].focus()", self.graph())
        self.graph().send_keys(Keys.ARROW_DOWN, Keys.ARROW_DOWN)
        said = self.text(".frame-facts")
        self.assertIn("work in naive: 20.0 ms now, 60.0 ms before", said)
        self.assertIn("▼ It takes less time: 30.0…50.0 ms less, at 95 %", said)
        self.graph().send_keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
        said = self.text(".frame-facts")
        self.assertIn("alike in naive", said)
        self.assertIn("No significant change: 2.0 ms less to 12.0 ms more, at 95 %", said)
        self.assertIn("Called by main", said)

    def test_enter_zooms_and_escape_shows_all(self):
        self.show()
        self.driver.execute_script("arguments[0].focus()", self.graph())
        self.graph().send_keys(Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.ARROW_RIGHT, Keys.ENTER)
        self.assertEqual([self.hue(2, 0.5), self.hue(2, 0.95)], ["orange", "orange"])
        self.graph().send_keys(Keys.ESCAPE)
        self.assertEqual(self.hues("after")["work"], "blue")

    def test_the_table_has_the_numbers_and_their_bars(self):
        self.show()
        shown = {row["function"]: row for row in self.rows()}
        self.assertEqual(shown["work"]["before ms"], "60.0 (59.0…61.0)")
        self.assertEqual(shown["work"]["after ms"], "20.0 (19.0…21.0)")
        self.assertIn("-40.0-50.0…-30.0 ms", shown["work"]["change ms"])
        self.assertEqual([row["changed"] for row in self.rows()],
                         ["▼ takes less time", "▲ takes more time", "not significant", "not tested"])
        self.assertEqual([self.is_bold(index) for index in range(4)], [True, True, False, False])
        labels = self.driver.execute_script("""
            return [...document.querySelectorAll(".profile-changes tbody svg")].map(
                (each) => each.getAttribute("aria-label"));
        """)
        self.assertEqual(labels[3], "change -5.0 ms, no interval, not tested")

    def test_the_verdict(self):
        self.show()
        self.assertEqual(self.text(".overall-change"),
                         "▼ In all, the program after the change takes 35.0 ms less (cpu-clock): 15.0…45.0 ms less "
                         "at 95 %, 69.6 % of before.")
        self.show({**self.tested, "changed": False, "count_gained": {"value": -5 * MS, "ci95": [-15 * MS, 5 * MS]}})
        self.assertEqual(self.text(".overall-change"),
                         "No significant change of cpu-clock in all: 15.0 ms less to 5.0 ms more at 95 %.")

    def test_too_few_recordings_claim_nothing(self):
        self.assertEqual(self.untested["evidence"], "too_few")
        tree = [(depth, name, before, after, None) for depth, name, before, after, _ in TREE]
        self.show(self.untested, profile_of(tree, clock=False))
        self.assertIn("was not tested", self.text(".overall-change"))
        main = self.text("main")
        self.assertIn("At least 6 on each side are needed", main)
        self.assertIn("tacho record -g -o before-$i.data -- BEFORE", main)
        self.assertEqual(set(self.hues("after").values()), {"grey"})
        for row, want in zip(self.rows(), self.untested["rows"]):
            self.assertEqual(row["changed"], "not tested")
            self.assertTrue(row["before"].startswith(f"{want['before']['count']['value']:,.0f}"))
            self.assertTrue(row["after"].startswith(f"{want['after']['count']['value']:,.0f}"))
        self.assertFalse(any(self.is_bold(index) for index in range(len(self.rows()))))

    def test_reasons_why_nothing_was_tested(self):
        for evidence, words in (("equal", "took the same samples"), ("machines", "processors of different kinds"),
                                ("blocks", "were not made in turn"), ("damaged", "could not be read")):
            with self.subTest(evidence=evidence):
                self.show({**self.untested, "evidence": evidence})
                self.assertIn(words, self.text("main"))

    def test_hostile_names_stay_text(self):
        tree = [(TREE[0][0], HOSTILE + "x" * 10000, *TREE[0][2:]), *TREE[1:]]
        row = {**ROWS[0], "function": HOSTILE, "modules": [None, HOSTILE]}
        self.show({**self.tested, "rows": [row, *ROWS[1:]]}, profile_of(tree))
        self.driver.execute_script("arguments[0].focus()", self.graph())
        self.graph().send_keys(Keys.ARROW_DOWN)
        self.assertEqual(self.driver.find_elements(By.CSS_SELECTOR, "main img"), [])
        for shown in (self.text(".frame-facts"), self.rows()[0]["function"], self.rows()[0]["module"]):
            self.assertIn("</script><img src=x", shown)
            self.assertIn("\\u202e\\x1b[31m", shown)

    def test_recordings_without_samples(self):
        nothing = {"value": 0, "ci95": None}
        self.show({**self.untested, "rows": [], "count_gained": nothing}, profile_of([]))
        self.assertIn("no samples to draw", self.text("main"))
        self.assertIn("There are no rows.", self.text("main"))

    def test_nothing_after(self):
        self.show(profile=profile_of([(depth, name, before, 0, None) for depth, name, before, _, _ in TREE]))
        self.assertEqual(self.driver.find_element(By.CSS_SELECTOR, "button[aria-pressed=true]").text, "Old time")

    def test_a_narrow_window_does_not_scroll_sideways(self):
        self.show()
        self.assert_fits_a_narrow_window()


if __name__ == "__main__":
    unittest.main()
