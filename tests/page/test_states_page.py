"""The page of `tacho report --wall --html`: what threads did over time.

Most states are made up: stretches of time of which each test knows the lengths. Expected heights and shares are computed
from the stretches, not from the sums in the page. One test compares the page of a recording with the JSON report.
"""
import json
import os
import pathlib
import random
import re
import unittest

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from page_case import PageCase
from page_documents import data_of, with_data
from tacho_cli import needs_kernel_counts

SOURCE = pathlib.Path(os.environ.get("SOURCE", pathlib.Path(__file__).resolve().parents[2]))
BUILD = pathlib.Path(os.environ.get("BUILD", SOURCE / "build" / "release"))
PROGRAM = pathlib.Path(os.environ.get("EXAMPLES", BUILD / "examples")) / "naive"

STATES = ("running", "ready", "waiting", "unknown")
COUNT, SLICE = 125, 10_000_000  # slices, and the ns of one. The last bar of a narrow picture has fewer than the others
END = COUNT * SLICE
ROW, FULL = 24, 20  # pixels: a row, and a bar that is full
HOSTILE = "<img src=x onerror=alert(1)>\u202e"


def overlap(stretches, state, begin, end):
    """For how many ns the stretches (begin, end, state) are in a state between two times."""
    return sum(max(0, min(end, to) - max(begin, since)) for since, to, what in stretches if what == state)


def sums(stretches, begin=0, end=END):
    return [overlap(stretches, state, begin, end) for state in STATES]


def some_life(chance, states=STATES):
    """Stretches in a row, from some time to another."""
    at, end, found = chance.randrange(END // 3), chance.randrange(END // 2, END + 1), []
    while at < end:
        to = min(end, at + chance.choice((chance.randrange(1, SLICE), chance.randrange(SLICE, 20 * SLICE))))
        found.append((at, to, chance.choice(states)))
        at = to
    return found


def in_order(lives):
    """Those that ran longest first."""
    return sorted(lives, key=lambda life: -sums(life)[0])


def columns_of(lives, others=()):
    """The member `states` of a profile whose threads have these lives. `others` are in the sum."""
    groups = [[life] for life in lives] + ([others] if others else [])
    made = {"start_ns": 5, "slice_ns": SLICE, "count": COUNT, "others": len(others), "threads": [],
            **{key: [] for key in ("slice", "row", *STATES)}}
    for index, group in enumerate(groups):
        made["threads"].append({"thread": index if index < len(lives) else None, **{
            f"{state}_ns": sum(overlap(life, state, 0, END) for life in group) for state in STATES}})
    before = 0
    for at in range(COUNT):
        for row, group in enumerate(groups):
            times = [sum(overlap(life, state, at * SLICE, (at + 1) * SLICE) for life in group) for state in STATES]
            if sum(times) == 0:
                continue
            made["slice"].append(at - before)
            made["row"].append(row)
            before = at
            for state, time in zip(STATES, times):
                made[state].append(time)
    return made


class StatesPage(PageCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        recording = str(pathlib.Path(cls.folder) / "naive.data")
        cls.tacho("record", "-g", "--pmu", "simulated:skylake", "-e", "cycles", "-c", "50021", "-o", recording, "--", PROGRAM, "80")
        cls.page = cls.page_of("report", "-i", recording)
        chance = random.Random(1)
        cls.lives = in_order(some_life(chance) for _ in range(14))
        cls.others = [some_life(chance) for _ in range(5)]
        cls.many = cls.made_up("many", cls.lives, cls.others)

    @classmethod
    def made_up(cls, name, lives, others=(), **changes):
        """A page with these lives, and a sample of thread at % len(lives) in each slice `at`."""
        profile = data_of(cls.page)["profile"]
        entries = {"slice": [0] + [1] * (COUNT - 1), "thread": [at % len(lives) for at in range(COUNT)],
                   "node": [0] * COUNT, "samples": [1] * COUNT, "weight": [1] * COUNT}
        event = {"name": "wall-clock", "unit": "ns", "scale": 1, "samples": COUNT, "total": COUNT, "exact": False,
                 "tree": {"depth": [0], "function": [0], "self": [COUNT], "samples": [COUNT],
                          "known": {"node": [], "low": [], "high": [], "tied": []}},
                 "slices": {"start_ns": 5, "slice_ns": SLICE, "count": COUNT, "least_share": 0, **entries}}
        return with_data(cls.page, name, profile={
            **profile, "event": 0, "events": [event], "states": columns_of(lives, others),
            "threads": [{"pid": 7, "tid": 100 + index, "name": f"worker-{index}"} for index, _ in enumerate(lives)], **changes})

    def show(self, page):
        self.open_page(page)
        self.wait_for_pictures()

    def wait_for_pictures(self):
        """They are drawn again after a change of the width."""
        self.driver.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")

    def rectangles(self):
        """By row, state and the first slice of a bar: the slice behind it, and the pixels of its top above the bottom."""
        width, paths = self.driver.execute_script("""
            const picture = document.querySelector(".thread-plot svg");
            return [picture.clientWidth, [...picture.querySelectorAll("path.state")].map((path) =>
                [path.classList[1], path.getAttribute("d")])];""")
        found = {}
        for state, path in paths:
            for left, bottom, top, right in re.findall(r"M([\d.]+),([\d.]+)v-([\d.]+)H([\d.]+)V\2Z", path):
                first, end = (round((float(x) - 1) / (width - 2) * COUNT) for x in (left, right))
                found[round((float(bottom) + 1) / ROW) - 1, state, first] = end, float(top)
        return found

    def assert_stacked(self, rows):
        """`rows` are lists of lives. Returns how many slices a bar has."""
        drawn = self.rectangles()
        length = max(end - first for (_, _, first), (end, _) in drawn.items())
        bars = [(first, min(first + length, COUNT)) for first in range(0, COUNT, length)]
        for row, lives in enumerate(rows):
            shares = {(first, end): [sum(overlap(life, state, first * SLICE, end * SLICE) for life in lives)
                                     / ((end - first) * SLICE) for state in STATES] for first, end in bars}
            whole = 1 if len(lives) == 1 else max(map(sum, shares.values()))
            for (first, end), of_bar in shares.items():
                top = 0
                for state, share in zip(STATES, of_bar):
                    top += share / whole * FULL
                    if state == "running" and share > 0:
                        top = max(top, 1)
                    seen = drawn.pop((row, state, first), None)
                    self.assertEqual(share > 0, seen is not None, (row, state, first))
                    if seen:
                        self.assertEqual(end, seen[0])
                        self.assertAlmostEqual(min(top, FULL), seen[1], delta=0.011, msg=(row, state, first))
        self.assertEqual({}, drawn)
        return length

    def test_bars_are_the_states_stacked(self):
        rows = [[life] for life in self.lives[:11]] + [self.lives[11:] + self.others]
        self.show(self.many)
        self.assertEqual(1, self.assert_stacked(rows))
        with self.window_of(390):
            self.wait_for_pictures()
            self.assertGreater(self.assert_stacked(rows), 1)

    def test_short_runs_can_be_seen_and_full_bars_are_full(self):
        self.show(self.made_up("short", [[(0, 100, "running"), (100, END, "waiting")]]))
        drawn = self.rectangles()
        self.assertEqual(1, drawn[0, "running", 0][1])
        self.assertEqual({float(FULL)}, {top for (_, state, _), (_, top) in drawn.items() if state == "waiting"})
        self.driver.find_element(By.CSS_SELECTOR, ".thread-plot svg").send_keys(Keys.HOME)
        self.assertEqual("worker-0 100, 0.000 s to 0.010 s:\nrunning 0.001 %, waiting 100.0 %", self.read())

    def rows(self):
        """Name, figure and title of each row, and whether it is a button."""
        return self.driver.execute_script("""
            return [...document.querySelector(".thread-names").children].map((row) =>
                [...[...row.children].map((each) => each.textContent), row.title, row.tagName === "BUTTON"]);""")

    @staticmethod
    def in_words(times):
        """As the text report writes seconds."""
        return ["0 s" if ns == 0 else f"{ns / 1e9:.{6 if ns < 1e6 else 4 if ns < 1e9 else 3}f} s" for ns in times]

    def test_rows_have_names_and_times(self):
        self.show(self.many)
        rows = self.rows()
        self.assertEqual(12, len(rows))
        for index, (row, life) in enumerate(zip(rows[:11], self.lives)):
            words = ", ".join(f"{state} {time}" for state, time in zip(STATES, self.in_words(sums(life)))
                              if state != "unknown" or sums(life)[3] > 0)
            self.assertEqual([f"worker-{index} {100 + index}", self.in_words(sums(life))[0],
                              f"worker-{index}, thread {100 + index}: {words}", True], row)
        rest = [sum(times) for times in zip(*map(sums, self.lives[11:] + self.others))]
        self.assertEqual(["8 other threads", self.in_words(rest)[0]], rows[11][:2])
        self.assertEqual(f"8 other threads: {', '.join(map(' '.join, zip(STATES, self.in_words(rest))))}", rows[11][2])
        self.assertFalse(rows[11][3])

    @needs_kernel_counts
    def test_a_recording_has_the_times_of_the_report(self):
        recording = str(pathlib.Path(self.folder) / "wall.data")
        self.tacho("record", "--wall", "-o", recording, "--", "sh", "-c", "sleep 0.3; seq 300000 > /dev/null")
        known = json.loads(self.tacho("report", "--wall", "--json", "-i", recording))["threads"]
        page = self.page_of("report", "--wall", "-i", recording)
        self.show(page)
        words = []
        for thread in known:
            times = [thread[f"{state}_ns"] for state in STATES]
            written = list(map(" ".join, zip(STATES, self.in_words(times))))
            words.append(f"{thread['name']}, thread {thread['tid']}: {', '.join(written if times[3] else written[:3])}")
        self.assertCountEqual(words, [title for _, _, title, _ in self.rows()])
        self.assertIn("sleep", " ".join(words))
        states = data_of(page)["profile"]["states"]
        for row, thread in enumerate(states["threads"]):
            for state in STATES:
                self.assertEqual(thread[f"{state}_ns"],
                                 sum(time for at, time in zip(states["row"], states[state]) if at == row), (row, state))

    def test_a_few_threads_have_a_row_each(self):
        for count, others, last in ((12, 0, "worker-11 111"), (11, 3, "3 other threads"), (12, 1, "2 other threads")):
            self.show(self.made_up("few", self.lives[:count], self.others[:others]))
            rows = self.rows()
            self.assertEqual((12, last), (len(rows), rows[-1][0]))

    def test_the_legend_has_the_times_of_all_threads(self):
        def legend(lives, others):
            self.show(self.made_up("legend", lives, others))
            return [each.text for each in self.driver.find_elements(By.CSS_SELECTOR, "[aria-label='Colours of the states'] li")]
        running, ready, waiting, unknown = self.in_words(map(sum, zip(*map(sums, self.lives + self.others))))
        self.assertEqual(["Time of 19 threads:", f"running: {running}", f"ready (it had work, but no CPU): {ready}",
                          f"waiting: {waiting}", f"unknown (records were lost): {unknown}"], legend(self.lives, self.others))
        self.assertEqual(["Time of 1 thread:", "running: 0.3125 s", "ready (it had work, but no CPU): 0 s", "waiting: 0.9375 s"],
                         legend([[(0, END // 4, "running"), (END // 4, END, "waiting")]], []))

    def finding(self):
        label = self.driver.find_element(By.CSS_SELECTOR, ".thread-plot svg").get_attribute("aria-label")
        found = self.driver.find_element(By.CSS_SELECTOR, ".finding").text
        self.assertIn(found, label)
        return found

    def test_the_finding_is_of_the_thread_that_ran_longest(self):
        alone = [(0, 300_000_000, "running"), (300_000_000, 450_000_000, "ready"), (450_000_000, END, "waiting")]
        words = "0.3000 s of the 1.250 s that it lived, was ready for 0.1500 s, and waited for 0.8000 s."
        self.show(self.made_up("alone", [alone]))
        self.assertEqual(f"worker-0 100 ran for {words}", self.finding())
        busy = [(0, 200_000_000, "running"), (200_000_000, END, "ready")]
        self.show(self.made_up("two", in_order([busy, alone])))
        self.assertEqual(f"The thread that ran longest is worker-0 100. It ran for {words}", self.finding())
        self.show(self.made_up("lost", [alone[:2] + [(450_000_000, 500_000_000, "unknown")]]))
        self.assertEqual("worker-0 100 ran for 0.3000 s of the 0.5000 s that it lived, was ready for 0.1500 s, and waited for "
                         "0 s. For 0.0500 s, it is not known what it did.", self.finding())

    def read(self):
        return "".join(each.text for each in self.driver.find_elements(By.CSS_SELECTOR, ".tooltip:not([hidden])"))

    def test_bars_are_read_with_pointer_and_keyboard(self):
        one = [(SLICE // 2, SLICE, "running"), (SLICE, 2 * SLICE - SLICE // 4, "ready"), (2 * SLICE - SLICE // 4, END, "waiting")]
        late = [(END - SLICE, END, "running")]
        self.show(self.made_up("read", [one, *[late] * 10], [[(0, 3 * SLICE, "ready")], late, late]))
        picture = self.driver.find_element(By.CSS_SELECTOR, ".thread-plot svg")
        self.driver.execute_script("document.querySelector('.thread-names button:last-of-type').focus()")
        ActionChains(self.driver).send_keys(Keys.TAB).perform()
        self.assertEqual(picture, self.driver.switch_to.active_element)
        self.assertEqual("worker-0 100, 0.000 s to 0.010 s:\nrunning 50.0 %, not alive 50.0 %", self.read())
        picture.send_keys(Keys.ARROW_RIGHT)
        self.assertEqual("worker-0 100, 0.010 s to 0.020 s:\nready 75.0 %, waiting 25.0 %", self.read())
        picture.send_keys(Keys.END, Keys.ARROW_RIGHT)
        self.assertEqual("worker-0 100, 1.240 s to 1.250 s:\nwaiting 100.0 %", self.read())
        picture.send_keys(Keys.ARROW_DOWN, Keys.ARROW_LEFT)
        self.assertEqual("worker-1 101, 1.230 s to 1.240 s:\nnot alive 100.0 %", self.read())
        picture.send_keys(*[Keys.ARROW_DOWN] * 20)
        self.assertEqual("3 other threads, 1.230 s to 1.240 s:\n0.0 of 3 threads alive", self.read())
        picture.send_keys(Keys.HOME)
        self.assertEqual("3 other threads, 0.000 s to 0.010 s:\n1.0 of 3 threads alive: ready 100.0 %", self.read())
        picture.send_keys(Keys.ESCAPE)
        self.assertEqual("", self.read())
        size = picture.size  # the middle of the first row, in the bar that begins at a quarter
        ActionChains(self.driver).move_to_element_with_offset(
            picture, -size["width"] // 4 + 5, ROW // 2 - size["height"] // 2).perform()
        self.assertRegex(self.read(), r"^worker-0 100, 0\.3.* s to 0\.3.* s:\nwaiting 100\.0 %$")

    def samples(self):
        return self.driver.execute_script("return tachoPage.frames()[0].samples")

    def test_times_and_threads_are_chosen_as_without_states(self):
        self.show(self.many)
        self.driver.find_element(By.CSS_SELECTOR, "[data-thread='2']").click()
        self.assertEqual(len(range(2, COUNT, 14)), self.samples())
        self.driver.find_element(By.CSS_SELECTOR, "[data-thread='2']").click()
        self.assertEqual(COUNT, self.samples())
        self.driver.find_element(By.ID, "time-to").send_keys(Keys.CONTROL, "a", Keys.NULL, "0.4", Keys.ENTER)
        self.assertEqual(40, self.samples())
        self.driver.find_element(By.ID, "time-clear").click()
        overlay = self.driver.find_element(By.CSS_SELECTOR, ".brush .overlay")
        self.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", overlay)
        width = overlay.size["width"]
        ActionChains(self.driver).move_to_element_with_offset(overlay, -width // 4, 0).click_and_hold() \
            .move_by_offset(width // 2, 0).release().perform()
        self.assertAlmostEqual(COUNT // 2, self.samples(), delta=2)
        self.assertFalse(self.driver.execute_script("return document.activeElement.matches('svg:focus-visible')"))

    def test_a_page_without_states_shows_samples(self):
        for states in ({}, {"states": None}):
            page = data_of(self.page)["profile"]
            self.show(with_data(self.page, "none", profile={**page, **states}))
            self.assertEqual([], self.driver.find_elements(By.CSS_SELECTOR, ".state, .finding, .read-cell"))
            self.assertIn("Samples over time", self.driver.find_element(By.TAG_NAME, "main").text)
        self.show(self.many)
        self.assertIn("Threads over time", self.driver.find_element(By.TAG_NAME, "main").text)
        self.assertNotIn("Samples over time", self.driver.find_element(By.TAG_NAME, "main").text)

    def test_colours_differ_in_lightness(self):
        """A column is read without colours, too: each state of the stack is nearer to the background than the one below."""
        luminance = """
            const canvas = document.createElement("canvas").getContext("2d");
            const of = (colour) => {
                canvas.fillStyle = colour;
                canvas.fillRect(0, 0, 1, 1);
                const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map((each) =>
                    each <= 10 ? each / 255 / 12.92 : ((each / 255 + 0.055) / 1.055) ** 2.4);
                return 0.2126 * r + 0.7152 * g + 0.0722 * b;
            };
            const fills = arguments[0].map((name) => getComputedStyle(document.querySelector(`.state.${name}`)).fill);
            return [...fills, getComputedStyle(document.body).backgroundColor].map(of);"""
        try:
            for scheme in ("light", "dark"):
                self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia",
                                            {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
                self.show(self.many)
                found = self.driver.execute_script(luminance, STATES[:3])
                self.assertEqual(sorted(found, reverse=scheme == "dark"), found)
                for low, high in map(sorted, zip(found, found[1:])):
                    self.assertGreater((high + 0.05) / (low + 0.05), 1.5, (scheme, found))
        finally:
            self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})

    def test_narrow_and_hostile(self):
        threads = [{"pid": 7, "tid": 100 + index, "name": HOSTILE * 9} for index, _ in enumerate(self.lives)]
        self.show(self.made_up("hostile", self.lives, self.others, threads=threads))
        self.assertEqual([], self.driver.find_elements(By.TAG_NAME, "img"))
        self.assertIn("<img src=x", self.finding())
        self.assertNotIn("\u202e", self.driver.find_element(By.TAG_NAME, "main").text)
        self.assert_fits_a_narrow_window()


if __name__ == "__main__":
    unittest.main()
