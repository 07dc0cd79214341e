"""The programs that docs/how-to/export-profiles.md names show what tacho exports: pprof, speedscope's page in Chromium, and
the Firefox Profiler's own code. tests/cli/test_record.py has hotspot's parser.

Each is compared with `tacho report --json` of the same recording. What is not installed is skipped:
    go               apt-get install golang-go
    chromium         apt-get install chromium
    speedscope       npm install -g speedscope
    profiler-cli     npm install -g @firefox-devtools/profiler-cli (the profiler's code, without its window)
"""
import base64
import html
import json
import os
import pathlib
import re
import shutil
import subprocess
import time
import unittest

from tacho_cli import Scratch, needs_kernel_counts, run

# In C: go's pprof finds no lines of functions in namespaces.
PROGRAM = """#include <stdio.h>
__attribute__((noinline)) unsigned first(unsigned times) {
  unsigned sum = 1;
  for (unsigned i = 0; i < times; ++i)
    sum = sum / 3 ^ i;
  return sum;
}
__attribute__((noinline)) unsigned second(unsigned times) { return first(times / 2) / 3; }
int main(void) { printf("%u\\n", first(20000000) + second(8000000)); }
"""
SPEEDSCOPE = shutil.which("speedscope")  # bin/cli.mjs of the package, which has the page beside it


def needs(*programs):
    missing = [each for each in programs if not shutil.which(each)]
    return unittest.skipIf(missing, f"not installed: {', '.join(missing)} (the first comment of this file says how)")


def shown_by_speedscope(directory, content):
    """The page that speedscope makes of a file, as HTML."""
    page = pathlib.Path(SPEEDSCOPE).resolve().parents[1] / "dist" / "release" / "index.html"
    script = directory / "load.js"  # what speedscope's own command writes
    script.write_text(f'speedscope.loadFileFromBase64("app.json", "{base64.b64encode(content).decode()}")')
    return subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=8000",
                           "--dump-dom", f"file://{page}#localProfilePath={script}&view=sandwich"], cwd=directory,
                          env=os.environ | {"HOME": str(directory)}, capture_output=True, text=True, timeout=60,
                          check=True).stdout


def shown_by_firefox_profiler(directory, file, *question):
    """What the Firefox Profiler's code answers about a file."""
    env = os.environ | {"HOME": str(directory), "XDG_CONFIG_HOME": str(directory)}

    def ask(*words):
        return subprocess.run(["profiler-cli", *words], env=env, capture_output=True, text=True, timeout=60)

    # It gives up after half a second on a busy machine, while the process that it has started goes on.
    ask("load", file)
    try:
        deadline = time.monotonic() + 30
        while ask("profile", "info").returncode:
            assert time.monotonic() < deadline, "profiler-cli did not load the file"
            time.sleep(0.2)
        answer = ask(*question)
    finally:
        ask("stop")
    assert answer.returncode == 0, answer.stdout + answer.stderr
    return answer.stdout


class Viewers(Scratch):
    def setUp(self):
        super().setUp()
        self.data, self.program = str(self.directory / "perf.data"), str(self.directory / "program")
        (self.directory / "program.c").write_text(PROGRAM)
        subprocess.run(["cc", "-g", "-O1", "-fno-omit-frame-pointer", "program.c", "-o", self.program], cwd=self.directory,
                       check=True)
        # A fixed period: viewers weigh samples by their periods, and tacho's shares are of samples.
        result = run("record", "-q", "-g", "-e", "cpu-clock", "-c", 250_000, "-o", self.data, "--", self.program)
        self.assertEqual(result.code, 0, result.stderr)
        self.env = {**os.environ, "HOME": str(self.directory), "XDG_CONFIG_HOME": str(self.directory)}

    def export(self, viewer, name, *options):
        file = self.directory / name
        result = run("report", "-i", self.data, viewer, "-o", file, *options)
        self.assertEqual(result.code, 0, result.stderr)
        return str(file)

    def first(self):
        """The row of the hottest function."""
        return next(row for row in run("report", "-i", self.data, "--json").json()["rows"] if row["function"] == "first")

    def output(self, *command):
        done = subprocess.run(command, cwd=self.directory, env=self.env, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, f"{command}\n{done.stdout}{done.stderr}")
        return done.stdout

    def assert_same_share(self, percent, row):
        self.assertAlmostEqual(float(percent), 100 * row["share"], delta=0.51)  # rounded to 1 % by some viewers

    @needs("go")
    def test_pprof_shows_functions_lines_and_instructions(self):
        file, row = self.export("--pprof", "app.pb.gz"), self.first()
        top = self.output("go", "tool", "pprof", "-top", file)
        self.assert_same_share(re.search(r"^ *\S+ +([\d.]+)% .* first$", top, re.MULTILINE)[1], row)
        page = str(self.directory / "lines.html")
        self.output("go", "tool", "pprof", "-weblist=first", f"-output={page}", file)
        lines = re.sub("<[^>]*>", "", html.unescape(pathlib.Path(page).read_text()))
        # The line of the loop with its times, and its instructions.
        self.assertRegex(lines, r"\n *\d+ +[\d.]+ms +[\d.]+ms +sum = sum / 3 \^ i;")
        listed = re.search(r"Total: +[\d.]+m?s +[\d.]+m?s \(flat, cum\) +([\d.]+)%", lines)
        self.assertLessEqual(float(listed[1]), 100, "no sample is listed twice")
        self.assertRegex(lines, r"\n +[\d.]+m?s +[\d.]+m?s +[0-9a-f]+:  +[A-Z]+")
        code = self.output("go", "tool", "pprof", "-disasm=first", file)
        self.assertRegex(code, r"ROUTINE =+ first\n")
        self.assertRegex(code, r"\n +[\d.]+m?s +[\d.]+m?s +[0-9a-f]+: [A-Z]+ ")

    @needs("chromium", "speedscope")
    def test_speedscope_shows_the_functions(self):
        name, row = self.export("--speedscope", "app.json"), self.first()
        shown = shown_by_speedscope(self.directory, pathlib.Path(name).read_bytes())
        self.assertIn("<title>cpu-clock - speedscope</title>", shown)
        rows = [re.sub("<[^>]*>", " ", each) for each in shown.split("</tr>")]
        hot = next(each for each in rows if each.split()[-1:] == ["first"])
        _, of_itself = re.findall(r"\(([\d.]+)%\)", hot)
        self.assert_same_share(of_itself, row)

    @needs("profiler-cli")
    def test_firefox_profiler_shows_the_functions(self):
        file, row = self.export("--firefox", "app.json"), self.first()
        shown = json.loads(shown_by_firefox_profiler(self.directory, file, "thread", "functions", "--json"))
        hot = next(each for each in shown["functions"] if each["name"] == "first")
        self.assertEqual(hot["selfSamples"], row["samples"])
        self.assertEqual(hot["library"], self.program)

    def waits(self):
        """A recording of a thread that sleeps and runs, and its times in ms by state."""
        file = str(self.directory / "waits.data")
        self.assertEqual(run("record", "-q", "--wall", "-o", file, "--", "sh", "-c", f"sleep 0.3; exec {self.program}").code, 0)
        threads = run("report", "-i", file, "--wall", "--json").json()["threads"]
        return file, {state: threads[0][f"{state}_ns"] / 1e6 for state in ("waiting", "running")}

    @needs_kernel_counts
    @needs("profiler-cli")
    def test_firefox_profiler_shows_the_states_of_threads(self):
        self.data, times = self.waits()
        shown = shown_by_firefox_profiler(self.directory, self.export("--firefox", "waits.json", "--wall"), "thread",
                                          "samples")
        categories = {state: float(ms) for state, ms in re.findall(r"^ +(waiting|running) +\S+ +(\d+) ", shown, re.MULTILINE)}
        self.assertAlmostEqual(categories["waiting"], times["waiting"], delta=2)
        self.assertAlmostEqual(categories["running"], times["running"], delta=5 + 0.1 * times["running"])  # it was sampled

    @needs_kernel_counts
    @needs("chromium", "speedscope")
    def test_speedscope_shows_the_states_of_threads(self):
        self.data, _ = self.waits()
        file = self.export("--speedscope", "waits.json", "--wall")
        shown = shown_by_speedscope(self.directory, pathlib.Path(file).read_bytes())
        self.assertTrue("<title>wall-clock - speedscope</title>" in shown, "the sum is shown first")
        self.assertRegex("".join(re.findall(r'tr title="([^"]*)"', shown)), r"waiting.*running.*over time")


if __name__ == "__main__":
    unittest.main()
