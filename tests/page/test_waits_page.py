"""The page of `tacho report --wall --html`: what threads did, the critical path, and where they waited, in tables.

One page is of a recording, and has the figures of the JSON report. The others have waits that are made up.
"""
import itertools
import json
import pathlib
import re
import subprocess
import unittest

from selenium.webdriver.support.ui import Select

from page_case import PageCase
from page_documents import data_of, ends, percent, table_after, with_data
from tacho_cli import TACHO, needs_kernel_counts, needs_mount, start_waiting, with_tracefs, workload

HOSTILE = "<img src=x onerror=alert(1)>\u202e"
DID, PATH, PLACES, ENDED = "What the threads did", "The critical path", "Where they waited", "What ended these waits"
THREADS, FUNCTIONS = "Threads", "Functions"


def seconds(ns):
    """As the text report writes them."""
    return "0 s" if ns == 0 else f"{ns / 1e9:.{6 if ns < 1e6 else 4 if ns < 1e9 else 3}f} s"


def kinds(warnings):
    """Without what differs on a page: running time has another name, and the end of a wait is a sample of its own."""
    return sorted(re.sub(r"[\d,]+ of [\d,]+|[\d,.]+ %|cpu-clock|running", "…", warning) for warning in warnings)


def made_up(ns, ci95=None, times=1, longest=None):
    return {"ns": ns, "ci95": ci95 or [ns, ns], "times": times, "longest_ns": ns if longest is None else longest}


# Two workers for 2 s: running 1 s, of the rest half is counted, and half is an estimate.
PLACE = {"state": "waiting", "reason": "lock", **made_up(1e9, [0.5e9, 2e9], 40, 0.1e9), "functions": [HOSTILE, "work", "main"],
         "cut": False}
DEEP = {"state": "waiting", "reason": "sleep", **made_up(2e9), "functions": [f"f{depth}" for depth in range(12)],
        "cut": False}
THREAD = {"pid": 7, "tid": 8, "name": HOSTILE, "begin_ns": 0, "life_ns": 2e9, "running_ns": 1e9, "ready_ns": 0, "waiting_ns": 1e9,
          "unknown_ns": 0, "longest": [{"begin_ns": 5e8, "ns": 1e8, "place": 1}, {"begin_ns": 0, "ns": 2e7, "place": None}]}
WAITS = {
    "span_ns": 2e9,
    "running_at_once_ns": [1e9, 5e8, 5e8],
    "running_samples": 1000,
    "threads": [THREAD],
    "threads_in_all": 1,
    "wake_ups_unread": False,
    "all": {"life_ns": 4e9, "running_ns": 1e9, "ready_ns": 0, "waiting_ns": 3e9, "unknown_ns": 0},
    "reasons": [{"state": "waiting", "reason": "sleep", "words": "a time to pass", **made_up(2e9)},
                {"state": "waiting", "reason": "lock", "words": "a lock", **made_up(1e9, [0.5e9, 2e9], 40, 0.1e9)},
                {"state": "ready", "reason": "preempted", "words": "another thread", **made_up(0, times=0)}],
    "places": [{**DEEP, "place": 0}, {**PLACE, "place": 1}],
    "places_in_all": 2,
    "wake_ups_recorded": True,
    "wake_ups_by_others_recorded": True,
    "wake_ups_in_all": 3,
    "path_parts_in_all": 2,
    "wake_ups": [{"place": 1, "thread": HOSTILE, "tids": [7, 8], "by_end": False, "functions": ["unlock"], **made_up(1e9)},
                 {"place": None, "thread": None, "tids": [], "by_end": False, "functions": [], **made_up(2e8)},
                 {"place": 0, "thread": "child", "tids": [9], "by_end": True, "inferred": True, "functions": [], **made_up(1e8)}],
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

    def hanging(self):
        """The process number of `hangs`, when all its threads wait, and a recording of it."""
        pid = start_waiting(self, workload("hangs"), threads=6)
        file = str(pathlib.Path(self.folder) / "hangs.data")
        self.tacho("record", "-q", "--off-cpu", "--call-graph", "dwarf,64", "-o", file, "-p", pid, "--", "sleep", "0.2")
        return pid, file

    def text_of(self, selector):
        return [each.text for each in self.driver.find_elements("css selector", selector)]

    def test_a_program_that_hangs_is_named_with_its_warnings(self):
        pid, file = self.hanging()
        text = self.tacho("report", "--off-cpu", "-i", file)
        self.assertIn(f"target    hangs (pid {pid})", text)
        known = json.loads(self.tacho("report", "--off-cpu", "--json", "-i", file))
        self.assertTrue(any("call chains were cut" in warning for warning in known["warnings"]), known["warnings"])
        self.open_page(self.page_of("report", "--off-cpu", "-i", file))
        self.assertEqual(self.text_of("h1"), [f"Where the time goes: hangs (pid {pid})"])
        self.assertEqual(kinds(self.text_of(".warnings li")), kinds(known["warnings"]))
        rows = self.table(THREADS)
        self.assertEqual(len(rows), 6)
        self.assertEqual(len([row for row in rows if "pipe" in row["Longest waits"]]), 1)
        # The innermost function of each wait is the kernel's: no column says that the others waited for 0 s.
        functions = self.table(FUNCTIONS)
        self.assertEqual(set(functions[0]), {"#", "function", "total, 95 %", "module"})
        shares = [float(re.search(r"[\d.]+(?= %)", row["total, 95 %"])[0]) for row in functions]
        self.assertEqual(shares, sorted(shares, reverse=True))

    def test_a_hang_is_not_a_thread_that_ran(self):
        _, file = self.hanging()
        page = self.page_of("report", "--off-cpu", "-i", file)
        states = data_of(page)["profile"]["states"]
        for each in states["threads"]:
            each.update(waiting_ns=5e8, running_ns=0, ready_ns=0, unknown_ns=0)
        self.open_page(with_data(page, "hang", profile={**data_of(page)["profile"], "states": states}))
        self.assertIn("The 6 threads together ran for 0 s of the 3.000 s that they lived, were ready for 0 s, "
                      "and waited for 3.000 s.", self.text_of(".finding"))

    def test_the_warnings_of_the_text_are_on_the_page(self):
        for options in (("-g",), ("--call-graph", "dwarf,256")):
            file = str(pathlib.Path(self.folder) / "warned.data")
            self.tacho("record", "-q", "--wall", *options, "-o", file, "--", workload("waits"))
            known = json.loads(self.tacho("report", "--wall", "--json", "-i", file))["warnings"]
            self.assertTrue(any("call chains were cut" in each or "are broken" in each for each in known), known)
            self.assertEqual(kinds(data_of(self.page_of("report", "--wall", "-i", file))["warnings"]), kinds(known))

    def test_threads_have_their_longest_waits(self):
        file = str(pathlib.Path(self.folder) / "threads.data")
        self.tacho("record", "-q", "--wall", "-o", file, "--", workload("waits"))
        known = json.loads(self.tacho("report", "--wall", "--json", "-i", file))
        self.open_page(self.page_of("report", "--wall", "-i", file))
        rows = {row["Thread"]: row for row in self.table(THREADS)}
        self.assertEqual(len(rows), len(known["threads"]))
        for thread in known["threads"]:
            row = rows[f"{thread['name']}[{thread['tid']}]"]
            for state in ("life", "running", "ready", "waiting"):
                self.assertEqual(row[state.capitalize()], seconds(thread[f"{state}_ns"]))
            for wait in thread["longest"]:
                self.assertIn(f"{seconds(wait['ns'])} at {seconds(wait['begin_ns'])}", row["Longest waits"])
                place = known["places"][wait["place"]] if wait["place"] is not None else None
                if place:
                    self.assertIn(f"for {place['reason']} (#{wait['place'] + 1}): ", row["Longest waits"])
        ran = [thread["running_ns"] for thread in sorted(known["threads"], key=lambda each: -each["running_ns"])]
        self.assertEqual([row["Running"] for row in self.table(THREADS)], [seconds(ns) for ns in ran])

    def test_functions_have_totals_of_each_state(self):
        file = str(pathlib.Path(self.folder) / "states.data")
        self.tacho("record", "-q", "--wall", "-o", file, "--", workload("waits"))
        self.open_page(self.page_of("report", "--wall", "-i", file))
        event = Select(self.driver.find_element("css selector", "select"))
        for name in [option.text for option in event.options]:
            event.select_by_visible_text(name)
            rows = {row["function"]: row for row in self.table(FUNCTIONS)}
            self.assertEqual("share, 95 %" in rows["main"], name.startswith("running"), name)
            if name.startswith("waiting"):
                self.assertNotIn(" 0.0 %", rows["main"]["total, 95 %"])

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
        self.assertIn("0.5000 s of it are waits that no recorded thread ended", self.note_under(PATH))
        self.assertNotIn("may be another", self.note_under(PATH))
        self.show({**WAITS, "critical_path": {**WAITS["critical_path"], "certain": False, "outside_ns": 0}})
        self.assertIn("may be another one", self.note_under(PATH))
        self.assertNotIn("no recorded thread", self.note_under(PATH))

    def test_rows_that_are_left_out_are_counted(self):
        far = {**PLACE, "place": 231, "functions": ["far"], "cut": True}
        path = {**WAITS["critical_path"], "parts": [{**WAITS["critical_path"]["parts"][0], "place": 231}]}
        self.show({**WAITS, "places": [*WAITS["places"], far], "places_in_all": 475, "critical_path": path,
                   "path_parts_in_all": 300, "wake_ups_in_all": 1000})
        self.assertIn("The page has 3 of 475 rows", self.note_under(PLACES))
        self.assertIn("The page has 1 of 300 rows", self.note_under(PATH))
        self.assertIn("The page has 3 of 1,000 rows", self.note_under(ENDED))
        self.assertEqual((self.table(PATH)[0]["What"], self.table(PATH)[0]["Where"]), ("waiting for lock", "far ← [cut]"))
        self.assertEqual(self.table(PLACES)[-1]["#"], "232")

    def test_what_was_not_recorded_has_no_table(self):
        self.show({**WAITS, "critical_path": None, "wake_ups": [], "places": []})
        self.assertIn(DID, self.headings())
        for heading in (PATH, PLACES, ENDED):
            self.assertNotIn(heading, self.headings())

    def test_threads_that_ran_at_once_have_shares_of_the_time(self):
        def sentence(*times):
            self.show({**WAITS, "running_at_once_ns": times})
            return [each for each in self.text_of("p") if each.startswith("Running at once")]
        self.assertEqual(sentence(1e9, 5e8, 5e8),
                         ["Running at once: no thread ran for 50.0 % of the time, 1 for 25.0 %, 2 for 25.0 %."])
        self.assertEqual(sentence(0, 2e9), ["Running at once: 1 thread ran for 100.0 % of the time."])
        self.assertEqual(sentence(0, 0, *[1e8] * 10),
                         ["Running at once: 2 threads ran for 10.0 % of the time, 3 for 10.0 %, 4 for 10.0 %, 5 for 10.0 %, "
                          "6 for 10.0 %, 7 for 10.0 %, more for 40.0 %."])

    def test_a_thread_may_have_a_wait_without_a_place(self):
        self.show(WAITS)
        [row] = self.table(THREADS)
        self.assertEqual(row["Thread"], "<img src=x onerror=alert(1)>\\u202e[8]")
        self.assertEqual(row["Longest waits"], "0.1000 s at 0.5000 s for lock (#2): <img src=x onerror=alert(1)>\\u202e ← work ← main"
                                               "0.0200 s at 0 s: not recorded")
        self.show({**WAITS, "threads_in_all": 300})
        self.assertIn("The page has 1 of 300 rows", self.note_under(THREADS))

    def test_wake_ups_that_were_not_recorded_are_told(self):
        self.show({**WAITS, "wake_ups_recorded": False})
        self.assertIn("They need tracefs", self.note_under(DID))
        self.show({**WAITS, "wake_ups_recorded": False, "wake_ups_unread": True})
        self.assertIn("cut short", self.note_under(DID))
        self.show({**WAITS, "wake_ups_by_others_recorded": False})
        self.assertIn("only wake-ups by recorded threads", self.note_under(DID))
        self.show(WAITS)
        self.assertNotIn("wake-ups", self.note_under(DID))

    def test_lost_time_has_a_row(self):
        self.show({**WAITS, "all": {**WAITS["all"], "unknown_ns": 5e8}})
        self.assertEqual(self.table(DID)[-1]["What"], "unknown: records were lost")

    def test_the_tables_fit_a_narrow_window(self):
        self.show(WAITS)
        self.assert_fits_a_narrow_window()


if __name__ == "__main__":
    unittest.main()
