"""tacho report and tacho annotate on recordings that perf made here, compared with perf's own reports."""
import collections
import contextlib
import json
import os
import pathlib
import pty
import re
import resource
import shutil
import struct
import subprocess
import tempfile
import unittest

from tacho_cli import example, finish, needs_kernel_counts, run, start, workload

PERF = shutil.which("perf")
SPIN = """__attribute__((noinline)) unsigned spin(unsigned times) {
  unsigned sum = 1;
  for (unsigned i = 0; i < times; ++i)
    sum = sum / 3 ^ i;
  return sum;
}
int main() { return spin(50000000) == 7 ? 1 : 0; }
"""
HERE = pathlib.Path(__file__).parent


def perf(*args):
    """Returns the output of perf, without errors and progress."""
    return subprocess.run([PERF, *map(str, args)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          stdin=subprocess.DEVNULL, text=True, errors="replace", check=False).stdout


def kernel_aliases():
    """One name for each kernel function that has several. perf shows the last one (__pi_memcpy), tacho memcpy."""
    one_name, first = {}, {}
    for line in pathlib.Path("/proc/kallsyms").read_text(encoding="utf-8").splitlines():
        address, _, name, *module = line.split()
        if not module and int(address, 16) != 0:
            one_name[name] = first.setdefault(address, name)
    return one_name


@unittest.skipUnless(PERF, "perf is not installed (linux-perf): there is no recording to compare")
class Profiles(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory(prefix="tacho-profiles-")
        cls.addClassCleanup(cls.directory.cleanup)
        cls.data = os.path.join(cls.directory.name, "perf.data")
        command = [PERF, "record", "-q", "-e", "cpu-clock", "-F", "999", "-o", cls.data, "--", example("naive"), "500"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise unittest.SkipTest(f"perf can't record here: {done.stderr.strip()[-200:]}")

    def tacho(self, *args, **options):
        result = run(*args, **options)
        self.assertEqual(result.code, 0, result.stderr)
        return result

    def report(self, *args):
        return self.tacho("report", "-i", self.data, "--json", *args).json()

    def test_function_totals_equal_perfs_exactly(self):
        expected = collections.Counter()
        one_name = kernel_aliases()
        # perf writes a dot for the separator inside names, and '@' is in those of versions (log@GLIBC_2.29).
        for line in perf("report", "-i", self.data, "--stdio", "-g", "none", "--sort", "symbol", "-n", "-t", "\t").splitlines():
            cells = line.split("\t")
            if line.startswith("#") or len(cells) < 3:
                continue
            name = re.sub(r"^\[.\] ", "", cells[2]).strip()
            # Of an entry of the PLT whose function it does not know, perf writes the last part of its name.
            expected["no name" if name.startswith("0x") or name == "@plt" else one_name.get(name, name)] += int(cells[1])
        found = collections.Counter()
        for row in self.report()["rows"]:
            name = row["function"] or "no name"
            found[one_name.get(name, name)] += row["samples"]
        self.assertGreater(sum(expected.values()), 10)
        self.assertEqual(+found, +expected)

    def test_shares_have_intervals_and_add_up(self):
        data = os.path.join(self.directory.name, "both.data")
        # Two programs, because the interval of a program with all samples would end at its share, 1.
        subprocess.run([PERF, "record", "-q", "-e", "cpu-clock", "-F", "999", "-o", data, "--", "sh", "-c", '"$0" 300; "$1" 300',
                        example("naive"), example("interchange")], capture_output=True, check=True)
        report = self.tacho("report", "-i", data, "--json").json()
        self.assertAlmostEqual(sum(row["share"] for row in report["rows"]), 1)
        top = report["rows"][0]
        self.assertTrue(top["function"].endswith("multiply"), top)
        self.assertLess(top["ci95"][0], top["share"])
        self.assertGreater(top["ci95"][1], top["share"])
        self.assertEqual(report["events"][0]["samples"], sum(row["samples"] for row in report["rows"]))

    def test_every_sort_has_every_sample(self):
        totals = {sort: sum(row["samples"] for row in self.report("--sort", sort)["rows"])
                  for sort in ("module", "function", "line", "instruction")}
        self.assertEqual(len(set(totals.values())), 1, totals)

    def test_two_recordings_beside_each_other(self):
        other = os.path.join(self.directory.name, "other.data")
        subprocess.run([PERF, "record", "-q", "-e", "cpu-clock", "-F", "999", "-o", other, "--", example("interchange"), "500"],
                       capture_output=True, check=True)
        both = self.report("--compare", other)
        sides = {"before": self.report(), "after": self.tacho("report", "-i", other, "--json").json()}
        # The rows are in the order of their differences, which other load on the machine can change.
        top = next(row for row in both["rows"] if row["modules"] == ["naive", "interchange"])
        self.assertTrue(top["function"].endswith("multiply"), top)
        for side, alone in sides.items():
            self.assertEqual(both[side]["count"], alone["events"][0]["count"])
            # Each row of a recording is in one row of the comparison, with its samples.
            at = ("before", "after").index(side)
            expected = collections.Counter()
            for row in alone["rows"]:
                expected[row["module"], row["signature"]] += row["samples"]
            self.assertEqual({(row["modules"][at], row["signature"]): row[side]["samples"] for row in both["rows"]
                              if row["modules"][at] is not None}, expected)
            own = next(row for row in alone["rows"] if row["module"] == top["modules"][at] and row["signature"] == top["signature"])
            self.assertEqual(top[side]["share"]["ci95"], own["ci95"])
        gained = top["count_gained"]
        self.assertEqual(gained["value"], top["after"]["count"]["value"] - top["before"]["count"]["value"])
        text = self.tacho("report", "-i", self.data, "--compare", other).stdout
        self.assertIn("naive → interchange", text)
        for args, said in ((("--sort", "instruction"), "addresses"), (("--folded",), "--folded")):
            refused = run("report", "-i", self.data, "--compare", other, *args)
            self.assertEqual(refused.code, 125)
            self.assertIn(said, refused.stderr)

    def test_a_comparison_needs_the_same_event_in_both(self):
        other = os.path.join(self.directory.name, "faults.data")
        subprocess.run([PERF, "record", "-q", "-e", "page-faults", "-c", "1", "-o", other, "--", example("naive"), "60"],
                       capture_output=True, check=True)
        refused = run("report", "-i", self.data, "--compare", other)
        self.assertEqual(refused.code, 125)
        self.assertIn(other, refused.stderr)
        name = self.report()["event"]  # with :u or without, as the user is allowed to sample
        self.assertIn(f"no event '{name}'", refused.stderr)
        # Each fault was a sample: there is no sampling error.
        same = self.tacho("report", "-i", other, "--compare", other, "--json").json()
        for row in same["rows"]:
            self.assertEqual(row["count_gained"]["value"], 0)
        self.assertIn("exact", self.tacho("report", "-i", other, "--compare", other).stdout)

    def test_annotate_agrees_with_the_addresses_that_perf_script_prints(self):
        annotation = self.tacho("annotate", "-i", self.data, "--json", "multiply").json()
        base = int(annotation["instructions"][0]["address"], 16)
        names = collections.Counter()
        for line in perf("script", "-i", self.data, "-F", "ip,sym,symoff").splitlines():
            match = re.search(r"\bmultiply\+0x([0-9a-f]+)|::multiply\+0x([0-9a-f]+)", line)
            if match:
                names[base + int(match.group(1) or match.group(2), 16)] += 1
        found = collections.Counter({int(each["address"], 16): each["samples"] for each in annotation["instructions"]})
        self.assertEqual(+found, +names)
        self.assertEqual(sum(found.values()), annotation["samples"])
        if annotation["lines"]:
            self.assertEqual(sum(line["samples"] for line in annotation["lines"]), annotation["samples"])

    def test_annotate_has_the_samples_of_every_event(self):
        data = os.path.join(self.directory.name, "two.data")
        subprocess.run([PERF, "record", "-q", "-e", "cpu-clock:u,page-faults:u", "-c", "9973", "-o", data, "--", example("naive"),
                        "300"], capture_output=True, check=True)
        # From perf script: the samples of each event in the function, and how many events they stand for.
        expected, counts = collections.Counter(), collections.Counter()
        for line in perf("script", "-i", data, "-F", "period,event,ip,sym").splitlines():
            if re.search(r"\bmultiply\(|::multiply", line):
                period, name = line.split()[:2]
                expected[name.rstrip(":")] += 1
                counts[name.rstrip(":")] += int(period)
        self.assertGreater(expected["cpu-clock:u"], 10)
        annotation = self.tacho("annotate", "-i", data, "--json", "multiply").json()
        names = [each["name"] for each in annotation["events"]]
        self.assertEqual(annotation["event"]["name"], "cpu-clock:u")
        for at, name in enumerate(names):
            self.assertEqual(annotation["counts"][at]["samples"], expected[name], name)
            self.assertEqual(annotation["counts"][at]["count"], counts[name], name)
            for part in ("lines", "instructions"):
                samples = [each["events"][at]["samples"] for each in annotation[part]]
                if samples:
                    self.assertEqual(sum(samples), expected[name], f"{name} {part}")

    def test_annotate_shows_the_hottest_line_its_instructions_and_skid(self):
        if not shutil.which("c++"):
            self.skipTest("no compiler (c++) builds a program whose source stands where it says")
        program, data = (os.path.join(self.directory.name, name) for name in ("spin", "spin.data"))
        source = pathlib.Path(program + ".cpp")
        source.write_text(SPIN)
        subprocess.run(["c++", "-g", "-O1", "-o", program, source], check=True)
        subprocess.run([PERF, "record", "-q", "-e", "cpu-clock", "-F", "999", "-o", data, "--", program],
                       capture_output=True, check=True)
        text = self.tacho("annotate", "-i", data, "spin").stdout
        self.assertIn("skid", text)
        marked = [line for line in text.splitlines() if line.startswith(">")]
        self.assertEqual(len(marked), 2, text)  # a line and an instruction
        self.assertIn("sum = sum", marked[0])

    def test_annotate_of_an_unknown_function_says_how_to_find_names(self):
        result = run("annotate", "-i", self.data, "nowhere")
        self.assertEqual(result.code, 125)
        self.assertIn("no sample fell into a function 'nowhere'", result.stderr)
        self.assertIn("tacho report", result.stderr)

    def test_a_cut_recording_shows_the_samples_before_the_cut_and_warns(self):
        cut = os.path.join(self.directory.name, "cut.data")
        whole = pathlib.Path(self.data).read_bytes()
        start, size = struct.unpack_from("=QQ", whole, 40)  # of the records, from the file's header
        pathlib.Path(cut).write_bytes(whole[:start + size - 100])
        result = self.tacho("report", "-i", cut, "--json")
        self.assertGreater(result.json()["events"][0]["samples"], 0)
        self.assertLess(result.json()["events"][0]["samples"], self.report()["events"][0]["samples"])
        self.assertIn("damaged", result.stderr)

    def test_a_recording_without_a_sample_before_its_damage_is_an_error(self):
        cut = os.path.join(self.directory.name, "short.data")
        whole = pathlib.Path(self.data).read_bytes()
        start, _ = struct.unpack_from("=QQ", whole, 40)
        pathlib.Path(cut).write_bytes(whole[:start + 60])
        result = run("report", "-i", cut)
        self.assertEqual(result.code, 125)
        self.assertIn("error", result.stderr)

    def test_a_file_that_is_no_recording_is_an_error(self):
        for path in (__file__, "/nonexistent/perf.data"):
            result = run("report", "-i", path)
            self.assertEqual(result.code, 125)
            self.assertIn(path, result.stderr)

    def test_a_program_that_was_built_anew_is_not_used(self):
        directory = tempfile.mkdtemp(prefix="anew-", dir=self.directory.name)
        program = os.path.join(directory, "program")
        data = os.path.join(directory, "perf.data")
        shutil.copy(example("naive"), program)
        subprocess.run([PERF, "record", "-q", "-e", "cpu-clock", "-F", "999", "-o", data, "--", program, "300"],
                       capture_output=True, check=True)
        os.unlink(program)
        shutil.copy(example("interchange"), program)
        result = self.tacho("report", "-i", data, "--json", env={"HOME": directory})
        names = {row["function"] for row in result.json()["rows"] if row["module"] == "program"}
        self.assertEqual(names, {None})
        self.assertIn("is not the file that was recorded", result.stderr)

    @unittest.skipUnless(shutil.which("objcopy"), "binutils are not installed")
    def test_debug_information_is_downloaded_when_asked_for(self):
        directory = pathlib.Path(tempfile.mkdtemp(prefix="download-", dir=self.directory.name))
        for option, name in (("--only-keep-debug", "program.debug"), ("--strip-debug", "program")):
            subprocess.run(["objcopy", option, example("naive"), directory / name], check=True)
        finder = directory / "debuginfod-find"
        finder.write_text(f"""#!/bin/sh
ulimit -n >'{directory}/limit'
echo 'Server query failed' >&2
[ "$1" = debuginfo ] && echo '{directory}/program.debug'
""")
        finder.chmod(0o755)
        data = str(directory / "perf.data")
        subprocess.run([PERF, "record", "-q", "-e", "cpu-clock", "-F", "999", "-o", data, "--", directory / "program", "300"],
                       capture_output=True, check=True)

        def report(*options, **env):
            return run("report", "-i", data, "--sort", "line", "--json", *options, env=env,
                       preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (99, 999)))

        found = {"PATH": f"{directory}:{os.environ['PATH']}", "DEBUGINFOD_URLS": "https://example.org"}
        self.assertIsNone(report(**found).json()["rows"][0]["file"])
        downloaded = report("--debuginfod", **found)
        self.assertTrue(downloaded.json()["rows"][0]["file"].endswith("naive.cpp"), downloaded.stdout)
        self.assertNotIn("Server", downloaded.stderr)
        self.assertEqual((directory / "limit").read_text(), "99\n")
        for lacking in ({"DEBUGINFOD_URLS": ""}, {"PATH": "/nonexistent"}):
            result = report("--debuginfod", **found | lacking)
            self.assertEqual(result.code, 125)
            self.assertIn("nothing can be downloaded", result.stderr)

    def test_pprof_is_decoded_by_protoc(self):
        if not shutil.which("protoc"):
            self.skipTest("protoc is not installed (protobuf-compiler)")
        path = os.path.join(self.directory.name, "profile.pb.gz")
        self.tacho("report", "-i", self.data, "--pprof", "-o", path)
        encoded = subprocess.run(["gzip", "-dc", path], capture_output=True, check=True).stdout
        decoded = subprocess.run(["protoc", f"-I{HERE}", "--decode=tacho.test.Profile", "profile_fields.proto"],
                                 input=encoded, capture_output=True, check=True).stdout.decode()
        self.assertNotRegex(decoded, re.compile(r"^\s*\d+:", re.MULTILINE))  # an unknown field
        strings = re.findall(r'^string_table: "(.*)"$', decoded, re.MULTILINE)
        self.assertEqual(strings[0], "")
        self.assertTrue(any(name.endswith("multiply") for name in strings))
        samples = re.findall(r"^sample \{(.*?)^\}", decoded, re.MULTILINE | re.DOTALL)
        values = [list(map(int, re.findall(r"^  value: (\d+)", sample, re.MULTILINE))) for sample in samples]
        self.assertEqual(sum(value[0] for value in values), self.report()["events"][0]["samples"])
        locations = {int(each) for sample in samples for each in re.findall(r"location_id: (\d+)", sample)}
        ids = set(map(int, re.findall(r"^location \{\s+id: (\d+)", decoded, re.MULTILINE)))
        self.assertLessEqual(locations, ids)
        functions = set(map(int, re.findall(r"function_id: (\d+)", decoded)))
        self.assertLessEqual(functions, set(map(int, re.findall(r"^function \{\s+id: (\d+)", decoded, re.MULTILINE))))

    @needs_kernel_counts
    def test_callers_and_callees_come_from_call_chains(self):
        data = os.path.join(self.directory.name, "chains.data")
        # The faults are in the kernel, which has frame pointers. So each recording has callers.
        subprocess.run([PERF, "record", "-q", "-g", "-e", "cpu-clock", "-c", "100000", "-o", data, "--",
                        workload("touch_pages"), "20000", "0"], capture_output=True, check=True)
        report = self.tacho("report", "-i", data, "--json").json()
        self.assertTrue(all(row["total"] >= row["share"] - 1e-9 for row in report["rows"]))
        callers = self.tacho("report", "-i", data, "--json", "--callers", "main").json()
        self.assertEqual(sum(row["samples"] for row in callers["callers"]), callers["samples"])
        folded = self.tacho("report", "-i", data, "--folded").stdout
        self.assertEqual(sum(int(line.rpartition(" ")[2]) for line in folded.splitlines()),
                         report["events"][0]["count"])
        without = run("report", "-i", self.data, "--callers", "multiply")
        self.assertEqual(without.code, 125)
        self.assertIn("no call chains", without.stderr)

    def test_json_of_each_viewer_is_json(self):
        for viewer in ("--firefox", "--speedscope"):
            self.assertTrue(json.loads(self.tacho("report", "-i", self.data, viewer).stdout))

    def test_firefox_has_each_sample_where_perf_script_has_it(self):
        profile = json.loads(self.tacho("report", "-i", self.data, "--firefox").stdout)
        ours = collections.defaultdict(list)
        for thread in profile["threads"]:
            ours[thread["pid"], thread["tid"]] += thread["samples"]["time"]
        lines = perf("script", "-i", self.data, "--ns", "-F", "pid,tid,time").splitlines()
        theirs = collections.defaultdict(list)
        for pid, tid, time in (re.match(r" *(\d+)/(\d+) +([\d.]+):", line).groups() for line in lines):
            theirs[pid, int(tid)].append(float(time) * 1e3)
        first = min(map(min, theirs.values()))
        self.assertEqual(set(ours), set(theirs))
        for thread, times in theirs.items():
            self.assertEqual(len(ours[thread]), len(times))
            for our, their in zip(ours[thread], times):
                self.assertAlmostEqual(our, their - first, delta=1e-3)

    def on_a_terminal(self, **env):
        """Returns what tacho report writes to a terminal."""
        ours, terminal = pty.openpty()
        process = start("report", "-i", self.data, stdout=terminal, env={"TERM": "xterm", "NO_COLOR": None, **env})
        os.close(terminal)
        text = b""
        with contextlib.suppress(OSError):  # EIO: the other side has closed it
            while piece := os.read(ours, 65536):
                text += piece
        os.close(ours)
        self.assertEqual(finish(process).code, 0)
        return text.decode()

    def test_on_a_terminal_text_is_coloured_and_paged(self):
        self.assertIn("page: command", self.on_a_terminal(PAGER="sed s/^/page:/"))
        self.assertIn("\033[31m", self.on_a_terminal(PAGER="cat"))
        self.assertNotIn("\033[", self.on_a_terminal(PAGER="cat", NO_COLOR="1"))
        self.assertIn("multiply", self.on_a_terminal(PAGER="/nonexistent/pager"))
        self.assertNotIn("\033[", self.tacho("report", "-i", self.data, env={"PAGER": "sed s/^/page:/"}).stdout)

    def test_two_formats_at_once_are_refused(self):
        self.assertEqual(run("report", "-i", self.data, "--json", "--csv").code, 125)


if __name__ == "__main__":
    unittest.main()
