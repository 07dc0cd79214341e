"""Names in tacho report: functions that were inlined, split debug information, stripped files. The program is built here."""
import gzip
import json
import shutil
import subprocess
import unittest

from tacho_cli import Scratch, run

PROGRAM = """#include <cstdio>
#include <cstdlib>
struct Sum {
  double s = 0;
  __attribute__((always_inline)) inline void add(double x) { for (int i = 0; i < 400; i++) s += x / (i + 1.0); }
};
__attribute__((noinline)) static double work(int n) { Sum a; for (int i = 0; i < n; i++) a.add(i); return a.s; }
int main(int, char** v) { std::printf("%g\\n", work(std::atoi(v[1]))); }
"""


@unittest.skipUnless(shutil.which("c++"), "no compiler (c++) builds a program whose names are known")
class Symbols(Scratch):
    def build(self, *flags, compiler="c++"):
        self.directory.joinpath("q.cpp").write_text(PROGRAM)
        self.call(compiler, "-O2", *flags, "-o", "q", "q.cpp")

    def call(self, *command):
        subprocess.run(command, cwd=self.directory, check=True, capture_output=True)

    def record(self):
        done = run("record", "-q", "-e", "cpu-clock:u", "-F", "999", "-o", "q.data", "--", "./q", "400000", cwd=self.directory)
        self.assertEqual(done.code, 0, done.stderr)

    def report(self, *options):
        result = run("report", "-i", "q.data", *options, cwd=self.directory)
        self.assertEqual(result.code, 0, result.stderr)
        return result

    def samples(self, *options):
        rows = self.report("--json", *options).json()["rows"]
        return {row["function"]: row["samples"] for row in rows}

    def written(self, name):
        data = self.directory.joinpath(name).read_bytes()
        return gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data

    def test_inlined_functions_are_rows_and_frames_if_asked(self):
        self.build("-g")
        self.record()
        plain, inlined = self.samples(), self.samples("--inline")
        self.assertNotIn("Sum::add", plain)
        self.assertGreater(plain["work"], 20)
        self.assertEqual(inlined["Sum::add"] + inlined.get("work", 0), plain["work"])
        self.assertGreater(inlined["Sum::add"], inlined.get("work", 0))
        for viewer in ("--folded", "--speedscope", "--firefox", "--pprof"):
            self.report(viewer, "-o", "with")
            self.report(viewer, "--no-inline", "-o", "without")
            has, has_not = (self.written(name) for name in ("with", "without"))
            self.assertIn(b"Sum::add", has, viewer)
            self.assertNotIn(b"Sum::add", has_not, viewer)
        self.assertIn("work;Sum::add ", self.report("--folded").stdout)

    @unittest.skipUnless(shutil.which("clang++-19") and shutil.which("llvm-dwp-19"),
                         "no clang++-19 or no llvm-dwp-19: they make packages of debug information")
    def test_split_debug_information_is_read_from_its_package_or_said_to_be_missing(self):
        self.build("-gdwarf-5", "-gsplit-dwarf", compiler="clang++-19")
        self.call("llvm-dwp-19", "-e", "q", "-o", "q.dwp")
        self.record()
        for split in self.directory.glob("*.dwo"):
            split.unlink()
        result = self.report("--folded")
        self.assertIn("work;Sum::add ", result.stdout)
        self.assertNotIn(" q ", result.stderr)  # libraries may be named
        self.directory.joinpath("q.dwp").unlink()
        result = self.report("--folded")
        self.assertNotIn("Sum::add", result.stdout)
        self.assertIn("inlined functions of q are missing", result.stderr)
        self.assertIn("put q.dwp beside it", result.stderr)

    def test_a_stripped_program_says_so_once_and_how_to_get_names(self):
        self.build("-s")
        self.record()
        result = self.report()
        self.assertIn("q have no names, because it was stripped; install its debug symbols", result.stderr)
        self.assertIn("--debuginfod", result.stderr)
        self.assertEqual(result.stderr.count("stripped"), 1, result.stderr)
        warnings = json.loads(self.report("--json").stdout)["warnings"]
        self.assertEqual(len([each for each in warnings if "was stripped" in each]), 1)


if __name__ == "__main__":
    unittest.main()
