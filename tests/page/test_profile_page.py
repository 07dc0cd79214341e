"""The page of `tacho report --html`: the flame graph has the numbers of --tree --json, and selections those of --time."""
import collections
import itertools
import json
import os
import pathlib
import re
import time
import unittest

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

from page_case import PageCase
from page_documents import data_of, nameless, with_data

SOURCE = pathlib.Path(os.environ.get("SOURCE", pathlib.Path(__file__).resolve().parents[2]))
BUILD = pathlib.Path(os.environ.get("BUILD", SOURCE / "build" / "release"))
PROGRAM = pathlib.Path(os.environ.get("EXAMPLES", BUILD / "examples")) / "naive"
HOSTILE = "</script><img src=x onerror=alert(1)>\u202e\x1b[31m\n"


def event_of(page):
    return page["profile"]["events"][page["profile"]["event"]]


class ProfilePage(PageCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.recording = str(pathlib.Path(cls.folder) / "naive.data")
        cls.tacho("record", "-g", "--pmu", "simulated:skylake", "-e", "cycles,instructions", "-c", "5003",
                  "-o", cls.recording, "--", PROGRAM, "80")
        cls.page = cls.page_of("report", "-i", cls.recording)

    def read(self, call):
        return self.driver.execute_script(f"return tachoPage.{call}()")

    def frames(self):
        return self.read("frames")

    def text(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector).text

    def element(self, name):
        return self.driver.find_element(By.ID, name)

    def graph(self):
        return self.driver.find_element(By.CLASS_NAME, "flame-box")

    def press(self, *keys):
        self.graph().send_keys(*keys)

    def search(self, expression):
        self.element("search").clear()
        self.element("search").send_keys(expression)

    def click(self, frame):
        canvas = self.driver.find_element(By.CSS_SELECTOR, ".flame-box canvas")
        self.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", canvas)
        again = next(each for each in self.frames() if self.path(each) == self.path(frame))
        place, box = again["rectangle"], self.driver.execute_script(
            "const box = arguments[0].getBoundingClientRect(); return [box.left, box.top, box.width, box.height];",
            canvas)
        ActionChains(self.driver).move_to_element_with_offset(
            canvas, place["left"] + min(place["width"] / 2, 30) - box[0] - box[2] / 2,
            place["top"] + place["height"] / 2 - box[1] - box[3] / 2).click().perform()

    @staticmethod
    def path(frame):
        return frame["row"], frame["name"], frame["samples"], frame["caller"]

    def rows(self, *options):
        """Rows of --tree, by the names on the way to them: samples, share, low, high."""
        document = json.loads(self.tacho("report", "--tree", "--inline", "--percent-limit", "0", "--limit", "0", "--json",
                                         *options, "-i", self.recording))
        paths, found = [], {}
        for row in document["rows"]:
            name = row["function"] or nameless(row["module"])
            paths.append((*(paths[row["caller"]] if row["caller"] is not None else ()), (name, row["module"])))
            found[paths[-1]] = row
        return found

    def by_path(self, frames):
        paths, found = [], {}
        for frame in frames:
            paths.append((*(paths[frame["caller"]] if frame["caller"] >= 0 else ()),
                          *([(frame["name"], frame["module"])] if frame["caller"] >= 0 else [])))
            found[paths[-1]] = frame
        return found

    def assert_frames_are(self, rows):
        drawn = self.by_path(self.frames())
        root = drawn.pop(())
        self.assertGreater(len(drawn), 10)
        for path, frame in drawn.items():
            row = rows[path]
            self.assertEqual((row["samples"], row["self_samples"]), (frame["samples"], frame["ownSamples"]), path)
            self.assertAlmostEqual(row["share"], frame["share"], 9, path)
            self.assertAlmostEqual(frame["share"] * root["rectangle"]["width"], frame["rectangle"]["width"], 3)
            for end, expected in zip((frame["low"], frame["high"]), row["ci95"]):
                self.assertAlmostEqual(expected, end, 9 if frame["share"] >= 0.001 else 2, path)
        for path, row in rows.items():
            if row["share"] * root["rectangle"]["width"] >= 0.6:
                self.assertIn(path, drawn)

    def test_frames_are_the_call_tree(self):
        self.open_page(self.page)
        self.assertEqual(event_of(data_of(self.page))["samples"], self.frames()[0]["samples"])
        self.assert_frames_are(self.rows())

    def test_another_event(self):
        self.open_page(self.page)
        Select(self.element("event")).select_by_index(1 - data_of(self.page)["profile"]["event"])
        other = data_of(self.page)["profile"]["events"][1 - data_of(self.page)["profile"]["event"]]["name"]
        self.assert_frames_are(self.rows("--event", other))
        self.assertIn(f"samples of {other}", self.text("main"))

    def test_search_counts_each_sample_once(self):
        self.open_page(self.page)
        stacks = []
        for line in self.tacho("report", "--folded", "-i", self.recording).splitlines():
            stack, _, count = line.rpartition(" ")
            stacks.append((stack.split(";"), int(count)))
        for expression in ("_dl_", "^_start$", "mult.*ply", "[tx]_"):
            self.search(expression)
            part = sum(count for stack, count in stacks if any(re.search(expression, name) for name in stack))
            share = 100 * part / sum(count for _, count in stacks)
            self.assertRegex(self.read("matched"), rf"Matched: {re.escape(f'{share:.1f}')} % of all samples \(\d")
            self.assertEqual({bool(re.search(expression, frame["name"])) for frame in self.frames() if frame["matched"]},
                             {True})
        self.search("MULT")
        self.assertEqual("No function matches.", self.read("matched"))
        self.element("ignore-case").click()
        self.assertIn("Matched", self.read("matched"))

    def test_a_wrong_expression_changes_nothing(self):
        self.open_page(self.page)
        self.search("_dl_")

        def seen():
            return self.read("matched"), [(self.path(frame), frame["matched"]) for frame in self.frames()]
        before = seen()
        self.element("search").send_keys("(")
        self.assertIn("not a regular expression", self.text("#search-fault"))
        self.assertEqual(before, seen())
        self.element("search").send_keys("a)")
        self.assertEqual("", self.text("#search-fault"))

    def test_zoom_by_click_and_back_by_callers(self):
        self.open_page(self.page)
        whole = self.frames()
        wanted = next(frame for frame in whole if frame["name"] == "_dl_relocate_object")
        self.click(wanted)
        zoomed = self.frames()
        self.assertEqual(("_dl_relocate_object", 0), (zoomed[0]["name"], zoomed[0]["row"]))
        self.assertAlmostEqual(whole[0]["rectangle"]["width"], zoomed[0]["rectangle"]["width"], 3)
        self.assertEqual((wanted["share"], wanted["low"]), (zoomed[0]["share"], zoomed[0]["low"]))
        crumbs = self.driver.find_elements(By.CSS_SELECTOR, ".crumbs button")
        self.assertEqual(("all", "_dl_relocate_object"), (crumbs[0].text, crumbs[-1].text))
        crumbs[-2].click()
        self.assertEqual("dl_main", self.frames()[0]["name"])
        self.element("reset").click()
        self.assertEqual([self.path(frame) for frame in whole], [self.path(frame) for frame in self.frames()])

    def test_keyboard(self):
        self.open_page(self.page)
        self.element("flame").click()
        self.press(Keys.ARROW_UP)
        first = self.read("focused")
        self.assertEqual(("_start", 1), (first["name"], first["row"]))
        self.press(Keys.ARROW_RIGHT)
        second = self.read("focused")
        self.assertEqual(1, second["row"])
        self.assertLess(second["share"], first["share"])
        self.press(Keys.ARROW_LEFT, Keys.ARROW_UP, Keys.ARROW_UP)
        self.assertEqual(3, self.read("focused")["row"])
        facts = self.text("#facts")
        for part in (self.read("focused")["name"], f"{100 * self.read('focused')['share']:.1f} %", "…", "samples"):
            self.assertIn(part, facts)
        self.press(Keys.ENTER)
        self.assertEqual(self.read("focused")["name"], self.frames()[0]["name"])
        self.assertEqual(1, len(self.driver.find_elements(By.CSS_SELECTOR, ".crumbs [aria-current]")))
        self.press(Keys.ESCAPE)
        self.assertEqual("all", self.frames()[0]["name"])
        self.press(Keys.ENTER, "r")
        self.assertEqual("all", self.frames()[0]["name"])
        self.press("/")
        self.assertEqual("search", self.driver.switch_to.active_element.get_attribute("id"))
        self.element("icicle").click()
        self.press(Keys.ARROW_DOWN)
        self.assertGreater(self.read("focused")["row"], 0)

    def test_a_choice_of_time(self):
        self.open_page(self.page)
        slices = event_of(data_of(self.page))["slices"]
        middle = slices["count"] // 2
        self.type_time("time-to", f"{middle * slices['slice_ns'] / 1e9:.9f}")
        at, counts = 0, collections.Counter()
        for step, samples in zip(slices["slice"], slices["samples"]):
            at += step
            counts[at < middle] += samples
        self.assertEqual(counts[True], self.frames()[0]["samples"])
        self.assertIn(f"{counts[True]:,} of {sum(counts.values()):,} samples are chosen", self.text("main"))
        half = self.frames()
        for frame in half[1:]:
            self.assertTrue(frame["low"] <= frame["share"] <= frame["high"])
        self.element("time-clear").click()
        self.assertEqual(sum(counts.values()), self.frames()[0]["samples"])

    def test_a_brush(self):
        self.open_page(self.page)
        overlay = self.driver.find_element(By.CSS_SELECTOR, ".brush .overlay")
        width = overlay.size["width"]
        ActionChains(self.driver).move_to_element_with_offset(overlay, -width // 4, 0).click_and_hold() \
            .move_by_offset(width // 2, 0).release().perform()
        chosen = [float(self.element(name).get_attribute("value")) for name in ("time-from", "time-to")]
        slices = event_of(data_of(self.page))["slices"]
        length = slices["count"] * slices["slice_ns"] / 1e9
        self.assertAlmostEqual(0.25, chosen[0] / length, 1)
        self.assertAlmostEqual(0.75, chosen[1] / length, 1)
        self.assertLess(self.frames()[0]["samples"], event_of(data_of(self.page))["samples"])

    def test_a_click_beside_the_chosen_time_keeps_it(self):
        self.open_page(self.page)
        overlay = self.driver.find_element(By.CSS_SELECTOR, ".brush .overlay")
        width = overlay.size["width"]

        def seen():
            brush = self.driver.find_element(By.CSS_SELECTOR, ".brush .selection").get_attribute("width")
            return self.times(), self.frames()[0]["samples"], brush
        whole = self.times()
        self.click_at(overlay, -width // 4)
        self.assertEqual(whole, self.times())
        ActionChains(self.driver).move_to_element_with_offset(overlay, -width // 4, 0).click_and_hold() \
            .move_by_offset(width // 4, 0).release().perform()
        before = seen()
        self.assertNotEqual(whole, self.times())
        self.click_at(overlay, width // 4)
        self.assertEqual(before, seen())

    def test_the_page_says_how_time_and_threads_are_chosen(self):
        self.open_page(self.page)
        self.assertIn("Drag over a stretch of time to choose it, or type its ends.", self.text("main"))
        self.assertNotIn("thread's name", self.text("main"))
        page = data_of(self.page)
        page["profile"]["threads"] *= 2
        self.open_page(with_data(self.page, "threads", profile=page["profile"]))
        self.assertIn("A click on a thread's name chooses the thread.", self.text("main"))

    def test_typed_times_go_to_slices_and_the_page_says_which(self):
        self.open_page(self.page)
        slices = event_of(data_of(self.page))["slices"]
        width = slices["slice_ns"] / 1e9
        for name, at in (("time-to", 20.3), ("time-from", 9.8)):
            self.type_time(name, f"{at * width:.12f}")
        first, end = self.times()
        self.assertAlmostEqual(10 * width, float(first), delta=0.1 * width)
        self.assertAlmostEqual(20 * width, float(end), delta=0.1 * width)
        self.assertIn(f"Shown: {first} s to {end} s", self.time_note())
        self.assertIn("in whole slices", self.time_note())
        for name in ("time-from", "time-to"):
            self.assertTrue(self.driver.execute_script("return arguments[0].checkValidity()", self.element(name)))
        self.element("time-from").send_keys(Keys.ARROW_UP)
        self.assertAlmostEqual(11 * width, float(self.times()[0]), delta=0.1 * width)

    def test_times_that_cannot_be_are_refused_with_the_reason(self):
        self.open_page(self.page)
        slices = event_of(data_of(self.page))["slices"]
        length = slices["count"] * slices["slice_ns"] / 1e9
        self.type_time("time-to", f"{length / 2:.12f}")
        before, samples = self.times(), self.frames()[0]["samples"]
        for name, text, reason in (("time-from", f"{length * 0.7:.12f}", "the beginning must be before the end"),
                                   ("time-to", f"{length * 2:.12f}", "the recording goes from 0 s to"),
                                   ("time-from", "-1", "the recording goes from 0 s to"),
                                   ("time-to", "1e", "a time is a number of seconds")):
            self.type_time(name, text)
            self.assertIn(f"Refused: {reason}", self.time_note())
            self.assertEqual((before, samples), (self.times(), self.frames()[0]["samples"]))
        with self.window_of(390):
            self.driver.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")
            self.assertIn("Refused: ", self.time_note())
        self.type_time("time-to", f"{length / 4:.12f}")
        self.assertIn("Shown: ", self.time_note())

    def type_time(self, name, text):
        self.element(name).send_keys(Keys.CONTROL, "a", Keys.NULL, text, Keys.ENTER)

    def time_note(self):
        return self.text("section[aria-label='Samples over time'] [role=status]")

    def times(self):
        return [self.element(name).get_attribute("value") for name in ("time-from", "time-to")]

    def click_at(self, overlay, right_of_middle):
        ActionChains(self.driver).move_to_element_with_offset(overlay, right_of_middle, 0).click().perform()

    def test_the_order_of_time(self):
        self.open_page(self.page)
        self.element("by-time").click()
        frames = [frame for frame in self.frames() if frame["row"] == 1]
        lefts = [frame["rectangle"]["left"] for frame in frames]
        self.assertEqual(sorted(lefts), lefts)
        self.assertEqual("_start", frames[0]["name"])  # of the dynamic linker
        self.assertFalse(any(frame["tied"] for frame in self.frames()))
        self.click(frames[-1])
        self.assertEqual(frames[-1]["name"], self.frames()[0]["name"])
        self.element("by-weight").click()
        self.assertEqual("all", self.frames()[0]["name"])

    def test_frames_in_the_order_of_time_are_runs_of_equal_callers(self):
        stacks = ["a", "ab", "abc", "ad", "e"]  # a letter is a function
        order = [2, 2, 1, 2, 3, 3, 4, 4, 0, 2, 0, 0]  # the stack of each slice
        slices = {"start_ns": 0, "slice_ns": 10**8, "count": len(order), "least_share": 0, "slice": [0] + [1] * (len(order) - 1),
                  "thread": [0] * len(order), "node": order, "samples": [1] * len(order), "weight": [1] * len(order)}
        self.open_page(self.made_up("runs", [(len(stack) - 1, "abcde".index(stack[-1]), order.count(at))
                                             for at, stack in enumerate(stacks)], list("abcde"), slices=slices))
        self.element("by-time").click()

        def seen(first, count):
            """Frames as row, function, first slice and the slice behind the last one."""
            frames = self.frames()
            left, width = (frames[0]["rectangle"][key] for key in ("left", "width"))
            return {(frame["row"], frame["name"], *(
                round(first + (place - left) * count / width, 2)
                for place in (frame["rectangle"]["left"], frame["rectangle"]["left"] + frame["rectangle"]["width"])))
                for frame in frames[1:]}
        runs = set()
        for depth in (1, 2, 3):
            at = 0
            for callers, group in itertools.groupby(order, key=lambda node: stacks[node][:depth]):
                length = len(list(group))
                if len(callers) == depth:
                    runs.add((depth, callers[-1], at, at + length))
                at += length
        self.assertEqual(runs, seen(0, len(order)))
        self.click(next(frame for frame in self.frames() if frame["name"] == "a"))  # its first run: slices 0 to 5
        self.assertEqual({(depth - 1, name, first, end) for depth, name, first, end in runs if depth > 1 and end <= 6}, seen(0, 6))

    def made_up(self, name, stacks, functions, **changes):
        """A page of a tree that is written as [(depth, function, own samples)]."""
        page = data_of(self.page)
        tree = {"depth": [], "function": [], "self": [], "samples": [],
                "known": {"node": [], "low": [], "high": [], "tied": []}}
        for depth, function, samples in stacks:
            for key, value in (("depth", depth), ("function", function), ("self", samples), ("samples", samples)):
                tree[key].append(value)
        total = sum(tree["samples"])
        event = {"name": "cycles", "unit": None, "scale": 1, "samples": total, "total": total, "exact": False,
                 "tree": tree, "slices": None, **changes}
        return with_data(self.page, name, profile={
            **page["profile"], "modules": ["made-up"], "event": 0, "events": [event],
            "functions": {"name": functions, "module": [0] * len(functions)}})

    def test_what_is_not_known(self):
        self.open_page(self.made_up("unknown", [(0, 0, 400), (0, 1, 380), (0, 2, 100), (0, 3, 9), (0, 4, 0)],
                                    ["large", "near", "small", "few", "none"]))
        frames = {frame["name"]: frame for frame in self.frames()}
        self.assertEqual({"near": True, "small": False, "few": False, "large": False},
                         {name: frame["tied"] for name, frame in frames.items() if name != "all"})
        self.assertEqual(["few"], [name for name, frame in frames.items() if frame["few"]])
        low, high = frames["large"]["low"], frames["large"]["high"]  # Wilson, 400 of 889
        self.assertEqual((0.4175, 0.4828), (round(low, 4), round(high, 4)))
        self.assertIn("zigzag", self.text("main"))

    def test_exact_events_have_no_intervals(self):
        self.open_page(self.made_up("exact", [(0, 0, 40), (0, 1, 39), (0, 2, 1)], ["a", "b", "c"], exact=True))
        for frame in self.frames():
            self.assertEqual((frame["share"],) * 2, (frame["low"], frame["high"]))
            self.assertFalse(frame["tied"] or frame["few"])
        self.search("^a$")
        self.assertEqual("Matched: 50.0 % of all samples, in 1 function.", self.read("matched"))

    def test_hostile_names(self):
        page = self.made_up("hostile", [(0, 0, 50), (1, 1, 30), (0, 2, 20)], [HOSTILE, HOSTILE * 300, ""])
        driver = self.open_page(page)
        self.assertEqual([HOSTILE, HOSTILE * 300, "[made-up]"],
                         [frame["name"] for frame in sorted(self.frames()[1:], key=lambda frame: -frame["samples"])])
        self.click(self.frames()[1])
        self.assertEqual([], driver.find_elements(By.TAG_NAME, "img"))
        self.assertIn("</script><img src=x onerror=alert(1)>", self.text("#facts"))
        for letter in "\u202e\x1b":
            self.assertNotIn(letter, self.text("main"))
        self.search(r"</script>")
        self.assertIn("Matched: 80.0 %", self.read("matched"))

    def test_pages_with_little_in_them(self):
        self.open_page(self.made_up("none", [], []))
        self.assertIn("no samples", self.text("main"))
        self.open_page(self.made_up("one", [(0, 0, 1)], ["alone"]))
        self.assertEqual(["all", "alone"], [frame["name"] for frame in self.frames()])
        self.assertIn("no times", self.text("main"))
        self.assertFalse(self.element("by-time").is_enabled())

    def test_a_chain_of_a_thousand(self):
        driver = self.open_page(self.made_up("deep", [(depth, depth, int(depth == 999)) for depth in range(1000)],
                                             [f"f{depth}" for depth in range(1000)]))
        self.assertEqual(1001, len(self.frames()))
        self.press(*[Keys.ARROW_DOWN] * 60)
        self.assertEqual("f59", self.read("focused")["name"])
        place, box = self.read("focused")["rectangle"], self.graph().rect
        top = driver.execute_script("return arguments[0].getBoundingClientRect().top", self.graph())
        self.assertTrue(top <= place["top"] and place["top"] + place["height"] <= top + box["height"] + 1)
        self.press(Keys.ENTER)
        self.assertLess(len(driver.find_elements(By.CSS_SELECTOR, ".crumbs button")), 12)

    def test_dark_and_narrow(self):
        driver = self.open_page(self.page)
        pixel = """
            const canvas = document.querySelector(".flame-box canvas");
            const copy = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
            copy.drawImage(canvas, canvas.width / 2, 4, 1, 1, 0, 0, 1, 1);
            return [...copy.getImageData(0, 0, 1, 1).data];"""
        try:
            colours = {}
            for scheme in ("light", "dark"):
                driver.execute_cdp_cmd("Emulation.setEmulatedMedia",
                                       {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
                time.sleep(0.2)
                colours[scheme] = sum(driver.execute_script(pixel)[:3])
            self.assertGreater(colours["light"], colours["dark"] + 100)
            driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                   {"width": 390, "height": 800, "deviceScaleFactor": 1, "mobile": False})
            time.sleep(0.2)
            self.assertLessEqual(driver.execute_script("return document.documentElement.scrollWidth"), 390)
            self.assertLess(self.frames()[0]["rectangle"]["width"], 390)
        finally:
            driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
            driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})

    def test_code_of_a_frame(self):
        self.open_page(self.page)
        frame = max((each for each in self.frames() if each["name"].endswith("multiply")), key=lambda each: each["row"])
        self.click(frame)
        self.element("show-code").click()
        self.assertIn("multiply", self.text("section[aria-label='Code'] h2"))


if __name__ == "__main__":
    unittest.main()
