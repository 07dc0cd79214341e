"""Programs that measure themselves: what they write at their end, and what they do when something is
wrong with their regions."""
import csv
import io
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unicodedata
import unittest

from tacho_cli import BUILD, SOURCE, sanitized


def wcswidth(text):
    """The columns of a text in a terminal."""
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


PROGRAMS = BUILD / "tests" / "cli" / "instrumented"


def run(program, *arguments, timeout=60, **environment):
    clean = {name: value for name, value in os.environ.items() if not name.startswith("TACHO_REGIONS")}
    return subprocess.run([PROGRAMS / program, *arguments], capture_output=True, text=True, timeout=timeout,
                          env=clean | environment, pass_fds=[], check=False)


def lines(text):
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def quantity(region, name="ticks"):
    return next(q for q in region["quantities"] if q["name"].removesuffix(":u") == name)


class Calipers(unittest.TestCase):
    def regions(self, *arguments, **environment):
        """The regions by name, of a program that is one process; and its result."""
        result = run(*arguments, TACHO_REGIONS="json", **environment)
        self.assertEqual(result.returncode, 0, result.stderr)
        documents = lines(result.stderr)
        self.assertEqual(len(documents), 1, result.stderr)
        return {region["name"]: region for region in documents[0]["regions"]}, result

    def needs_page_faults(self, regions):
        for region in regions.values():
            q = quantity(region, "page-faults")
            if q["status"] == "unavailable":
                self.skipTest(f"page faults can't be counted here: {q['reason']}")


class AtTheEnd(Calipers):
    def test_nothing_is_written_unasked(self):
        result = run("faults", "plain")
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))

    def test_text(self):
        result = run("faults", "plain", TACHO_REGIONS="text")
        self.assertRegex(result.stderr, r"(?m)^ region +executions +total +mean +median +99 % +minimum$")
        self.assertRegex(result.stderr, r"(?m)^ plain +50  ticks ")

    def test_a_region_in_a_static_constructor_is_told_with_the_others(self):
        regions, _ = self.regions("early")
        self.assertEqual({name: region["executions"] for name, region in regions.items()},
                         {"before main": 1, "in main": 1})

    def test_csv_in_a_file_to_which_each_process_appends(self):
        with tempfile.TemporaryDirectory() as scratch:
            path = pathlib.Path(scratch) / "out.csv"
            for _ in range(2):
                result = run("faults", "plain", TACHO_REGIONS=f"csv:{path}")
                self.assertEqual((result.returncode, result.stderr), (0, ""))
            rows = list(csv.DictReader(io.StringIO(path.read_text())))
        self.assertEqual([(row["region"], row["executions"]) for row in rows], [("plain", "50"), ("plain", "50")])

    def test_a_set_uid_program_does_not_write_where_its_user_may_not(self):
        if os.geteuid() != 0 or not shutil.which("setpriv"):
            self.skipTest("making a program set-uid, and running it as another user, needs root and setpriv")
        with tempfile.TemporaryDirectory() as scratch:
            if os.statvfs(scratch).f_flag & os.ST_NOSUID:
                self.skipTest(f"'{scratch}' is on a file system that is mounted nosuid")
            os.chmod(scratch, 0o755)
            program = shutil.copy(PROGRAMS / "early", scratch)
            out = pathlib.Path(scratch, "out.json")
            asked = {"TACHO_REGIONS": f"json:{out}"}
            subprocess.run([program], env=asked, check=True)
            self.assertEqual(len(lines(out.read_text())), 1)
            out.unlink()
            os.chmod(program, 0o4755)
            subprocess.run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", program], check=True,
                           env=asked | {"PATH": os.environ["PATH"]})
            self.assertFalse(out.exists())

    def test_a_wrong_format_is_told_at_the_start_and_loses_nothing(self):
        result = run("faults", "plain", TACHO_REGIONS="xml")
        self.assertEqual(result.returncode, 0)
        said = "tacho: TACHO_REGIONS=xml: no report format 'xml'; use text, json or csv; the report is written as text\n"
        self.assertTrue(result.stderr.startswith(said), result.stderr)
        self.assertRegex(result.stderr, r"(?m)^ plain +50  ticks ")

    def test_a_wrong_path_is_told_at_the_start_and_loses_nothing(self):
        result = run("faults", "plain", TACHO_REGIONS="json:/no/such/directory/x")
        self.assertEqual(result.returncode, 0)
        first, *others = result.stderr.splitlines()
        self.assertEqual(first, "tacho: TACHO_REGIONS=json:/no/such/directory/x: cannot open '/no/such/directory/x': "
                                "No such file or directory (ENOENT); the report goes to standard error")
        self.assertEqual(len(others), 1, result.stderr)
        self.assertEqual(lines(others[0])[0]["regions"][0]["executions"], 50)

    def test_a_file_name_has_process_rank_and_host(self):
        for variables, rank in (({}, "none"), ({"PMI_RANK": "12"}, "12"), ({"SLURM_PROCID": "-1"}, "none"),
                                ({"OMPI_COMM_WORLD_RANK": "3", "SLURM_PROCID": "5"}, "3")):
            with tempfile.TemporaryDirectory() as directory:
                result = run("faults", "plain", TACHO_REGIONS=f"json:{directory}/%r.%h.%p.100%%.%x", **variables)
                file, = pathlib.Path(directory).iterdir()
                document, = lines(file.read_text())
                self.assertEqual(result.stderr, "")
                self.assertEqual(file.name, f"{rank}.{os.uname().nodename}.{document['pid']}.100%.%x")
                self.assertEqual((str(document["rank"]), document["host"]),
                                 (rank.replace("none", "None"), os.uname().nodename))

    def test_what_is_wrong_is_told_before_the_program_ends(self):
        result = run("faults", "plain", "exec_inside", TACHO_REGIONS="xml", TACHO_REGIONS_EVENTS="no-such-event")
        self.assertEqual(result.stderr.count("no report format 'xml'"), 1)
        self.assertEqual(result.stderr.count("TACHO_REGIONS_EVENTS=no-such-event: 'no-such-event': unknown event"), 1)

    def test_a_full_disk_loses_nothing(self):
        result = run("faults", "plain", TACHO_REGIONS="json:/dev/full")
        self.assertIn("No space left on device", result.stderr)
        self.assertEqual(lines(result.stderr)[0]["regions"][0]["executions"], 50)

    def test_a_remark_is_made_once_for_all_regions(self):
        result = run("faults", "nested", "plain", TACHO_REGIONS="text", TACHO_REGIONS_EVENTS="no-such-event")
        self.assertEqual(result.stderr.count("no-such-event is not counted"), 1, result.stderr)

    def test_a_remark_names_the_quantity_that_costs_too_much(self):
        result = run("faults", "brief", TACHO_REGIONS="text", TACHO_REGIONS_EVENTS="task-clock")
        if "(!)" not in result.stderr:
            self.skipTest("task-clock can't be counted here, or costs as little as the clock")
        self.assertRegex(result.stderr, r"less than the cost of measuring it \([^)]* ns of task-clock\)")

    def test_names_of_any_length_keep_the_columns(self):
        result = run("faults", "long_names", TACHO_REGIONS="text")
        rows = [row for row in result.stderr.splitlines() if "  ticks  " in row]
        columns = {wcswidth(row[:row.index("  ticks  ")]) for row in rows}
        self.assertEqual((len(rows), len(columns)), (3, 1), result.stderr)
        self.assertLess(columns.pop(), 90)
        self.assertEqual(len(self.regions("faults", "long_names")[0]), 3)

    def test_the_clock_s_step_is_told(self):
        _, result = self.regions("faults", "plain")
        clock = lines(result.stderr)[0]["clock"]
        self.assertGreaterEqual(clock["step"], 1)
        self.assertEqual("in steps of" in clock["description"], clock["step"] > 1)


class Events(Calipers):
    @unittest.skipIf(sanitized(), "the sanitizers fault pages of their own")
    def test_page_faults_of_nested_regions_are_exact(self):
        regions, _ = self.regions("faults", "nested", TACHO_REGIONS_EVENTS="page-faults")
        self.needs_page_faults(regions)
        inner, outer = (quantity(regions[name], "page-faults") for name in ("inner", "outer"))
        self.assertEqual((inner["status"], inner["median"], inner["executions"]), ("counted", 5, 50))
        self.assertEqual((outer["median"], outer["min"]), (7, 7))
        self.assertLess(outer["total"], 7 * 50 + 10)  # a few more where an execution was held up for long

    def test_one_whose_cpu_time_is_below_its_measuring_s_is_marked(self):
        regions, _ = self.regions("faults", "brief", TACHO_REGIONS_EVENTS="task-clock")
        ticks, time = quantity(regions["brief"]), quantity(regions["brief"], "task-clock")
        if time["status"] == "unavailable" or time["median"] >= time["cost"] or ticks["median"] < ticks["cost"]:
            self.skipTest(f"task-clock can't be counted here, or costs as little as the clock: {time}, {ticks}")
        self.assertTrue(regions["brief"]["too_short"])

    def test_recursive_executions_are_not_charged_for_counters_that_they_do_not_read(self):
        regions, _ = self.regions("faults", "recursive", TACHO_REGIONS_EVENTS="page-faults,task-clock")
        self.needs_page_faults(regions)
        region = regions["recursive"]
        self.assertEqual((region["executions"], region["recursions"]), (10, 10_000))
        self.assertGreater(quantity(region)["min"], 0.9 * 1_000 * 3_000)  # that long the program saw to it
        self.assertFalse(region["too_short"])

    def test_what_can_not_be_had_is_told_and_the_rest_counts(self):
        regions, result = self.regions("faults", "ask", "plain")
        self.needs_page_faults(regions)
        self.assertIn("'no-such-event': unknown event", result.stdout)
        self.assertEqual(quantity(regions["plain"], "page-faults")["median"], 7)
        absent = quantity(regions["plain"], "no-such-event")
        self.assertEqual((absent["status"], absent["total"]), ("unavailable", None))
        self.assertIn("unknown event", absent["reason"])

    def test_the_environment_goes_before_the_program(self):
        regions, _ = self.regions("faults", "ask", "plain", TACHO_REGIONS_EVENTS="task-clock")
        self.assertEqual([q["name"] for q in regions["plain"]["quantities"]], ["ticks", "task-clock"])

    def test_asking_too_late_is_an_error(self):
        _, result = self.regions("faults", "ask_too_late")
        self.assertIn("already fixed", result.stdout)

    @unittest.skipIf(sanitized(), "the sanitizers need descriptors of their own")
    def test_a_file_limit_leaves_the_time(self):
        regions, _ = self.regions("faults", "file_limit", "plain", TACHO_REGIONS_EVENTS="page-faults")
        region = regions["plain"]
        self.assertEqual((region["executions"], quantity(region)["status"]), (50, "counted"))
        self.assertEqual(quantity(region, "page-faults")["status"], "unavailable")
        self.assertIn("too many open files", quantity(region, "page-faults")["reason"])


class Faults(Calipers):
    def test_a_child_after_a_fork_has_figures_of_its_own(self):
        result = run("faults", "plain", "fork_inside", TACHO_REGIONS="json", TACHO_REGIONS_EVENTS="page-faults")
        self.assertEqual((result.returncode, result.stdout), (0, ""))
        child, parent = ({r["name"]: r for r in document["regions"]} for document in lines(result.stderr))
        self.assertEqual(set(parent), {"plain", "around the fork"})
        self.assertEqual((parent["around the fork"]["executions"], parent["plain"]["executions"]), (1, 50))
        self.assertEqual(set(child), {"in the child"})
        self.assertEqual(child["in the child"]["executions"], 3)
        self.needs_page_faults(child)
        self.assertEqual(quantity(child["in the child"], "page-faults")["median"], 4)

    def test_reports_while_a_child_s_first_region_begins(self):
        """What may go wrong shows with the thread sanitizer alone."""
        _, result = self.regions("faults", "report_in_child", TACHO_REGIONS_EVENTS="page-faults")
        self.assertEqual(result.stdout, "")

    def test_a_thread_that_ends_inside_of_a_region(self):
        regions, _ = self.regions("faults", "thread_end")
        self.assertEqual((regions["left open"]["executions"], regions["left open"]["unfinished"]), (0, 1))
        self.assertIsNone(quantity(regions["left open"])["median"])

    def test_an_exec_inside_of_a_region(self):
        result = run("faults", "exec_inside", TACHO_REGIONS="json")
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_a_library_that_is_loaded_and_unloaded(self):
        regions, result = self.regions("faults", "plugin")
        self.assertEqual(result.stdout, "")
        self.assertEqual((regions["plugin"]["executions"], regions["plugin"]["threads"]), (6, 4))

    def test_two_copies_of_the_library_in_one_process_report_each(self):
        # A copy that is unloaded leaves its memory behind: it cannot know whether its threads have ended.
        result = run("faults", "plain", "own_copy", TACHO_REGIONS="json", ASAN_OPTIONS="detect_leaks=0")
        self.assertEqual((result.returncode, result.stdout), (0, ""), result.stderr)
        names = [[r["name"] for r in document["regions"]] for document in lines(result.stderr)]
        self.assertIn(["plain"], names)
        self.assertIn(["plugin"], names)

    @unittest.skipIf(sanitized(), "the sanitizers need memory of their own")
    def test_a_region_that_runs_rarely_needs_little_memory(self):
        # KiB a region: in a thread that runs, in one that has ended, and in a report.
        for events, most in ({}, 1), ({"TACHO_REGIONS_EVENTS": "page-faults,task-clock"}, 3):
            with self.subTest(events):
                result = run("faults", "on", "memory", **events)
                for kib in map(float, result.stdout.split()):
                    self.assertLess(kib, most, result.stdout)

    @unittest.skipIf(sanitized(), "the sanitizers need memory of their own")
    def test_what_there_is_no_memory_for_is_counted(self):
        regions, result = self.regions("faults", "no_memory")
        document = lines(result.stderr)[0]
        measured = sum(region["executions"] for name, region in regions.items() if name != "first")
        self.assertGreater(measured, 0)
        self.assertGreater(document["no_memory"], 900)
        # In two threads, each of 300 regions three times.
        self.assertEqual(measured + document["no_memory"], 1800)
        self.assertEqual((document["unmatched"], document["too_deep"]), (0, 0))

    @unittest.skipIf(sanitized(), "the sanitizers need memory of their own")
    def test_what_is_lost_because_no_memory_is_left_at_the_end_is_said(self):
        result = run("faults", "plain", "no_memory_left", TACHO_REGIONS="json")
        self.assertEqual((result.returncode, result.stdout), (0, ""))
        missed = "tacho: no memory for the report of this process's regions; raise its limit (ulimit -v)\n"
        if result.stderr != missed:  # a little was free, which is enough for a report
            self.assertEqual(lines(result.stderr)[0]["regions"][0]["executions"], 50)

    @unittest.skipIf(sanitized(), "the sanitizers' library is to be loaded before all others")
    def test_the_clock_s_rate_holds_across_a_suspend(self):
        rates = []
        for preloaded in {}, {"LD_PRELOAD": str(PROGRAMS / "suspended.so")}:
            _, result = self.regions("faults", "plain", "rest", **preloaded)
            rates.append(lines(result.stderr)[0]["clock"]["hz"])
        self.assertAlmostEqual(rates[1] / rates[0], 1, delta=0.01)

    def test_names_with_any_bytes(self):
        regions, _ = self.regions("faults", "any_bytes")
        self.assertEqual(list(regions), ['q"uote\\\\\\x0a\\x00\\xff, €'])
        self.assertEqual(run("faults", "any_bytes", TACHO_REGIONS="text").returncode, 0)

    @unittest.skipIf(sanitized(), "a C program is not linked with the sanitizers that the library wants")
    def test_in_c(self):
        result = run("in_c", TACHO_REGIONS="json")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stdout, r"refused [12]: ")
        for line in ("overwritten 0", "same 1", "second 7", "counts 0, second 2", "none 1", "ticks 1", "format 1"):
            self.assertIn(line, result.stdout)
        self.assertEqual(lines(result.stderr)[0]["regions"][0]["executions"], 100)
        for line in ("clock 1", "figures: 100 executions, 1 threads, size 1", "older 0: 100 executions, untouched 1",
                     "no size 1, no region 1, no quantity 1"):
            self.assertIn(line + "\n", result.stdout)
        self.assertRegex(result.stdout, r"quantity ticks: status 0, ordered 1, mean 1, error none\n")
        self.assertRegex(result.stdout, r"quantity no-such-event: status 2, .* error .*unknown event.*\n")

    def test_names_made_at_run_time_and_of_functions(self):
        regions, result = self.regions("faults", "named")
        self.assertEqual({name: region["executions"] for name, region in regions.items()},
                         {"shard 0": 3, "shard 1": 3, "shard 2": 3, "void {anonymous}::Table::insert(int)": 2,
                          "void {anonymous}::Table::insert(const char*)": 1}
                         if "{anonymous}" in str(regions) else
                         {"shard 0": 3, "shard 1": 3, "shard 2": 3,
                          "void (anonymous namespace)::Table::insert(int)": 2,
                          "void (anonymous namespace)::Table::insert(const char *)": 1})
        self.assertEqual(result.stdout, "same site\n")


class WhileTheProcessEnds(Calipers):
    def executions(self, how, **environment):
        regions, _ = self.regions("at_end", how, **environment)
        return {name: region["executions"] for name, region in regions.items()}

    def test_handlers_and_destructors_are_measured(self):
        for how in "return", "exit":
            for events in {}, {"TACHO_REGIONS_EVENTS": "page-faults"}:
                with self.subTest(how, events=events):
                    self.assertEqual(self.executions(how, **events), dict.fromkeys(
                        ["global constructor", "main", "thread_local destructor", "handler", "global destructor"], 1))

    def test_quick_exit(self):
        self.assertEqual(self.executions("quick_exit"), dict.fromkeys(["global constructor", "main", "handler"], 1))

    def test_the_end_of_a_thread(self):
        found = self.executions("thread")
        self.assertEqual((found["in thread"], found["thread_local destructor"], found["key destructor"]), (1, 1, 1))


class LeftOpen(Calipers):
    """A begin without its end costs its own execution, and no other."""
    def counts(self, kind):
        regions, result = self.regions("left_open", kind)
        return {name: (region["executions"], region["unfinished"], region["recursions"])
                for name, region in regions.items()}, regions, lines(result.stderr)[0]

    def test_a_forgotten_end(self):
        counts, regions, document = self.counts("missed_end")
        self.assertEqual(counts, {"parse": (999, 1, 0), "other": (1000, 0, 0)})
        self.assertRegex(regions["parse"]["left_open_by"], r"^left_open\+0x[0-9a-f]+")
        self.assertIsNone(regions["other"]["left_open_by"])
        self.assertEqual((document["unmatched"], document["too_deep"]), (0, 0))

    def test_the_place_is_that_of_the_begin(self):
        if not shutil.which("addr2line"):
            self.skipTest("needs addr2line")
        _, regions, _ = self.counts("missed_end")
        address = regions["parse"]["left_open_by"].split()[0].rpartition("+")[2]
        named = subprocess.run(["addr2line", "-fe", PROGRAMS / "left_open", address], capture_output=True, text=True, check=True)
        self.assertIn("parse_with_return", named.stdout)

    def test_a_forgotten_end_of_the_only_region(self):
        self.assertEqual(self.counts("missed_end_alone")[0], {"parse": (999, 1, 0)})

    def test_longjmp(self):
        self.assertEqual(self.counts("jumps")[0], {"parse": (900, 100, 0), "other": (1000, 0, 0)})

    def test_an_end_in_another_thread(self):
        counts, _, document = self.counts("ends_elsewhere")
        self.assertEqual(counts, {"parse": (0, 200, 0), "other": (200, 0, 0)})
        self.assertEqual((document["unmatched"], document["too_deep"]), (200, 0))

    def test_more_open_regions_than_there_are_frames(self):
        counts, _, document = self.counts("many")
        self.assertEqual((len(counts), counts["other"]), (101, (1, 0, 0)))
        self.assertEqual(document["too_deep"], 0)

    @unittest.skipIf(sanitized(), "the sanitizers make the frames of wrappers larger than 256 bytes")
    def test_begins_and_ends_in_functions_of_their_own_are_measured(self):
        counts, _, document = self.counts("wrapped")
        self.assertEqual(counts, {"parse": (1000, 0, 999), "other": (1999, 0, 0)})
        self.assertEqual(document["unmatched"], 0)
        self.assertEqual(self.counts("callbacks")[0], {"parse": (1000, 0, 0), "other": (1000, 0, 0)})

    def test_the_report_names_the_region_and_the_place(self):
        result = run("left_open", "jumps", TACHO_REGIONS="text")
        self.assertRegex(result.stderr, r"'parse': 100 executions are not measured, because they did not end; "
                                        r"the first one was begun by left_open\+0x")


@unittest.skipIf(sanitized(), "the sanitizers have locks of their own, which a fork amid threads can leave locked")
class Forks(Calipers):
    def test_a_child_does_not_wait_for_a_thread_that_the_fork_left_behind(self):
        for mode in "report", "clock":
            with self.subTest(mode):
                result = run("forks", mode, TACHO_REGIONS="text")
                self.assertEqual((result.returncode, result.stdout), (0, "0 did not end\n"), result.stderr)
                self.assertIn("thread of the child", result.stderr)

    def test_forks_amid_threads_that_do_everything_for_the_first_time(self):
        """TACHO_FORKS sets how often."""
        result = run("forks", "stress", os.environ.get("TACHO_FORKS", "300"), timeout=3600)
        self.assertEqual((result.returncode, result.stdout), (0, "0 did not end\n"), result.stderr)


@unittest.skipUnless(shutil.which("g++"), "needs g++")
class Compiled(unittest.TestCase):
    def compiled(self, code, *options):
        return subprocess.run(["g++", "-x", "c++", "-std=c++17", f"-I{SOURCE / 'include'}", *options, "-"], input=code,
                              capture_output=True, text=True, check=False)

    def test_a_use_of_a_region_has_no_guard(self):
        result = self.compiled('#include <tacho/caliper.hpp>\nvoid f() { TACHO_REGION("a"); }\n', "-O2", "-S", "-o", "-")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("RegionSite9begin_now", result.stdout)
        self.assertNotIn("guard", result.stdout)
        self.assertEqual(result.stdout.count("tacho_regions_state"), 1, result.stdout)

    def test_32_bit_x86_without_further_options(self):
        probe = self.compiled("#include <string>\n", "-m32", "-fsyntax-only")
        if probe.returncode != 0:
            self.skipTest("the C++ headers for 32 bits (g++-multilib) are missing, or this is not x86")
        result = self.compiled("#include <tacho/caliper.hpp>\n#include <tacho/report.hpp>\n#include <tacho/tacho.h>\n"
                               "auto f() { return tacho::ordered_ticks(); }\n", "-m32", "-fsyntax-only")
        self.assertEqual((result.returncode, result.stderr), (0, ""))


class Collected(Calipers):
    """As `tacho stat --regions` collects them."""
    def collect(self, *arguments, **environment):
        with tempfile.TemporaryFile() as file:
            status = os.fstat(file.fileno())
            number = f"{file.fileno()}:{status.st_dev}:{status.st_ino}"
            clean = {name: value for name, value in os.environ.items() if not name.startswith("TACHO_REGIONS")}
            result = subprocess.run([PROGRAMS / "faults", *arguments], capture_output=True, text=True, timeout=60,
                                    env=clean | {"TACHO_REGIONS_FD": number} | environment,
                                    pass_fds=[file.fileno()], check=False)
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            file.seek(0)
            return lines(file.read().decode()), result

    def test_each_process_appends_a_line(self):
        documents, _ = self.collect("plain", "fork_inside")
        self.assertEqual(len({document["pid"] for document in documents}), 2)

    def test_a_descriptor_that_means_something_else_by_now_is_left_alone(self):
        documents, result = self.collect("plain", "close_all")
        self.assertEqual((documents, result.stdout), ([], ""))

    def test_nonsense_is_left_alone(self):
        for text in ("", "1", "1:2:3", "x", "1:2:3:4", "99999999999999999999:1:1"):
            with self.subTest(text):
                result = run("faults", "plain", TACHO_REGIONS_FD=text)
                self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))


class Switched(Calipers):
    """Regions are off until something turns them on."""
    def test_executions_that_were_off_leave_no_trace_and_are_no_faults(self):
        result = run("switched", "ends")
        self.assertEqual((result.returncode, result.stdout), (0, ""))
        document = lines(result.stderr)[0]
        regions = {region["name"]: region for region in document["regions"]}
        self.assertEqual({name: region["executions"] for name, region in regions.items()},
                         {"whole": 7, "scope": 1, "explicit": 1, "C": 1})
        for region in regions.values():
            self.assertEqual((region["unfinished"], region["left_open_by"], region["recursions"]), (0, None, 0))
            self.assertEqual(quantity(region)["executions"], region["executions"])
        self.assertEqual((document["unmatched"], document["too_deep"], document["no_memory"]), (0, 0, 0))
        # Their begins came while regions were off: three each by begin(), and in C, and a recursive one.
        self.assertEqual(document["perhaps_unmatched"], 7)

    def test_in_a_program_that_was_always_on_an_end_without_a_begin_is_certain(self):
        _, result = self.regions("left_open", "ends_elsewhere")
        document = lines(result.stderr)[0]
        self.assertEqual((document["unmatched"], document["perhaps_unmatched"]), (200, 0))
        self.assertEqual(document["on_s"], document["of_s"])

    def test_a_report_says_for_how_long_regions_were_on(self):
        result = run("switched", "late")
        self.assertRegex(result.stderr, r"(?m)^ whole +(\(!\) +)?7 ")
        self.assertRegex(result.stderr, r"regions were on for [\d.e-]+ s of [\d.]+ s")
        self.assertNotIn("were on for", run("switched", "late", TACHO_REGIONS_EVENTS="page-faults").stderr)

    def test_an_empty_report_says_how_to_turn_regions_on(self):
        result = run("switched", "never")
        for text in result.stdout, result.stderr:
            self.assertEqual(text.count("regions were not on: set TACHO_REGIONS=text, call tacho::regions_on(), or run tacho"), 1, text)

    def test_choosing_events_does_not_turn_regions_on(self):
        self.assertIn("\non 0\n", run("in_c").stdout)
        self.assertIn("\non 1\n", run("in_c", TACHO_REGIONS="json").stdout)

    def test_turning_off_while_the_own_cost_is_measured(self):
        result = run("switched", "off_at_once")
        self.assertEqual(result.returncode, 0, result.stderr)
        document = lines(result.stderr)[0]
        region = document["regions"][0]
        self.assertGreaterEqual(region["executions"], 1000)
        self.assertGreater(quantity(region)["cost"], 0)
        self.assertEqual((document["unmatched"], document["no_memory"]), (0, 0))


class HotPath(Calipers):
    def checked(self, *arguments, **environment):
        result = run("hot_path", *arguments, **environment)
        if result.returncode == 77:
            self.skipTest("this kernel has no seccomp filters")
        self.assertEqual((result.returncode, result.stdout), (0, "neither allocated nor called\n"), result.stderr)

    @unittest.skipIf(sanitized(), "the sanitizers allocate and call")
    def test_the_clock_alone_calls_nothing(self):
        self.checked()

    @unittest.skipIf(sanitized(), "the sanitizers allocate and call")
    def test_a_region_that_is_off_calls_nothing_not_even_the_first(self):
        self.checked("off")

    @unittest.skipIf(sanitized(), "the sanitizers allocate and call")
    def test_counters_of_the_kernel_are_read_and_nothing_else(self):
        self.checked("read", TACHO_REGIONS_EVENTS="page-faults,context-switches,task-clock")


if __name__ == "__main__":
    unittest.main()
