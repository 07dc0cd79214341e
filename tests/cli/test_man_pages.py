"""The man pages: each option of --help has its place, and the formatter has nothing to warn about."""
import re
import shutil
import subprocess
import unittest

from tacho_cli import RPISTAT, SOURCE, run
from test_help import SUBCOMMANDS

MAN = SOURCE / "docs" / "man"
NAME = r"--?[a-zA-Z][\w-]*"
SECTIONS = ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "EXAMPLES", "SEE ALSO"]


def options_of_help(text):
    names = set()
    for line in text.splitlines():
        if match := re.match(rf"  ({NAME}(?:,{NAME})*)", line):
            names.update(match.group(1).split(","))
    return names


def options_of_page(text):
    """Those in the lines below .TP of the section OPTIONS."""
    section = text[text.index("\n.SH OPTIONS\n"):].split("\n.SH ")[1]
    plain = re.sub(r"\\f[BIR]", "", section).replace("\\-", "-")
    tags = [line for before, line in zip(plain.splitlines(), plain.splitlines()[1:]) if before == ".TP"]
    return {name for tag in tags for name in re.findall(rf"(?<![\w./%=-]){NAME}", tag)}


class ManPages(unittest.TestCase):
    def test_each_option_is_in_both(self):
        for name in SUBCOMMANDS:
            with self.subTest(name):
                page = options_of_page((MAN / f"tacho-{name}.1").read_text())
                self.assertEqual(page, options_of_help(run(name, "--help").stdout))
        self.assertEqual(options_of_page((MAN / "tacho.1").read_text()), options_of_help(run("--help").stdout))
        self.assertEqual(options_of_page((MAN / "rpistat.1").read_text()),
                         options_of_help(run("--help", program=RPISTAT).stdout))

    def test_each_page_has_all_sections(self):
        for name in SUBCOMMANDS:
            sections = re.findall(r"(?m)^\.SH (.*)", (MAN / f"tacho-{name}.1").read_text())
            self.assertEqual(sections, SECTIONS, name)

    def test_the_overview_names_all_pages_and_topics(self):
        overview = (MAN / "tacho.1").read_text().replace("\\-", "-")
        for name in SUBCOMMANDS:
            self.assertEqual(overview.count(f".BR tacho-{name} (1)"), 2, name)
        readme = (SOURCE / "docs" / "README.md").read_text()
        for page in MAN.glob("*.1"):
            self.assertIn(f"(man/{page.name})", readme)

    def test_pages_that_pages_refer_to_exist(self):
        for page in MAN.glob("*.[13]"):
            for name, section in re.findall(r"\b((?:tacho|rpistat)[\w-]*)(?:\\fR)? ?\(([13])\)",
                                            page.read_text().replace("\\-", "-")):
                self.assertTrue((MAN / f"{name}.{section}").exists(), f"{page.name}: {name}({section})")

    def formatter(self):
        if shutil.which("man"):
            return ["man", "-l", "--warnings"]
        if shutil.which("groff"):
            return ["groff", "-man", "-Tutf8", "-ww"]
        if shutil.which("mandoc"):
            return ["mandoc", "-T", "lint", "-W", "warning"]
        self.skipTest("neither man-db, groff nor mandoc is installed")

    def test_the_formatter_warns_about_nothing(self):
        formatter = self.formatter()
        for page in sorted(MAN.iterdir()):
            done = subprocess.run([*formatter, page], capture_output=True, text=True, env={"MANWIDTH": "80", "LC_ALL": "C.UTF-8",
                                  "PATH": "/usr/bin:/bin", "MANROFFOPT": ""}, stdin=subprocess.DEVNULL)
            self.assertEqual((done.returncode, done.stderr), (0, ""), page)
            self.assertIn("SEE ALSO", done.stdout)


if __name__ == "__main__":
    unittest.main()
