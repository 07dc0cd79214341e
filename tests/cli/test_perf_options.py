"""Options of perf that tacho does not have: the error says what to use instead. `tacho help perf` prints the table."""
import functools
import re
import shutil
import subprocess
import unittest

from tacho_cli import run

NAME = r"--?[a-zA-Z][\w-]*"
PERFS_NAME = {"dump": "script"}
# Of other versions of perf than 6.1, or of builds with BPF.
OF_OTHER_VERSIONS = {
    "stat": {"--metric-no-threshold", "-b", "--uid", "-u", "--per-cache", "--per-cluster", "--bpf-counters"},
    "record": {"--mem-mode"},
    "report": {"--stdio2", "--gtk"},
    "annotate": {"--gtk"},
}


@functools.cache
def table():
    """(subcommand, option, what to use instead) of each name."""
    rows, subcommand, names = [], None, []
    for line in run("help", "perf", env={"COLUMNS": "80"}).stdout.splitlines():
        if heading := re.fullmatch(r"tacho (\w+)", line):
            subcommand, names = heading.group(1), []
        elif subcommand and (row := re.match(rf"  ((?:{NAME}(?:, |,$|(?= )|$))+) *(.*)", line)):
            if not (names and names[-1][-1].endswith(",")):
                names.append([])
            names[-1] += re.findall(NAME + ",?", row.group(1))
            rows.append([subcommand, names[-1], row.group(2)])
        elif subcommand and line.strip():
            rows[-1][2] += " " + line.strip()
    return [(subcommand, name.rstrip(","), " ".join(instead.split()))
            for subcommand, listed, instead in rows for name in listed]


@functools.cache
def options_of(subcommand):
    return set(re.findall(rf"(?<=[ ,]){NAME}", "\n".join(
        line[:30] for line in run(subcommand, "--help").stdout.splitlines() if re.match("  -", line))))


class PerfOptions(unittest.TestCase):
    def test_the_error_says_what_to_use(self):
        self.assertGreater(len(table()), 100)
        for subcommand, option, _ in table():
            with self.subTest(subcommand, option=option):
                result = run(subcommand, option)
                self.assertEqual((result.code, result.stdout), (125, ""))
                self.assertRegex(result.stderr, rf"\Atacho: error: tacho {subcommand} has no {option}\n"
                                                r"       remedy: \S.*\n\Z")

    def test_these_are_answered(self):
        for subcommand, words, part in (
                ("stat", ["-M", "TopdownL1"], "-S takes sets"), ("stat", ["--metrics=IPC"], "-S takes sets"),
                ("stat", ["-MIPC"], "-S takes sets"), ("stat", ["--topdown"], "-S stalls"), ("stat", ["-T"], "cpu/tx-start/"),
                ("stat", ["--transaction"], "cpu/tx-start/"), ("stat", ["--smi-cost"], "msr/smi/"),
                ("stat", ["--metric-only"], "--csv"), ("stat", ["--metric-no-group"], "-S FILE"),
                ("stat", ["--cputype", "core"], "cpu_core/cycles/"), ("stat", ["--iostat"], "uncore"),
                ("stat", ["--bpf-counters"], "leave it out"), ("stat", ["--filter", "x"], "perf stat"),
                ("stat", ["-u", "root"], "pgrep -d, -u USER"), ("stat", ["--append"], ">> FILE"),
                ("stat", ["--log-fd", "3"], "-o /dev/fd/N"), ("stat", ["--pre", "x"], "--prepare"),
                ("stat", ["--table"], "tacho compare"), ("stat", ["--summary"], "comes last"),
                ("stat", ["--hybrid-merge"], "each kind of core"), ("stat", ["--all-user"], ":u"),
                ("record", ["-d"], "perf record -d"),
                ("record", ["-j", "any"], "-b records"), ("record", ["-z"], "zstd"), ("report", ["--stdio"], "$PAGER"),
                ("report", ["-n"], "numbers of samples"), ("report", ["-F", "sym"], "--csv"), ("report", ["-g"], "--tree"),
                ("annotate", ["-s", "main"], "tacho annotate FUNCTION"), ("dump", ["-D"], "--raw")):
            with self.subTest(subcommand, words=words):
                self.assertIn(part, run(subcommand, *words, "true").stderr.partition("remedy: ")[2])

    def test_none_is_an_option_of_tacho(self):
        for subcommand, option, _ in table():
            self.assertNotIn(option, options_of(subcommand), subcommand)

    def test_remedies_name_options_that_exist(self):
        known = set().union(*map(options_of, ("stat", "record", "report", "annotate", "blocks", "dump", "compare")))
        for subcommand, option, instead in table():
            with self.subTest(subcommand, option=option):
                own = re.sub(r"'perf [^']*'|pgrep[^)]*|watch -n 1", "", instead)
                self.assertLessEqual(set(re.findall(rf"(?<![\w/]){NAME}", own)), known)

    @unittest.skipUnless(shutil.which("perf"), "perf is not installed, whose options are compared")
    def test_all_are_options_of_perf(self):
        for subcommand in {each for each, _, _ in table()}:
            done = subprocess.run(["perf", PERFS_NAME.get(subcommand, subcommand), "-h"], capture_output=True, text=True)
            perfs = set(re.findall(rf"(?<![\w-]){NAME}", "\n".join(
                line[:40] for line in (done.stdout + done.stderr).splitlines() if re.match(" +-", line))))
            self.assertIn("--input" if subcommand in ("report", "annotate", "dump") else "--event", perfs)
            mine = {option for each, option, _ in table() if each == subcommand} - OF_OTHER_VERSIONS.get(subcommand, set())
            self.assertEqual({option for option in mine - perfs
                              if option.replace("--no-", "--") not in perfs}, set(), subcommand)

    def test_subcommands(self):
        for word, part in (("script", "tacho dump"), ("diff", "--compare"), ("top", "tacho record -a")):
            result = run(word, "-i", "x")
            self.assertEqual(result.code, 125)
            self.assertIn(f"unknown subcommand '{word}'", result.stderr)
            self.assertIn(part, result.stderr)


if __name__ == "__main__":
    unittest.main()
