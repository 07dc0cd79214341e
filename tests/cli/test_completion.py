"""tacho completion: the scripts, in the shells themselves."""
import os
import pathlib
import re
import shutil
import subprocess
import unittest

from tacho_cli import SOURCE, TACHO, Scratch, run

# Makes the words that compadd would add lines of a file.
ZSH_CAPTURE = r"""
compadd() {
  if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then builtin compadd "$@"; return $?; fi
  local -a hits
  builtin compadd -A hits "$@"
  print -rl -- $IPREFIX$^hits >> $CAPTURE
  builtin compadd "$@"
}
"""


class Shells(Scratch):
    """Completes command lines whose last word is begun. Subclasses have `complete`, which returns words."""

    def setUp(self):
        super().setUp()
        for name in ("apple.data", "avocado.data"):
            (self.directory / name).touch()
        (self.directory / "folder").mkdir()
        self.environment = {**os.environ, "LC_ALL": "C.UTF-8", "HOME": str(self.directory),
                            "PATH": f"{TACHO.parent}:{os.environ['PATH']}"}

    def shell(self, *command, **options):
        done = subprocess.run(command, capture_output=True, text=True, cwd=self.directory, timeout=60,
                              env=self.environment, **{"stdin": subprocess.DEVNULL, **options})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr, "")
        return done.stdout

    def check(self):
        def complete(*words):
            return sorted(self.complete(*words))
        self.assertEqual(complete("st"), ["stat"])
        self.assertEqual(complete("re"), ["record", "regions", "report"])
        self.assertEqual(complete("stat", "--inter"), ["--interval", "--interval-count", "--interval-print"])
        self.assertEqual(complete("report", "--no-i"), ["--no-inline"])
        # Words that an option takes
        self.assertEqual(complete("record", "--call-graph", "d"), ["dwarf"])
        self.assertEqual(complete("stat", "--pmu", "har"), ["hardware"])
        self.assertEqual(complete("stat", "-S", "bra"), ["branch"])
        self.assertIn("simulated:skylake", complete("stat", "--pmu", "simulated:sk")[0])
        self.assertEqual(complete("report", "-s", "inst"), ["instruction"])
        self.assertEqual(complete("latency", "--pages", "hu"), ["huge"])
        self.assertEqual(complete("completion", "f"), ["fish"])
        self.assertEqual(complete("help", "exit"), ["exit-status"])
        self.assertEqual(complete("regions", "-p", "1", "rep"), ["report"])
        # Events
        self.assertIn("context-switches", complete("stat", "-e", "context-s"))
        self.assertIn("page-faults,context-switches", complete("stat", "--event", "page-faults,context-s"))
        # Files, folders, processes
        self.assertEqual(complete("report", "-i", "app"), ["apple.data"])
        self.assertEqual(complete("report", "app"), ["apple.data"])
        self.assertEqual([each.rstrip("/") for each in complete("report", "--symfs", "fol")], ["folder"])
        self.assertIn(str(os.getpid()), complete("stat", "-p", str(os.getpid())[:-1]))
        # The command, and its arguments
        self.assertIn("setsid", complete("stat", "-r", "3", "setsi"))
        self.assertIn("setsid", complete("stat", "--json", "--", "setsi"))
        self.assertEqual(complete("stat", "-o", "x", "--", "cat", "avo"), ["avocado.data"])
        # Options behind the command are not tacho's.
        self.assertNotIn("--interval-count", complete("stat", "cat", "--interval-c"))


@unittest.skipUnless(shutil.which("bash"), "bash is not installed")
class Bash(Shells):
    def complete(self, *words):
        # As bash splits them at = and :
        split = [part for word in ("tacho", *words) for part in re.split("([=:]+)", word) if part or word == ""]
        text = self.shell("bash", "--norc", "-c", self.load + 'COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); '
                          'COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}; _tacho; printf "%s\\n" "${COMPREPLY[@]}"', "bash", *split)
        # Bash replaces only the last part.
        return ["".join(split[1 + len(words) - 1:-1]) + line if len(split) > 1 + len(words) else line
                for line in text.splitlines() if line]

    def test_completes(self):
        self.load = "source <(tacho completion bash); "
        self.check()

    def test_the_installed_file_loads_it(self):
        self.load = f"source '{SOURCE}/packaging/completions/tacho.bash'; "
        self.assertEqual(self.complete("st"), ["stat"])

    def test_words_behind_an_equals_sign(self):
        self.load = "source <(tacho completion bash); "
        complete = self.shell("bash", "--norc", "-c", self.load + 'COMP_WORDS=(tacho stat --pmu = simulated : sk); COMP_CWORD=6; '
                              '_tacho; echo "${COMPREPLY[@]}"')
        self.assertEqual(complete, "skylake\n")

    @unittest.skipUnless(pathlib.Path("/usr/share/bash-completion/bash_completion").exists(),
                         "bash-completion is not installed, which loads the installed file")
    def test_bash_completion_finds_it_where_it_is_installed(self):
        place = self.directory / "share/bash-completion/completions"
        place.mkdir(parents=True)
        shutil.copy(SOURCE / "packaging/completions/tacho.bash", place / "tacho")
        self.environment["XDG_DATA_DIRS"] = f"{self.directory}/share"
        self.assertIn("_tacho", self.shell("bash", "--norc", "-c", "source /usr/share/bash-completion/bash_completion; "
                                           "_completion_loader tacho; complete -p tacho"))


@unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
class Zsh(Shells):
    fpath = ""

    def complete(self, *words):
        capture = self.directory / "capture"
        capture.write_text("")
        setup = self.directory / "setup.zsh"
        setup.write_text(self.fpath + "autoload -Uz compinit; compinit -u -d $HOME/dump\n" + self.load + ZSH_CAPTURE
                         + "show() { builtin compadd -U -- shown; }\nPS1=\n")
        driver = self.directory / "driver.zsh"
        driver.write_text("""zmodload zsh/zpty
export CAPTURE=$1
zpty z "zsh -f -i"
zpty -w z "source $2; echo rea''dy"
zpty -r z line '*ready*'
zpty -w -n z "$3"$'\\t'
repeat 40; do  # until it is quiet
  sleep 0.1
  size=$(wc -c < $CAPTURE)
  [[ $size -gt 0 && $size = $before ]] && break
  before=$size
done
zpty -d z
""")
        self.shell("zsh", "-f", str(driver), str(capture), str(setup), " ".join(("tacho", *words)))
        capture_lines = capture.read_text().splitlines()
        capture.unlink(), setup.unlink(), driver.unlink()
        return {line for line in capture_lines if line}

    def test_completes(self):
        self.load = "source <(tacho completion zsh)\n"
        self.check()

    def test_the_installed_file_loads_it(self):
        self.load, self.fpath = "", f"fpath=({SOURCE}/packaging/completions $fpath)\n"
        self.assertEqual(self.complete("st"), {"stat"})


@unittest.skipUnless(shutil.which("fish"), "fish is not installed")
class Fish(Shells):
    def complete(self, *words):
        text = self.shell("fish", "--no-config", "-c", self.load + f"; complete -C '{' '.join(('tacho', *words))}'")
        return [line.partition("\t")[0] for line in text.splitlines()]

    def test_completes(self):
        self.load = "tacho completion fish | source"
        self.check()

    def test_the_installed_file_loads_it(self):
        self.load = f"source '{SOURCE}/packaging/completions/tacho.fish'"
        self.assertEqual(self.complete("st"), ["stat"])

    def test_options_have_descriptions(self):
        text = self.shell("fish", "--no-config", "-c", "tacho completion fish | source; complete -C 'tacho stat --repe'")
        self.assertRegex(text, r"\A--repeat\tRun N times\n\Z")


class Scripts(unittest.TestCase):
    def test_a_script_for_each_shell(self):
        for shell in ("bash", "zsh", "fish"):
            result = run("completion", shell)
            self.assertEqual((result.code, result.stderr), (0, ""))
            self.assertIn("stat", result.stdout)
        self.assertIn("'tcsh' is none of bash, zsh, fish", run("completion", "tcsh").stderr)
        self.assertIn("SHELL", run("completion").stderr)


if __name__ == "__main__":
    unittest.main()
