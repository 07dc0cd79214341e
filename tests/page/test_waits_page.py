"""The page of `tacho report --wall --html`: what threads did, the critical path, and where they waited, in tables.

One page is of a recording, and has the figures of the JSON report. The others have waits that are made up.
"""
import itertools
import json
import pathlib
import subprocess
import unittest

from page_case import PageCase
from page_documents import data_of, ends, percent, table_after, with_data
from tacho_cli import TACHO, needs_kernel_counts, needs_mount, with_tracefs, workload

HOSTILE = "<img src=x onerror=alert(1)>\u202e"
DID, PATH, PLACES, ENDED = "What the threads did", "The critical path", "Where they waited", "What ended these waits"


def seconds(ns):
    """As the text report writes them."""
    return "0 s" if ns == 0 else f"{ns / 1e9:.{6 if ns < 1e6 else 4 if ns < 1e9 else 3}f} s"


def made_up(ns, ci95=None, times=1, longest=None):
    return {"ns": ns, "ci95": ci95 or [ns, ns], "times": times, "longest_ns": ns if longest is None else longest}


# Two workers for 2 s: running 1 s, of the rest half is counted, and half is an estimate.
PLACE = {"state": "waiting", "reason": "lock", **made_up(1e9, [0.5e9, 2e9], 40, 0.1e9), "functions": [HOSTILE, "work", "main"]}
DEEP = {"state": "waiting", "reason": "sleep", **made_up(2e9), "functions": [f"f{depth}" for depth in range(12)]}
WAITS = {
    "span_ns": 2e9,
    "all": {"life_ns": 4e9, "running_ns": 1e9, "ready_ns": 0, "waiting_ns": 3e9, "unknown_ns": 0},
    "reasons": [{"state": "waiting", "reason": "sleep", "words": "a time to pass", **made_up(2e9)},
                {"state": "waiting", "reason": "lock", "words": "a lock", **made_up(1e9, [0.5e9, 2e9], 40, 0.1e9)},
                {"state": "ready", "reason": "preempted", "words": "another thread", **made_up(0, times=0)}],
    "places": [{**DEEP, "place": 0}, {**PLACE, "place": 1}],
    "places_in_all": 2,
    "wake_ups_recorded": True,
    "wake_ups_in_all": 3,
    "path_parts_in_all": 2,
    "wake_ups": [{"place": 1, "thread": HOSTILE, "tids": [7, 8], "by_end": False, "functions": ["unlock"], **made_up(1e9)},
                 {"place": None, "thread": None, "tids": [], "by_end": False, "functions": [], **made_up(2e8)},
                 {"place": 0, "thread": "child", "tids": [9], "by_end": True, "functions": [], **made_up(1e8)}],
    "critical_path": {"ns": 2e9, "outside_ns": 5e8, "certain": True, "parts": [
        {"state": "waiting", "place": 1, "thread": "worker", "tids": [7, 8], **made_up(1e9, [0.5e9, 1.5e9], 3)},
        {"state": "running", "place": None, "thread": "worker", "tids": [7], **made_up(1e9, times=2)}]},
}


@needs_kernel_counts
class WaitsPage(PageCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.numbers = itertools.count()

    def record(self, *command):
        file = str(pathlib.Path(self.folder) / "wall.data")
        recorded = with_tracefs(TACHO, "record", "-q", "--wall", "-o", file, "--", *command)
        self.assertEqual(recorded.code, 0, recorded.stderr)
        return file

    def show(self, waits):
        """A page with these waits."""
        self.open_page(with_data(self.some_page(), f"made-up-{next(self.numbers)}", waits=waits))

    def some_page(self):
        if not hasattr(type(self), "page"):
            file = str(pathlib.Path(self.folder) / "some.data")
            self.tacho("record", "--wall", "-o", file, "--", "sleep", "0.01")
            type(self).page = self.page_of("report", "--wall", "-i", file)
        return self.page

    def table(self, heading):
        return table_after(self.driver, heading)

    def headings(self):
        return [each.text for each in self.driver.find_elements("css selector", "h2")]

    def note_under(self, heading):
        return self.driver.execute_script("""
            return [...document.querySelectorAll("h2")].find((each) => each.textContent === arguments[0])
                .parentElement.querySelector(".note").textContent;""", heading)

    @needs_mount
    def test_a_recording_has_the_figures_of_the_report(self):
        file = self.record(workload("waits"))
        known = json.loads(self.tacho("report", "--wall", "--json", "-i", file))
        self.open_page(self.page_of("report", "--wall", "-i", file))
        did = {row["What"].partition(":")[0]: row for row in self.table(DID)}
        self.assertEqual(did["running"]["Time"], seconds(known["all"]["running_ns"]))
        for each in known["reasons"]:
            name = f"waiting for {each['reason']}" if each["state"] == "waiting" else f"ready, {each['reason']}"
            self.assertEqual(did[name]["Time"], seconds(each["ns"]))
            self.assertEqual(did[name]["Longest"], seconds(each["longest_ns"]))
            self.assertEqual(int(did[name]["Times"].replace(",", "")), each["times"])
        self.assertEqual(len(did), 1 + len(known["reasons"]))
        places = self.table(PLACES)
        self.assertEqual([row["Time"] for row in places], [seconds(each["ns"]) for each in known["places"]][:len(places)])
        path = known["critical_path"]
        self.assertEqual([row["Time"] for row in self.table(PATH)], [seconds(part["ns"]) for part in path["parts"]])
        self.assertIn(seconds(path["ns"]), self.note_under(PATH))
        ended = self.table(ENDED)
        self.assertEqual([row["Time"] for row in ended], [seconds(each["ns"]) for each in known["wake_ups"]][:len(ended)])
        naps = next(row for row in places if "naps" in row["Where"])
        self.assertEqual(naps["What"], "waiting for sleep")

    def test_a_stream_has_the_waits_of_the_file(self):
        file = str(pathlib.Path(self.folder) / "stream.data")
        with open(file, "wb") as out:
            subprocess.run([TACHO, "record", "-q", "--wall", "-o", "-", "--", "sleep", "0.05"], stdout=out, check=True)
        page = str(pathlib.Path(self.folder) / "stream.html")
        with open(file, "rb") as stream:
            subprocess.run([TACHO, "report", "--wall", "-i", "-", "--html", page], stdin=stream, check=True, capture_output=True)
        waits = data_of(page)["waits"]
        self.assertEqual(waits, data_of(self.page_of("report", "--wall", "-i", file))["waits"])
        self.assertIn("sleep", [each["reason"] for each in waits["reasons"]])

    def test_a_choice_of_modules_has_no_waits(self):
        self.some_page()
        file = str(pathlib.Path(self.folder) / "some.data")
        page = self.page_of("report", "--wall", "-i", file, "--module", "[kernel.kallsyms]")
        self.assertNotIn("waits", data_of(page))
        self.open_page(page)
        self.assertNotIn(DID, self.headings())

    def test_estimates_have_a_mark_and_an_interval(self):
        self.show(WAITS)
        running, sleep, lock = self.table(DID)
        self.assertEqual((running["Time"], running["Share"], running["Times"]), ("1.000 s", percent(0.25), ""))
        self.assertEqual((sleep["Time"], sleep["Share"], sleep["Longest"]), ("2.000 s", percent(0.5), "2.000 s"))
        self.assertEqual((lock["Time"], lock["Times"], lock["Longest"]), ("~1.000 s", "~40", "≥0.1000 s"))
        self.assertEqual(lock["Share"], f"{percent(0.25)} ({ends([0.125, 0.5])})")
        self.assertEqual(lock["What"], "waiting for lock: a lock")

    def test_names_are_text_and_long_chains_are_cut(self):
        self.show(WAITS)
        deep, lock = self.table(PLACES)
        self.assertEqual(deep["Where"], " ← ".join([*(f"f{depth}" for depth in range(8)), "…"]))
        self.assertEqual(lock["Where"], "<img src=x onerror=alert(1)>\\u202e ← work ← main")
        by_thread, by_device, by_end = self.table(ENDED)
        self.assertEqual((by_thread["#"], by_thread["Thread"]), ("2", "<img src=x onerror=alert(1)>\\u202e (2 threads)"))
        self.assertEqual((by_device["#"], by_device["Thread"], by_device["Where"]), ("-", "interrupt", "not recorded"))
        self.assertEqual((by_end["#"], by_end["Thread"], by_end["Where"]), ("1", "child[9]", "its end (inferred)"))
        self.assertEqual([], self.driver.find_elements("css selector", "img"))

    def test_the_path_says_what_it_does_not_know(self):
        self.show(WAITS)
        waiting, running = self.table(PATH)
        self.assertEqual((waiting["Thread"], waiting["What"], waiting["Share"]),
                         ("worker (2 threads)", "waiting for lock", f"{percent(0.5)} ({ends([0.25, 0.75])})"))
        self.assertEqual((running["Thread"], running["What"], running["Share"]), ("worker[7]", "running", percent(0.5)))
        self.assertIn("0.5000 s of it are waits that no recorded wake-up ended", self.note_under(PATH))
        self.assertNotIn("may be another", self.note_under(PATH))
        self.show({**WAITS, "critical_path": {**WAITS["critical_path"], "certain": False, "outside_ns": 0}})
        self.assertIn("may be another one", self.note_under(PATH))
        self.assertNotIn("no recorded wake-up", self.note_under(PATH))

    def test_rows_that_are_left_out_are_counted(self):
        far = {**PLACE, "place": 231, "functions": ["far"]}
        path = {**WAITS["critical_path"], "parts": [{**WAITS["critical_path"]["parts"][0], "place": 231}]}
        self.show({**WAITS, "places": [*WAITS["places"], far], "places_in_all": 475, "critical_path": path,
                   "path_parts_in_all": 300, "wake_ups_in_all": 1000})
        self.assertIn("The page has 3 of 475 rows", self.note_under(PLACES))
        self.assertIn("The page has 1 of 300 rows", self.note_under(PATH))
        self.assertIn("The page has 3 of 1,000 rows", self.note_under(ENDED))
        self.assertEqual((self.table(PATH)[0]["What"], self.table(PATH)[0]["Where"]), ("waiting for lock", "far"))
        self.assertEqual(self.table(PLACES)[-1]["#"], "232")

    def test_what_was_not_recorded_has_no_table(self):
        self.show({**WAITS, "critical_path": None, "wake_ups": [], "places": []})
        self.assertIn(DID, self.headings())
        for heading in (PATH, PLACES, ENDED):
            self.assertNotIn(heading, self.headings())

    def test_lost_time_has_a_row(self):
        self.show({**WAITS, "all": {**WAITS["all"], "unknown_ns": 5e8}})
        self.assertEqual(self.table(DID)[-1]["What"], "unknown: records were lost")

    def test_the_tables_fit_a_narrow_window(self):
        self.show(WAITS)
        self.assert_fits_a_narrow_window()


if __name__ == "__main__":
    unittest.main()
