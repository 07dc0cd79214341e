"""Code of JIT compilers: perf maps, jitdump files, the clock of samples, and what each runtime needs."""
import collections
import json
import os
import pathlib
import shutil
import subprocess
import time
import unittest

from tacho_cli import Scratch, finish, for_everyone, needs_mount, run, start, workload

PERF = shutil.which("perf")
COMPILED = workload("compiled_code")
HOT_JS = """function hotLoop(n) { let s = 0; for (let i = 0; i < n; i++) s = (s * 31 + i) % 1000003; return s; }
let t = 0; for (let i = 0; i < 5000; i++) t += hotLoop(20000);
"""
HOT_JAVA = """public class Hot {
  static int hotLoop(int n) { int s = 0; for (int i = 0; i < n; i++) s = (s * 31 + i) % 1000003; return s; }
  public static void main(String[] arguments) {
    int t = 0;
    for (int i = 0; i < 10000; i++) t += hotLoop(20000);
    System.out.println(t);
  }
}
"""
HOT_PYTHON = """def hot_loop(n):
    s = 0
    for i in range(n):
        s = (s * 31 + i) % 1000003
    return s
for i in range(200):
    hot_loop(20000)
"""
HOT_RUST = """#[inline(never)] fn hot_loop(n: u64) -> u64 { (0..n).fold(0, |s, i| (s * 31 + i) % 1000003) }
fn main() { let mut t = 0; for i in 0..3000 { t += hot_loop(std::hint::black_box(20000 + i)); } println!("{t}"); }
"""
HOT_GO = """package main
//go:noinline
func hotLoop(n int) int { s := 0; for i := 0; i < n; i++ { s = (s*31 + i) % 1000003 }; return s }
func main() { t := 0; for i := 0; i < 3000; i++ { t += hotLoop(20000) }; println(t) }
"""
HOT_CSHARP = """class Hot {
  static int HotLoop(int n) { int s = 0; for (int i = 0; i < n; i++) s = (s * 31 + i) % 1000003; return s; }
  static void Main() { int t = 0; for (int i = 0; i < 5000; i++) t += HotLoop(20000); System.Console.WriteLine(t); }
}
"""
DOTNET = subprocess.run(["dotnet", "--version"], capture_output=True, text=True, check=False).stdout[:3] \
    if shutil.which("dotnet") else ""  # such as 8.0
HAS_CODE = subprocess.run([COMPILED, "map", "0", "/dev/null"], check=False).returncode == 0
needs_code = unittest.skipUnless(HAS_CODE, "the workload has no machine code for this processor")


def needs(*programs):
    missing = [each for each in programs if not shutil.which(each)]
    return unittest.skipIf(missing, f"not installed: {', '.join(missing)}")


def shares(report):
    """The shares of a report's rows by their function's name."""
    found = collections.Counter()
    for row in report["rows"]:
        found[row["function"] or ""] += row["share"]
    return found


class Compiled(Scratch):
    def record(self, *args, options=()):
        data = self.directory / "perf.data"
        result = run("record", *options, "-o", data, "--", *args, cwd=self.directory)
        self.assertEqual(result.code, 0, result.stderr)
        return data

    def report(self, data, *args):
        result = run("report", "-i", data, "--json", *args)
        self.assertEqual(result.code, 0, result.stderr)
        return json.loads(result.stdout), result.stderr

    def map_of(self, pid):
        path = pathlib.Path(f"/tmp/perf-{pid}.map")
        self.addCleanup(path.unlink, missing_ok=True)
        return path

    def recorded_map(self, *args, milliseconds=150):
        """Records the workload that writes a map, and returns the recording and the map."""
        data = self.record(COMPILED, "map", milliseconds, "/tmp/perf-%d.map", *args)
        document, _ = self.report(data)
        pid = next(row["path"] for row in document["rows"] if "anonymous" in row["path"]).split()[-1].rstrip("]")
        return data, self.map_of(pid)


@needs_code
class Maps(Compiled):
    def test_the_later_line_holds_where_a_place_is_used_again(self):
        data, _ = self.recorded_map()
        found = shares(self.report(data)[0])
        self.assertEqual([name for name in found if name.startswith("gone")], [])
        for name in ("same_place", "within_larger", "over_smaller"):
            self.assertGreater(found[name], 0.2, found)

    def test_without_a_map_a_warning_says_how_to_get_one(self):
        data, path = self.recorded_map()
        path.unlink()
        document, said = self.report(data)
        self.assertIn(path.name, said)
        self.assertIn("--perf-basic-prof", said)
        self.assertEqual(said.count("without names") + said.count("no map of names"), 1, said)
        self.assertTrue(any(path.name in each for each in document["warnings"]), document["warnings"])

    @unittest.skipUnless(os.geteuid() == 0, "only root may give files to other users")
    def test_a_map_of_another_user_is_refused_with_the_reason_and_root_reads_it(self):
        data, path = self.recorded_map()
        os.chown(path, 1, 1)
        self.assertGreater(shares(self.report(data)[0])["same_place"], 0.2)
        self.directory.chmod(0o755)
        data.chmod(0o644)
        refused = run("report", "-i", data, program=for_everyone(self.directory), user=65534, group=65534)
        self.assertEqual(refused.code, 0, refused.stderr)
        self.assertIn("belongs to another user (user ID 1); run tacho as root", refused.stderr)
        self.assertNotIn("same_place", refused.stdout)

    @needs_mount
    def test_the_map_of_a_running_container_is_found(self):
        # The process has number 1 and a /tmp of its own, where the map is.
        inside = self.directory / "inside"
        inside.mkdir()
        container = subprocess.Popen(
            ["unshare", "--pid", "--mount", "--fork", "--kill-child", "--mount-proc", "sh", "-c",
             'mount -t tmpfs none "$1" && cp "$0" "$1" && mount --bind "$1" /tmp && '
             'exec /tmp/compiled_code map 20000 /tmp/perf-%d.map', COMPILED, inside])
        self.addCleanup(container.wait)
        self.addCleanup(container.kill)
        children = pathlib.Path(f"/proc/{container.pid}/task/{container.pid}/children")
        end = time.monotonic() + 10
        inner = []
        while time.monotonic() < end and not inner:
            inner = [pid for pid in children.read_text().split()
                     if pathlib.Path(f"/proc/{pid}/comm").read_text().startswith("compiled")]
            time.sleep(0.01)
        data = self.directory / "perf.data"
        result = run("record", "-o", data, "-p", inner[0], "--", "sleep", "0.2")
        self.assertEqual(result.code, 0, result.stderr)
        self.assertGreater(shares(self.report(data)[0])["same_place"], 0.9)


@needs_code
class Dumps(Compiled):
    def setUp(self):
        super().setUp()
        self.data = self.record(COMPILED, "dump", 200, self.directory / "jit-%d.dump", options=("-g",))

    def test_code_has_the_name_that_held_when_it_ran(self):
        found = shares(self.report(self.data)[0])
        for name in ("first_at_place", "second_at_place"):  # the truth is 50 % of the time
            self.assertGreater(found[name], 0.4, found)
            self.assertLess(found[name], 0.6, found)

    def test_lines_and_instructions_are_those_of_the_dump(self):
        lines = {row["line"]: row["function"] for row in self.report(self.data, "--sort", "line")[0]["rows"]
                 if row["file"] == "made_up.js"}
        self.assertEqual((lines[11], lines[21]), ("first_at_place", "second_at_place"))
        shown = run("annotate", "-i", self.data, "--json", "second_at_place")
        self.assertEqual(shown.code, 0, shown.stderr)
        annotation = json.loads(shown.stdout)
        self.assertEqual(annotation["samples"], sum(each["samples"] for each in annotation["instructions"]))
        self.assertEqual(annotation["instructions"][0]["line"], 20)
        self.assertEqual(annotation["instructions"][1]["line"], 21)
        self.assertRegex(annotation["instructions"][-1]["text"] + annotation["instructions"][-2]["text"], "ret")

    def test_every_command_names_the_code_and_chooses_it_alike(self):
        reported = {row["function"]: row["samples"] for row in self.report(self.data)[0]["rows"]}
        dumped = run("dump", "-i", self.data, "-F", "ip,sym", "-G")
        self.assertEqual(dumped.code, 0, dumped.stderr)
        names = collections.Counter(line.split()[1].partition("+")[0] for line in dumped.stdout.splitlines())
        module = next(iter(self.directory.glob("jit-*.dump"))).name
        chosen = {row["function"]: row["samples"] for row in self.report(self.data, "--module", module)[0]["rows"]
                  if row["samples"]}  # others are callers only
        self.assertEqual(set(chosen), {"first_at_place", "second_at_place"})
        for name, samples in chosen.items():
            self.assertEqual((names[name], reported[name]), (samples, samples))

    def test_a_dump_that_is_gone_is_said(self):
        for dump in self.directory.glob("jit-*.dump"):
            dump.unlink()
        said = self.report(self.data)[1]
        self.assertIn("no names of the code in", said)
        self.assertIn("No such file", said)

    @unittest.skipUnless(PERF, "perf is not installed (linux-perf)")
    def test_perf_injects_the_same_names(self):
        injected = self.directory / "injected.data"
        done = subprocess.run([PERF, "inject", "--jit", "-i", self.data, "-o", injected], capture_output=True, text=True,
                              check=False, cwd=self.directory)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("-k 1", done.stderr)
        names = subprocess.run([PERF, "script", "-i", injected, "-F", "ip,sym"], capture_output=True, text=True,
                               check=True, cwd=self.directory, stdin=subprocess.DEVNULL).stdout
        leaves = [block.split()[1] for block in names.split("\n\n") if block.strip()]
        expected = collections.Counter(name for name in leaves if name.endswith("_at_place"))
        found = {row["function"]: row["samples"] for row in self.report(self.data)[0]["rows"]}
        self.assertGreater(sum(expected.values()), 100)
        for name, samples in expected.items():
            self.assertEqual(found[name], samples)


class Clocks(Compiled):
    @unittest.skipUnless(PERF, "perf is not installed (linux-perf)")
    def test_samples_have_the_times_of_the_clock_that_is_asked_for(self):
        program = ("sh", "-c", "i=0; while [ $i -lt 3000 ]; do i=$((i+1)); done")
        for options, clock in (((), time.CLOCK_MONOTONIC), (("-k", "CLOCK_BOOTTIME"), time.CLOCK_BOOTTIME),
                               (("--clockid", "real"), time.CLOCK_REALTIME)):
            before = time.clock_gettime(clock)
            data = self.record(*program, options=("-e", "cpu-clock", *options))
            after = time.clock_gettime(clock)
            lines = subprocess.run([PERF, "script", "-i", data, "-F", "time"], capture_output=True, text=True, check=True,
                                   stdin=subprocess.DEVNULL).stdout.split()
            self.assertTrue(lines)
            for line in lines:
                self.assertTrue(before - 0.001 <= float(line.rstrip(":")) <= after + 0.001, (options, before, line, after))

    def test_a_clock_that_the_kernel_does_not_take_is_refused(self):
        for options, said in ((("-k", "process_cputime_id"), "not a clock"), (("-k", "2"), "not a clock")):
            refused = run("record", *options, "-o", self.directory / "x", "--", "true")
            self.assertEqual(refused.code, 125)
            self.assertIn(said, refused.stderr)
            self.assertIn("mono", refused.stderr)
        # Any address will do: the event is refused before the program runs.
        breakpoint_ = ("-e", "mem:0x401000:x", "-o", self.directory / "x", "--", "true")
        if run("record", *breakpoint_).code != 0:
            self.skipTest("no breakpoints here, for which the kernel takes two clocks only")
        refused = run("record", "-k", "real", *breakpoint_)
        self.assertEqual(refused.code, 125, refused.stderr)
        self.assertIn("does not take the times of this event from that clock", refused.stderr)
        self.assertIn("-k mono or -k raw", refused.stderr)


class Runtimes(Compiled):
    """Each runtime names its hot function, in a profile that tacho recorded."""

    def hot(self, data, name):
        document, said = self.report(data)
        found = sum(share for function, share in shares(document).items() if name in function)
        self.assertGreater(found, 0.3, (shares(document).most_common(5), said))

    @needs("node")
    def test_node_with_a_dump_and_with_a_map(self):
        (self.directory / "hot.js").write_text(HOT_JS)
        data = self.record("node", "--perf-prof", "hot.js")
        self.hot(data, "hotLoop")
        shown = run("annotate", "-i", data, "hotLoop")
        self.assertEqual(shown.code, 0, shown.stderr)
        self.assertRegex(shown.stdout, r"hotLoop /.*hot\.js:1:\d+ in /.*jit-\d+\.dump")
        process = start("record", "-o", self.directory / "map.data", "--", "node", "--perf-basic-prof", "hot.js",
                        cwd=self.directory)
        result = finish(process)
        self.assertEqual(result.code, 0, result.stderr)
        self.hot(self.directory / "map.data", "hotLoop")

    @needs("java", "javac")
    def test_java_with_a_map(self):
        (self.directory / "Hot.java").write_text(HOT_JAVA)
        subprocess.run(["javac", "Hot.java"], cwd=self.directory, check=True)
        data = self.record("java", "-XX:+UnlockDiagnosticVMOptions", "-XX:+DumpPerfMapAtExit", "Hot")
        self.hot(data, "Hot.hotLoop")

    def test_python_with_its_perf_support(self):
        has = "import sys; sys.exit(not (hasattr(sys, 'activate_stack_trampoline') and sys.is_stack_trampoline_active()))"
        python = next((each for each in ("python3", "python3.12", "python3.13") if shutil.which(each) and subprocess.run(
            [each, "-X", "perf", "-c", has], capture_output=True, check=False).returncode == 0), None)
        if not python:
            self.skipTest("no Python 3.12 or later with support for perf (-X perf)")
        (self.directory / "hot.py").write_text(HOT_PYTHON)
        # The interpreter may have no frame pointers.
        data = self.record(python, "-X", "perf", "hot.py", options=("--call-graph", "dwarf"))
        document = self.report(data)[0]
        total = sum(row["total"] for row in document["rows"] if "py::hot_loop" in (row["function"] or ""))
        self.assertGreater(total, 0.3)

    @needs("rustc")
    def test_rust(self):
        (self.directory / "hot.rs").write_text(HOT_RUST)
        subprocess.run(["rustc", "-O", "hot.rs"], cwd=self.directory, check=True)
        self.hot(self.record(self.directory / "hot"), "hot_loop")

    @needs("go")
    def test_go(self):
        (self.directory / "hot.go").write_text(HOT_GO)
        subprocess.run(["go", "build", "hot.go"], cwd=self.directory, check=True)
        self.hot(self.record(self.directory / "hot"), "main.hotLoop")

    @needs("dotnet")
    def test_dotnet_with_a_map(self):
        (self.directory / "hot.csproj").write_text(
            '<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup><OutputType>Exe</OutputType>'
            f"<TargetFramework>net{DOTNET}</TargetFramework></PropertyGroup></Project>")
        (self.directory / "Hot.cs").write_text(HOT_CSHARP)
        subprocess.run(["dotnet", "build", "-o", "out"], cwd=self.directory, check=True, stdout=subprocess.DEVNULL)
        process = start("record", "-o", self.directory / "perf.data", "--", "dotnet", "out/hot.dll", cwd=self.directory,
                        env={"DOTNET_PerfMapEnabled": "1"})
        self.assertEqual(finish(process).code, 0)
        self.hot(self.directory / "perf.data", "HotLoop")


if __name__ == "__main__":
    unittest.main()
