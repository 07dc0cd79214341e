"""Text that was made to deceive: in no output may it act on a terminal, look like another line or run in a spreadsheet.
Every command that prints names from data runs over a recording in which all names are such. SECURITY.md has the promise."""
import csv
import gzip
import io
import json
import re
import unittest

from hostile_names import HostileNames, can_build, deceptive, is_deceptive
from tacho_cli import Scratch, run, workload

FORMULA = re.compile(r"[=+@-]")


def cells(text):
    return list(csv.reader(io.StringIO(text)))


@unittest.skipUnless(can_build(), "the program with hostile names is made on x86-64, with gcc and objcopy")
class Recordings(Scratch):
    def setUp(self):
        super().setUp()
        self.names = HostileNames(self.directory)

    def read(self, command, *args, recording=None, code=0):
        """Runs a command over the recording. Neither of its outputs may deceive."""
        result = run(command, *args, "-i", recording or self.names.recording, "--symfs", self.directory,
                     env={"COLUMNS": "80", "TERM": "dumb"})
        self.assertEqual(result.code, code, result.stderr)
        # perf's layout of samples has tabs.
        self.assertEqual(deceptive(result.stdout, "\n\t" if command == "dump" else "\n"), [], result.stdout)
        self.assertEqual(deceptive(result.stderr), [], result.stderr)
        return result

    def test_every_kind_of_text_report(self):
        self.assertIn("FORGED", self.read("report").stdout)
        for words in (["--sort", by] for by in ("module", "line", "instruction", "comm", "pid", "tid", "cpu")):
            self.read("report", *words)
        for words in (["--tree"], ["--children"], ["--comm", "x"], ["--no-inline", "--limit", "0"]):
            self.read("report", *words, code=125 if "x" in words else 0)
        self.read("report", "--compare", self.names.recording)
        self.read("annotate")
        self.read("annotate", "--all", "--full-names")
        # The listing of what would have been a function's name, and one that there is.
        self.read("annotate", "no-such-function", code=125)
        for view in ("--callers", "--callees"):
            self.read("report", view, self.names.FUNCTION, "--no-inline")
        for words in ([], ["--header"], ["--raw"], ["--raw", "--header"], ["--inline"], ["-F", "+srcline,+brstackinsn"]):
            result = run("dump", *words, "-i", self.names.recording, "--symfs", self.directory)
            self.assertEqual(deceptive(result.stdout, "\n\t") + deceptive(result.stderr), [], words)
        self.read("blocks", recording=self.names.branches)

    def test_rows_are_as_many_as_lines(self):
        rows = self.read("report", "--json", "--limit", "0").json()["rows"]
        self.assertEqual(len(cells(self.read("report", "--csv", "--limit", "0").stdout)), len(rows) + 1)
        self.assertEqual(self.read("report", "--csv").stdout.count("\n"), len(rows) + 1)
        folded = self.read("report", "--folded").stdout
        for line in folded.splitlines():
            self.assertRegex(line, r"\A[^;]+(;[^;]+)* \d+\Z")
        samples = self.read("dump", "-G").stdout
        self.assertEqual(len(samples.splitlines()), 40)
        self.assertEqual(len(self.read("dump", "--json").stdout.splitlines()), 40)

    def test_json_has_the_names_as_they_are_without_writing_them_so(self):
        """A parser gets each character of the name; bytes that are no UTF-8 are replaced."""
        rows = self.read("report", "--json").json()["rows"]
        self.assertIn(self.names.FUNCTION, [row["function"] for row in rows])
        path = self.names.program.name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
        self.assertIn(path.rstrip("\ufffd"), rows[0]["path"])
        for words in (["report", "--json"], ["report", "--firefox"], ["report", "--speedscope"], ["annotate", "--json"],
                      ["dump", "--json", "--header"], ["dump", "--json", "--raw"]):
            output = self.read(*words).stdout
            for document in output.splitlines() if words[0] == "dump" else [output]:
                json.loads(document)
        document = self.read("blocks", "--json", recording=self.names.branches).json()
        self.assertTrue(document["runs"])

    def test_cells_run_no_formula_in_a_spreadsheet(self):
        """Also where the semicolon separates cells."""
        for words in (["report", "--csv"], ["report", "--csv", "--sort", "comm"], ["report", "--csv", "--callers", self.names.FUNCTION],
                      ["blocks", "--csv"]):
            recording = self.names.branches if words[0] == "blocks" else None
            for row in cells(self.read(*words, recording=recording).stdout):
                for cell in row:
                    for part in cell.split(";"):
                        self.assertFalse(FORMULA.match(part) and not re.fullmatch(r"-?[\d.e+-]+", part), cell)
        self.assertIn(r"\x3dhot=1+1", self.read("report", "--csv").stdout)

    def test_pprof_has_no_such_text(self):
        self.assertEqual(run("report", "--pprof", "-o", self.directory / "p", "-i", self.names.recording, "--symfs",
                             self.directory).code, 0)
        bytes_of = gzip.decompress((self.directory / "p").read_bytes())
        for sequence in (b"\x1b[31m", b"\n" + b"tacho", "\u202e".encode(), "\u200b".encode(), "\u009b".encode()):
            self.assertNotIn(sequence, bytes_of)
        self.assertIn(br"\x1b[31m", bytes_of)


class Commands(Scratch):
    """Names that the user gives: files and commands that somebody else named."""
    def setUp(self):
        super().setUp()
        self.name = HostileNames.file_name("name")

    def check(self, *args, code=125, **options):
        result = run(*args, cwd=self.directory, **options)
        self.assertEqual(result.code, code, result.stderr)
        self.assertEqual(deceptive(result.stdout) + deceptive(result.stderr), [], result.stderr)
        return result

    def test_an_error_is_two_lines_whatever_it_quotes(self):
        for words in (["report", "-i", self.name], ["annotate", "-i", self.name], ["dump", "-i", self.name],
                      ["blocks", "-i", self.name], ["stat", "-S", f"./{self.name}", "true"], ["stat", "-e", self.name, "true"],
                      ["stat", "-o", f"gone/{self.name}", "true"], ["record", "-o", f"gone/{self.name}", "true"],
                      ["stat", f"--{self.name}"], ["stat", "--pmu", self.name, "true"], [self.name],
                      ["latency", "--model", f"./{self.name}"]):
            with self.subTest(words[0]):
                result = self.check(*words)
                self.assertRegex(result.stderr, r"\Atacho: error: .*\n( +remedy: .*\n)?\Z")
        self.check("stat", f"./{self.name}", code=127)
        self.check("list", self.name, code=1)

    def test_the_report_of_a_command_with_such_a_name(self):
        script = self.directory / self.name
        script.write_text("#!/bin/sh\n")
        script.chmod(0o755)
        text = self.check("stat", "-e", "task-clock", f"./{self.name}", code=0).stderr
        self.assertIn("FORGED", text)
        self.check("stat", "-e", "task-clock", "-o", f"{self.name}.txt", f"./{self.name}", code=0)
        for words in (["--csv"], ["--json"], ["--series", "s.json"], ["--series", "s.csv"], ["-I", "10"]):
            self.check("stat", "-e", "task-clock", *words, f"./{self.name}", code=0)
        self.check("stat", "--report", "rpistat", f"./{self.name}", code=0)
        for file in ("s.json", "s.csv", "rpistat.txt", "rpistat.data"):
            self.assertEqual(deceptive((self.directory / file).read_text()), [], file)
        self.check("record", "-o", f"{self.name}.data", f"./{self.name}", code=0)
        self.check("report", "-i", f"{self.name}.data", code=0)

    def test_regions(self):
        for words in ([], ["--csv"], ["--json"]):
            self.check("stat", "--regions", *words, "--", workload("regions"), "names", code=0)


class Tables(unittest.TestCase):
    def test_every_character_that_python_calls_invisible_is_spelled(self):
        """And no other: as the name of an event that there is not."""
        every = [chr(value) for value in range(1, 0x110000) if not 0xd800 <= value < 0xe000]
        invisible = [each for each in every if is_deceptive(each)]
        self.assertGreater(len(invisible), 200)
        result = run("list", "".join(invisible))
        self.assertEqual(deceptive(result.stdout + result.stderr), [])
        for each in invisible:
            spelled = f"\\x{ord(each):02x}" if ord(each) < 0x80 else f"\\u{ord(each):04x}"
            self.assertIn(spelled if ord(each) < 0x10000 else f"\\U{ord(each):08x}", result.stderr)
        visible = "größe 中文 😀 á naïve — ≥ \ufffc"
        self.assertIn(visible, run("list", visible).stderr)


if __name__ == "__main__":
    unittest.main()
