"""tacho annotate and the call tree as a user reads them: short names, the hottest lines first, lines that fit."""
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from tacho_cli import needs_kernel_counts, on_terminal, run

# weigh is inlined into work, and has most of its samples. spin has two instances, of which the one for long runs longer.
PROGRAM = """#include <algorithm>
#include <cstdio>
#include <vector>
namespace app {
namespace {
[[gnu::always_inline]] inline unsigned weigh(unsigned x) {
  for (int i = 0; i < 60; ++i)
    x = x / 3 ^ static_cast<unsigned>(i);  // heavy
  return x;
}
template <class T> [[gnu::noinline]] T spin(T times) {
  T sum = 1;
  for (T i = 1; i < times; ++i) sum = sum / 3 ^ i;
  return sum;
}
[[gnu::noinline]] unsigned work(unsigned n) {
  std::vector<unsigned> all(n);
  unsigned seed = 1;
  for (unsigned& each : all) each = seed = seed * 1664525 + 1013904223;
  std::sort(all.begin(), all.end());
  unsigned sum = 0;
  for (const unsigned each : all) sum += weigh(each);
  return sum;
}
}  // namespace
}  // namespace app
int main() {
  std::printf("%u\\n", app::work(400000) + app::spin(9000000) + static_cast<unsigned>(app::spin(45000000L)));
}
"""


# Most of its time is the kernel's.
READER = """#include <fcntl.h>
#include <unistd.h>
static char to[1 << 20];
__attribute__((noinline)) static unsigned own(unsigned times) {
  unsigned sum = 1;
  for (unsigned i = 0; i < times; ++i) sum = sum / 3 ^ i;
  return sum;
}
int main() {
  const int zero = open("/dev/zero", O_RDONLY);
  for (int i = 0; i < 2000; ++i)
    if (read(zero, to, sizeof to) < 0) return 1;
  return own(5000000) == 7;
}
"""


# A part of a program that has a static function of the name `work`, as its other part does.
PART = """__attribute__((noinline)) static unsigned work(unsigned times) {
  unsigned sum = 1;
  for (unsigned i = 0; i < times; ++i) sum = sum / 3 ^ i;
  return sum;
}
unsigned PART(unsigned times) { return work(times); }
"""


@unittest.skipUnless(shutil.which("cc"), "no compiler (cc) builds a program whose source is known")
@needs_kernel_counts
class Namesakes(unittest.TestCase):
    def test_functions_of_one_name_are_told_apart(self):
        with tempfile.TemporaryDirectory(prefix="tacho-namesakes-") as directory:
            directory = pathlib.Path(directory)
            for part in ("one", "two"):
                (directory / f"{part}.c").write_text(PART.replace("PART", part))
            (directory / "main.c").write_text("unsigned one(unsigned), two(unsigned);\n"
                                              "int main(void) { return one(30000000) + two(10000000) == 7; }\n")
            program, data = directory / "program", directory / "perf.data"
            subprocess.run(["cc", "-g", "-O1", "-o", program, *directory.glob("*.c")], check=True)
            self.assertEqual(run("record", "-q", "-e", "cpu-clock:u", "-o", data, "--", program).code, 0)
            starts = {line.split()[0].lstrip("0") for line in
                      subprocess.run(["nm", program], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
                      if line.endswith(" t work")}
            rows = re.findall(r"(?m)^ *(\d+) .* work at 0x([0-9a-f]+)$", run("report", "-i", data).stdout)
            self.assertEqual({start for _, start in rows}, starts)
            for samples, start in rows:
                shown = run("annotate", "-i", data, "--json", f"work at 0x{start}").json()
                self.assertEqual((shown["function"], shown["samples"]), ("work", int(samples)))
            said = run("annotate", "-i", data, "work").stderr
            self.assertRegex(said, rf"'work' also means work at 0x{rows[1][1]} of program, with {rows[1][0]} sample")


@unittest.skipUnless(shutil.which("c++"), "no compiler (c++) builds a program whose source is known")
class Annotate(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        directory = tempfile.TemporaryDirectory(prefix="tacho-annotate-")
        cls.addClassCleanup(directory.cleanup)
        cls.directory = pathlib.Path(directory.name)
        cls.source = cls.directory / "heavy.cpp"
        cls.source.write_text(PROGRAM)
        cls.data = str(cls.directory / "heavy.data")
        program = cls.directory / "heavy"
        subprocess.run(["c++", "-std=c++17", "-g", "-O2", "-fno-omit-frame-pointer", "-o", program, cls.source], check=True)
        result = run("record", "-q", "-g", "-e", "cpu-clock:u", "-o", cls.data, "--", program)
        assert result.code == 0, result.stderr

    def tacho(self, *args, code=0):
        result = run(*args)
        self.assertEqual(result.code, code, result.stderr)
        return result

    def annotation(self, *function):
        return self.tacho("annotate", "-i", self.data, "--json", *function).json()

    def samples(self):
        """Samples by the functions that the report prints."""
        rows = self.tacho("report", "-i", self.data, "--json").json()["rows"]
        return {row["function"]: row["samples"] for row in rows if row["module"] == "heavy"}

    def test_short_names_mean_the_hottest_function(self):
        samples = self.samples()
        hottest = max((name for name in samples if name and "spin<" in name), key=samples.get)
        self.assertIn("spin<long>", hottest)
        for asked in ("spin", "app::spin", "app::spin<long>", hottest, hottest[:-6] + "…"):
            with self.subTest(asked):
                found = self.annotation(asked)
                self.assertEqual((found["function"], found["samples"]), (hottest, samples[hottest]))
        self.assertTrue(any("spin<int>" in warning for warning in self.annotation("spin")["warnings"]))
        self.assertEqual(self.annotation("spin<long>")["warnings"], [])
        called = self.tacho("report", "-i", self.data, "--callers", "spin", "--json").json()
        self.assertEqual(called["samples"], sum(count for name, count in samples.items() if name and "spin<" in name))

    def test_an_inlined_function_is_shown_where_it_was_inlined(self):
        work, weigh = self.annotation("work"), self.annotation("weigh")
        self.assertTrue(weigh["function"].endswith("weigh"), weigh["function"])
        self.assertEqual(weigh["inlined_into"], work["function"])
        heavy = 1 + PROGRAM[:PROGRAM.index("// heavy")].count("\n")
        own = [line["line"] for line in weigh["lines"] if line["file"] == str(self.source)]
        self.assertIn(heavy, own)
        self.assertLessEqual(set(own), set(range(heavy - 2, heavy + 2)))
        self.assertGreater(weigh["samples"], 0)
        self.assertEqual(weigh["samples"], sum(line["samples"] for line in weigh["lines"]))
        self.assertLess(weigh["samples"], work["samples"])
        refused = self.tacho("report", "-i", self.data, "--callers", "weigh", code=125)
        self.assertRegex(refused.stderr, r"it was inlined into .*work.*, with \d+ samples")

    def test_an_error_offers_the_nearest_name(self):
        for args in (("annotate", "weihg"), ("annotate", "wrok"), ("report", "--callees", "wrok")):
            refused = self.tacho(*args, "-i", self.data, code=125)
            self.assertRegex(refused.stderr, r"did you mean '.*(weigh|work).*' \(\d+ samples\)", args)

    def test_the_hottest_lines_come_first_and_own_ones_before_the_systems(self):
        text = self.tacho("annotate", "-i", self.data, "work").stdout
        whole = self.tacho("annotate", "-i", self.data, "--all", "work").stdout
        self.assertLess(len(text.splitlines()), 140)
        self.assertGreater(len(whole.splitlines()), 2 * len(text.splitlines()))
        self.assertRegex(text, r"… \d+ lines more, with \d+\.\d % of the samples \(--all shows all\)")
        self.assertRegex(text, r"… \d+ instructions more, with \d+\.\d % of the samples \(--all shows all\)")
        self.assertNotIn("--all", whole)
        for each in (text, whole):
            files = re.findall(r"(?m)^ +(/.*):$", each)
            self.assertEqual(files[0], str(self.source))
            self.assertTrue(all(file.startswith("/usr/") for file in files[1:]), files)
        # The hottest line and the hottest instruction are shown.
        self.assertEqual(len(re.findall(r"(?m)^>", text)), 2, text)
        rows = re.findall(r"(?m)^.*\d…\d+\.\d %", whole.partition("\n\n")[2])  # with an interval
        lines = [line for line in self.annotation("work")["lines"] if line["samples"] > 0]
        instructions = [line for line in self.annotation("work")["instructions"] if line["samples"] > 0]
        self.assertEqual(len(rows), len(lines) + len(instructions))

    def test_without_a_function_the_hottest_is_shown(self):
        samples = self.samples()
        self.assertEqual(self.annotation()["function"], max(samples, key=samples.get))

    @needs_kernel_counts
    def test_without_a_function_one_is_shown_whose_code_is_here(self):
        source, program, data = (self.directory / name for name in ("reader.cpp", "reader", "reader.data"))
        source.write_text(READER)
        subprocess.run(["c++", "-g", "-O1", "-o", program, source], check=True)
        self.tacho("record", "-q", "-e", "cpu-clock", "-o", data, "--", program)
        self.assertEqual(self.tacho("annotate", "-i", data, "--json").json()["function"], "own")

    def test_lines_fit_the_terminal(self):
        for options, fits in (((), True), (("--full-names",), False)):
            table = on_terminal("annotate", "-i", self.data, *options, "work").partition("\n\n")[2]
            widest = max(len(line) for line in table.splitlines() if not re.match(r" +/.*:$", line))
            self.assertEqual(widest <= 80, fits, table)

    def test_a_recording_can_be_named_as_perf_users_do(self):
        expected = self.tacho("report", "-i", self.data, "--json").json()["rows"]
        self.assertEqual(self.tacho("report", self.data, "--json").json()["rows"], expected)
        named = self.tacho("annotate", "work", self.data, "--json").json()
        self.assertEqual(named["samples"], self.annotation("work")["samples"])
        refused = self.tacho("annotate", self.data, code=125)
        self.assertIn(f"give 'tacho annotate -i {self.data} FUNCTION'", refused.stderr)

    def test_the_tree_agrees_with_the_totals(self):
        report = self.tacho("report", "-i", self.data, "--children", "--json").json()["rows"]
        totals = [row["total"] for row in report]
        self.assertEqual(totals, sorted(totals, reverse=True))
        tree = self.tacho("report", "-i", self.data, "--tree", "--json").json()
        self.assertEqual(sum(row["self_samples"] for row in tree["rows"]), tree["samples"])
        for row in tree["rows"]:
            below = [each["samples"] for each in tree["rows"] if each["caller"] is not None and tree["rows"][each["caller"]] is row]
            self.assertEqual(row["samples"], row["self_samples"] + sum(below), row)
        main, = [row for row in tree["rows"] if row["function"] == "main"]
        total, = [row["total"] for row in report if row["function"] == "main"]
        self.assertAlmostEqual(main["share"], total)
        text = self.tacho("report", "-i", self.data, "--tree").stdout
        self.assertRegex(text, r"(?m)^ .* main$")
        self.assertRegex(text, r"(?m)^ .*[→├└] .*work")
        refused = self.tacho("report", "-i", self.data, "--tree", "--csv", code=125)
        self.assertIn("give --json", refused.stderr)


if __name__ == "__main__":
    unittest.main()
