"""tacho help, -V, and errors about the words of a command line that say what was meant."""
import os
import re
import unittest

from tacho_cli import RPISTAT, SOURCE, Scratch, run

SUBCOMMANDS = ("stat", "record", "report", "annotate", "blocks", "dump", "compare", "latency", "regions", "list",
               "doctor", "help", "completion")
TOPICS = ("events", "intervals", "pmu", "environment", "files", "exit-status", "perf")


class Help(unittest.TestCase):
    def test_lists_subcommands_and_topics(self):
        for words in (["help"], ["--help"], ["-h"]):
            result = run(*words)
            self.assertEqual((result.code, result.stderr), (0, ""), words)
            for name in (*SUBCOMMANDS, *TOPICS):
                self.assertRegex(result.stdout, rf"(?m)^  {name} ", words)

    def test_of_a_subcommand_is_its_help(self):
        for name in SUBCOMMANDS:
            result = run("help", name)
            self.assertEqual((result.code, result.stderr), (0, ""), name)
            self.assertEqual(result.stdout, run(name, "--help").stdout, name)
            self.assertIn(f"Usage: tacho {name}", result.stdout)

    def test_of_a_topic_fits_the_terminal(self):
        for name in TOPICS:
            for columns in ("80", "120"):
                with self.subTest(name, columns=columns):
                    result = run("help", name, env={"COLUMNS": columns})
                    self.assertEqual((result.code, result.stderr), (0, ""))
                    self.assertGreater(len(result.stdout), 200)
                    self.assertLessEqual(max(map(len, result.stdout.splitlines())), int(columns))

    def test_of_something_else_suggests(self):
        for word, remedy in (("evnts", "did you mean 'events'?"), ("stta", "did you mean 'stat'"),
                             ("exit", "did you mean 'exit-status'?"), ("qwertyuiop", "'tacho help' lists them")):
            result = run("help", word)
            self.assertEqual((result.code, result.stdout), (125, ""))
            self.assertIn(f"no subcommand and no topic '{word}'", result.stderr)
            self.assertIn(f"remedy: {remedy}", result.stderr)

    def test_version_has_a_letter(self):
        self.assertEqual(run("-V").stdout, run("--version").stdout)
        self.assertRegex(run("-V").stdout, r"\Atacho \d")
        self.assertEqual(run("-V", program=RPISTAT).stdout, run("--version", program=RPISTAT).stdout)

    def test_environment_has_the_variables_of_the_man_page_that_users_set(self):
        page = (SOURCE / "docs/man/tacho.1").read_text()
        section = page[page.index(".SH ENVIRONMENT"):page.index(".SH FILES")]
        set_by_tacho = {"TACHO_REGIONS_FD", "TACHO_REGIONS_PATH", "TACHO_IN_REGION"}
        told = set(re.findall(r"TACHO_\w+", run("help", "environment").stdout))
        self.assertEqual(told, set(re.findall(r"TACHO_\w+", section)) - set_by_tacho)  # users may set TACHO_CONTROL, too

    def test_events_names_the_sets_that_there_are(self):
        told = run("help", "events", env={"COLUMNS": "120"}).stdout
        for path in (SOURCE / "data/sets").glob("*.toml"):
            self.assertRegex(told, rf"\b{path.stem}\b")


class Meant(Scratch):
    def check(self, words, code, *parts, **options):
        result = run(*words, cwd=self.directory, **options)
        self.assertEqual(result.code, code, result.stderr)
        for part in parts:
            self.assertIn(part, result.stderr)
        return result

    def test_options_before_the_subcommand(self):
        self.check(["-e", "task-clock", "stat", "--", "true"], 125, "'-e' stands before the subcommand 'stat'",
                   "put options behind it: tacho stat -e task-clock -- true\n")
        self.check(["--json", "report"], 125, "'--json' stands before the subcommand 'report'",
                   "tacho report --json\n")
        self.check(["-e", "x"], 125, "unknown option '-e' before a subcommand", "see 'tacho --help'")
        self.check(["--versoin"], 125, "unknown option '--versoin'", "did you mean '--version'?")

    def test_arguments_that_nothing_takes_are_told_in_their_order(self):
        self.check(["doctor", "first", "second"], 125, "unexpected argument 'first'")
        self.check(["doctor", "--first", "second"], 125, "unknown option '--first'")

    def test_options_of_a_group_are_suggested(self):
        self.check(["report", "--jsn"], 125, "did you mean '--json'")

    def test_a_recording_as_an_argument_is_the_input(self):
        (self.directory / "hot.data").write_text("no recording")
        for name in ("report", "dump", "blocks"):
            self.check([name, "hot.data"], 125, "hot.data")
            self.assertNotIn("unexpected", run(name, "hot.data", cwd=self.directory).stderr)

    def test_commands_of_the_shell(self):
        path = {"PATH": str(self.directory)}  # nothing is there
        self.check(["stat", "--", "cd", "/tmp"], 127, "'cd': command not found (ENOENT)",
                   "remedy: it is a command of the shell itself: sh -c 'cd /tmp'\n", env=path)
        self.check(["record", "--", "source", "a b"], 127,
                   "remedy: it is a command of the shell itself: bash -c 'source '\\''a b'\\'''\n", env=path)
        self.check(["stat", "--", "A=1", "./app"], 127, "remedy: to set a variable: env A=1 ./app\n")
        self.check(["stat", "--", "A=1 ./app"], 127, "remedy: for a command line: sh -c 'A=1 ./app'\n")
        self.check(["stat", "--", "ls -l | wc"], 127, "remedy: for a command line: sh -c 'ls -l | wc'\n")
        self.check(["stat", "--", "no-such-program -l"], 127, "remedy: check the spelling and PATH\n")

    def test_what_such_a_remedy_says_works(self):
        remedy = self.check(["stat", "--", "cd /tmp && pwd"], 127).stderr.partition("for a command line: ")[2]
        command = ["sh", "-c", f"exec {os.environ.get('TACHO', 'tacho')} stat -o /dev/null -- {remedy}"]
        result = run(*command[1:], program=command[0])
        self.assertEqual((result.code, result.stdout), (0, "/tmp\n"), result.stderr)

    def test_a_set_for_simulations(self):
        self.check(["stat", "--pmu", "software", "-S", "why", "--", "touch", "ran"], 125,
                   "the set 'why' is not available on this PMU: only a simulation has the event ",
                   "remedy: give --pmu simulated -S why\n")
        self.assertFalse((self.directory / "ran").exists())

    def test_options_behind_the_command_that_tacho_alone_takes(self):
        warned = "is an argument of"
        for words in (["true", "-e", "task-clock"], ["true", "-e", "cycles:u,faults"], ["true", "x", "--pmu", "software"],
                      ["true", "--event", "page-faults"]):
            result = self.check(["stat", "-o", "/dev/null", *words], 0, warned)
            self.assertIn(f"'{words[-2]} {words[-1]}' is an argument of 'true' here", result.stderr)
        # The command's own, as far as anybody can tell.
        for words in (["--", "true", "-e", "task-clock"], ["true", "-e", "main"], ["true", "-r", "3"], ["true", "--json"],
                      ["true", "-o", "cycles"], ["true", "--pmu", "other"], ["true", "grep", "-e", "cycles"],
                      ["true", "-e"]):
            self.assertNotIn(warned, self.check(["stat", "-o", "/dev/null", *words], 0).stderr, words)

    def test_headings_quote_the_command_as_a_shell_does(self):
        shown = "sh -c 'echo a b | cat' 'it'\\''s' '' x=1"
        words = ["sh", "-c", "echo a b | cat", "it's", "", "x=1"]
        self.check(["stat", "-e", "page-faults", "--", *words], 0, f" {shown}: ")
        self.check(["record", "-q", "--", *words], 0)
        heading = run("report", cwd=self.directory).stdout.partition(" machine ")[0]
        self.assertIn(f"record -q -- {shown}\n", re.sub(r"\n +", " ", heading))


if __name__ == "__main__":
    unittest.main()
