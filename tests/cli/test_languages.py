"""The examples in other languages, which use the C interface of the library."""
import os
import re
import shutil
import subprocess
import sys
import unittest

from tacho_cli import BUILD, SOURCE, Scratch, sanitized

EXAMPLES = SOURCE / "examples"
LIBRARIES = BUILD / "include"


def compiler(*names):
    """The first compiler that is installed and works: a wrapper may have no compiler behind it."""
    for name in names:
        if shutil.which(name) and subprocess.run([name, "--version"], capture_output=True).returncode == 0:
            return name
    return None


@unittest.skipIf(sanitized(), "a sanitizer's library goes into sanitized programs only")
@unittest.skipUnless((LIBRARIES / "libtacho.so.0").exists(), "tacho was built without its shared library")
class Languages(Scratch):
    def run_example(self, *command, **environment):
        clean = {name: value for name, value in os.environ.items() if not name.startswith("TACHO_REGIONS")}
        result = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=300, cwd=self.directory,
                                env=clean | {"LD_LIBRARY_PATH": str(LIBRARIES)} | environment)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result

    def assert_measures(self, *regions, command):
        printed = self.run_example(*command).stdout
        for region in regions:
            median = re.search(rf"(?m)^{region}: 100 executions, median (\d+) ticks$", printed)
            self.assertTrue(median, printed)
            self.assertGreater(int(median[1]), 1000)
        reported = self.run_example(*command, TACHO_REGIONS="text").stderr
        for region in regions:
            self.assertRegex(reported, rf"(?m)^ {region} +100  ticks ")

    def test_python(self):
        self.assert_measures("fill", "sort", command=[sys.executable, EXAMPLES / "regions.py"])

    def test_rust(self):
        rustc = compiler("rustc")
        if not rustc:
            self.skipTest("rustc is missing (apt install rustc)")
        self.run_example(rustc, "-O", "-D", "warnings", EXAMPLES / "regions.rs", "-L", LIBRARIES, "-o", "program")
        self.assert_measures("fill", "sort", command=[self.directory / "program"])

    def test_fortran(self):
        gfortran = compiler("gfortran")
        if not gfortran:
            self.skipTest("gfortran is missing (apt install gfortran)")
        self.run_example(gfortran, "-O2", "-Wall", "-Werror", EXAMPLES / "regions.f90", "-L", LIBRARIES, "-ltacho",
                         "-o", "program")
        self.assert_measures("fill", "total", command=[self.directory / "program"])

    def test_the_structs_of_the_examples_are_those_of_the_header(self):
        """Field by field, in the order of tacho.h."""
        header = (SOURCE / "include" / "tacho" / "tacho.h").read_text()
        for struct, names in (("tacho_region_figures", ("RegionFigures", "region_figures")),
                              ("tacho_quantity", ("Quantity", "quantity"))):
            body = re.search(rf"typedef struct {struct} {{(.*?)}} {struct};", header, re.DOTALL)[1]
            fields = re.findall(r"(\w+);", re.sub(r"/\*.*?\*/", "", body))
            python = re.search(rf"class {names[0]}\(.*?\n\n", (EXAMPLES / "regions.py").read_text(), re.DOTALL)[0]
            self.assertEqual(re.findall(r'\("(\w+)", ', python), fields)
            rust = re.search(rf"struct {names[0]} {{(.*?)}}", (EXAMPLES / "regions.rs").read_text(), re.DOTALL)[1]
            self.assertEqual(re.findall(r"(\w+): ", rust), fields)
            fortran = re.search(rf":: {names[1]}\n(.*?)end type", (EXAMPLES / "regions.f90").read_text(), re.DOTALL)[1]
            self.assertEqual(re.findall(r"\w+", " ".join(re.findall(r":: (.*)", fortran))), fields)


class ManualPage(unittest.TestCase):
    def test_its_functions_are_those_of_the_headers(self):
        page = re.sub(r"\\f[BIR]", "", (SOURCE / "docs" / "man" / "tacho.3").read_text())
        synopsis = page.partition(".SH SYNOPSIS")[2].partition(".SH DESCRIPTION")[0]
        header = (SOURCE / "include" / "tacho" / "tacho.h").read_text()

        def declared(text):
            return {re.sub(r"\s+", "", each) for each in re.findall(r"(?m)^\w[\w *]*\btacho_\w+\([^)]*\);", text)}

        listed = declared(synopsis)
        self.assertGreater(len(listed), 15)
        self.assertEqual(listed - declared(header), set())
        everything = "".join(file.read_text() for file in (SOURCE / "include" / "tacho").iterdir())
        for name in re.findall(r"\btacho::(?:\w+::)?(\w+)\(", synopsis):
            self.assertRegex(everything, rf"\b{name}\(")


if __name__ == "__main__":
    unittest.main()
