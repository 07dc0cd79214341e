"""Reports fit a terminal of 80 columns. Names are shortened in their middle. Files, pipes and --full-names have all of them."""
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from hostile_names import HostileNames, can_build
from tacho_cli import Scratch, example, needs_simulator, on_terminal, run, unwrapped

PROGRAM = """#include <algorithm>
#include <map>
#include <string>
#include <vector>
int main() {
  std::map<std::string, std::vector<int>> all;
  for (int i = 0; i < 400000; ++i) {
    std::vector<int>& each = all["key" + std::to_string(i % 5000)];
    each.push_back(i);
    if (each.size() > 60) std::sort(each.begin(), each.end(), [](int a, int b) { return a > b; });
  }
  return all.size() == 5000 ? 0 : 1;
}
"""


def widest(text):
    return max(map(len, text.splitlines()))


@unittest.skipUnless(shutil.which("g++"), "no g++")
class Profiles(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory(prefix="tacho-narrow-")
        cls.addClassCleanup(cls.scratch.cleanup)
        folder = pathlib.Path(cls.scratch.name)
        (folder / "sorter.cpp").write_text(PROGRAM)
        subprocess.run(["g++", "-O1", "-g", "-fno-omit-frame-pointer", "-o", folder / "sorter", folder / "sorter.cpp"],
                       check=True)
        cls.data = folder / "perf.data"
        recorded = run("record", "-q", "-g", "-e", "cpu-clock", "-o", cls.data, "--", folder / "sorter")
        assert recorded.code == 0, recorded.stderr

    def longest_name(self):
        rows = run("report", "-i", self.data, "--json", "--limit", "8").json()["rows"]
        return max((row["function"] for row in rows), key=len)

    def test_lines_fit(self):
        for words in ([], ["-s", "line"], ["-s", "instruction"], ["-s", "thread"], ["-s", "module"], ["--tree"], ["--children"],
                      ["--callers", "main"], ["--callees", "main"], ["--compare", self.data]):
            for columns in (80, 120):
                shown = on_terminal("report", "-i", self.data, *words, columns=columns)
                self.assertLessEqual(widest(shown), columns, shown)

    def test_names_lose_their_middle_only_where_they_must(self):
        name = self.longest_name()
        self.assertGreater(len(name), 60)
        shown = on_terminal("report", "-i", self.data, "--limit", "8")
        self.assertNotIn(name, shown)
        ends = [line.split("…") for line in shown.splitlines() if re.search(r"%  [^%…]*…[^%…]+$", line)]
        self.assertTrue(any(name.startswith(line[-2].rpartition("  ")[2]) and name.endswith(line[-1]) for line in ends),
                        shown)
        self.assertIn("--full-names", shown)  # columns were left out
        for whole in (on_terminal("report", "-i", self.data, "--limit", "8", "--full-names"),
                      run("report", "-i", self.data, "--limit", "8").stdout):
            self.assertIn(name, whole)
            self.assertIn("samples  cpu-clock", whole)
            self.assertNotIn("no room", whole)


class Stat(Scratch):
    def test_lines_fit(self):
        for words in ([], ["-r", "5"], ["-v"], ["-d"], ["-I", "50"]):
            shown = on_terminal("stat", "-o", "-", *words, "--", "sh", "-c", "sleep 0.1; echo")
            self.assertIn("task-clock", shown)
            self.assertLessEqual(widest(shown), 80, shown)

    @needs_simulator
    def test_the_figures_and_their_intervals_stay(self):
        why = ("stat", "-o", "-", "--pmu", "simulated:skylake", "-S", "why", "--counters", "3")
        for repeats in ([], ["-r", "3"]):
            shown = on_terminal(*why, *repeats, "--", example("naive"), "60")
            self.assertLessEqual(widest(shown), 80, shown)
            self.assertRegex(shown, r"(?m)^ +~\d+ (± [\d.]+ %|\(\d+…\d+\)) +stall-load +[\d.]+ [MG]/s (± [\d.]+ %|\([\d.]+…[\d.]+\))$")
            left_out = ["true counts", "origins and reasons"]
            self.assertIn(", ".join((["minima"] if repeats else []) + left_out), unwrapped(shown))
        whole = run(*why, "--", example("naive"), "60").stdout
        self.assertIn("truth", whole)
        self.assertNotIn("no room", whole)


class Others(Scratch):
    def test_list(self):
        self.assertLessEqual(widest(on_terminal("list", "cache*")), 80)
        whole = run("list", "cache*").stdout
        self.assertEqual(on_terminal("list", "cache*", "--full-names"), whole)
        # A word that would be the first cut is there in whole lines.
        self.assertIn("accesses to the last-level cache on most machines", whole)

    @unittest.skipUnless(can_build(), "the recording is made on x86-64, with gcc and objcopy")
    def test_blocks(self):
        names = HostileNames(self.directory)
        words = ("blocks", "-i", names.branches, "--symfs", self.directory)
        table = on_terminal(*words).partition("\n\n")[2].partition("\n\n")[0]
        self.assertLessEqual(widest(table), 80, table)
        self.assertGreater(widest(on_terminal(*words, "--full-names")), 80)

    def test_compare(self):
        shown = on_terminal("compare", "-r", "3", "--", "true " + "word " * 60, "true")
        self.assertLessEqual(widest(shown), 80, shown)


if __name__ == "__main__":
    unittest.main()
