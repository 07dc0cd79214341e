"""`tacho compare`: verdicts, gates, how commands are given, and what goes wrong with them."""
import csv
import io
import math
import os
import pty
import re
import signal
import statistics
import threading
import time
import unittest

from tacho_cli import Scratch, example, finish, needs_simulator, run, start

SIMULATED = ("--pmu", "simulated:skylake", "-e", "instructions,cycles")  # its caches have no random replacement


class Compare(Scratch):
    def script(self, name, text):
        file = self.directory / name
        file.write_text(f"#!/bin/sh\n{text}\n")
        file.chmod(0o755)
        return file

    def document(self, *arguments, **options):
        result = run("compare", "--json", *arguments, **options)
        self.assertEqual(result.code, 0, result.stderr)
        return result.json()

    def change(self, document, metric, command="B"):
        found = [each for each in document["changes"]
                 if (each["metric"], each["command"], each["role"]) == (metric, command, "compared")]
        self.assertEqual(len(found), 1, f"{metric} of {command}")
        return found[0]


class Verdicts(Compare):
    def test_more_work_takes_more(self):
        result = run("compare", f"{example('naive')} 50", f"{example('naive')} 400")
        self.assertEqual((result.code, result.stderr), (0, ""))
        first = result.stdout.splitlines()[0]
        self.assertRegex(first, r"^B takes \d+(\.\d+)? times the CPU time of A \(\d")
        self.assertIn("naive 400", result.stdout)

    def test_json_has_all_runs_and_how_they_were_judged(self):
        document = self.document("-r", "12", "--control", "true", "true")
        self.assertEqual((document["pairs"], document["looks"], document["level"]), (12, [12], 0.05))
        runs = document["runs"]
        self.assertEqual(len(runs), 3 * 13, "a warm-up, and A twice")
        for block in range(13):
            self.assertEqual(sorted(r["member"] for r in runs if r["block"] == block), [0, 1, 2])
        orders = {tuple(r["member"] for r in runs if r["block"] == block) for block in range(13)}
        self.assertGreater(len(orders), 1, "the order is drawn anew")
        cpu = self.change(document, "CPU time")
        self.assertTrue(cpu["primary"])
        self.assertEqual(cpu["pairs"], 12)
        self.assertLessEqual(cpu["ci95"][0], cpu["change"])
        self.assertLessEqual(cpu["change"], cpu["ci95"][1])
        roles = [each["role"] for each in document["members"]]
        self.assertEqual(roles, ["compared", "compared", "control"])

    def test_the_change_is_that_of_the_pairs(self):
        """The estimate, computed here from the runs: the median of the averages of two log ratios."""
        document = self.document("-r", "11", f"{example('naive')} 60", f"{example('naive')} 80")
        column = [metric["name"] for metric in document["metrics"]].index("CPU time")
        values = {(r["member"], r["block"]): r["values"][column] for r in document["runs"]}
        ratios = [math.log(values[1, block] / values[0, block]) for block in range(1, 12)]
        averages = [(a + b) / 2 for i, a in enumerate(ratios) for b in ratios[:i + 1]]
        cpu = self.change(document, "CPU time")
        self.assertAlmostEqual(cpu["change"], math.expm1(statistics.median(averages)), places=9)
        # 11 pairs at 5 %: the 11th average from each end (Hollander and Wolfe, table A.4)
        averages.sort()
        self.assertAlmostEqual(cpu["ci95"][0], math.expm1(averages[10]), places=9)
        self.assertAlmostEqual(cpu["ci95"][1], math.expm1(averages[-11]), places=9)

    def test_three_commands_are_compared_with_the_first(self):
        document = self.document("-r", "8", "true", "true", f"{example('naive')} 150")
        self.assertEqual({each["command"] for each in document["changes"]}, {"B", "C"})
        self.assertEqual(self.change(document, "CPU time", "C")["verdict"], "more")

    def test_csv_and_markdown_have_a_row_for_each_metric(self):
        rows = list(csv.DictReader(io.StringIO(run("compare", "--csv", "-r", "6", "true", "true").stdout)))
        self.assertIn("CPU time", [row["metric"] for row in rows])
        text = run("compare", "--markdown", "-r", "8", "true", f"{example('naive')} 150").stdout
        self.assertRegex(text, r"^\*\*B takes .* the CPU time of A")
        table = [line for line in text.splitlines() if line.startswith("|")]
        self.assertEqual({line.count("|") for line in table}, {7})

    def test_a_run_that_is_not_timed_is_no_part_of_it(self):
        log = self.directory / "log"
        result = run("compare", "-r", "3", "--setup", f"echo setup >> {log}", "--prepare", f"B:echo prepare >> {log}",
                     "--cleanup", f"A:echo cleanup >> {log}", "--shell", f"echo A >> {log}", f"echo B >> {log}")
        self.assertEqual(result.code, 0, result.stderr)
        lines = log.read_text().split()
        self.assertEqual(lines[:2], ["setup", "setup"])
        self.assertEqual({word: lines.count(word) for word in set(lines)},
                         {"setup": 2, "prepare": 4, "cleanup": 4, "A": 4, "B": 4})
        for at, word in enumerate(lines):
            if word == "B":
                self.assertEqual(lines[at - 1], "prepare")
            if word == "A":
                self.assertEqual(lines[at + 1], "cleanup")

    def test_the_time_limit_ends_it(self):
        begun = time.monotonic()
        document = self.document("--time", "0.5", "--looks", "5,1000", "sleep 0.01", "sleep 0.01")
        self.assertLess(time.monotonic() - begun, 10)
        self.assertIn(document["stopped"], ("time", "decided"))
        self.assertLess(document["pairs"], 1000)


class Commands(Compare):
    def test_words_behind_two_dashes_need_no_quotes(self):
        log = self.directory / "log"
        show = self.script("show", f'for word; do echo "$word" >> {log}; done')
        result = run("compare", "-r", "1", "--", show, "a b", "$HOME", "---", show, "c")
        self.assertEqual(result.code, 0, result.stderr)
        self.assertEqual(sorted(set(log.read_text().splitlines())), ["$HOME", "a b", "c"])

    def test_options_may_follow_the_commands(self):
        self.assertEqual(self.document("true", "true", "-r", "2")["pairs"], 2)

    def test_environment_directory_and_input_of_one_command(self):
        file = self.directory / "input"
        file.write_text("from the file\n")
        log = self.directory / "log"
        result = run("compare", "-r", "1", "--shell", "--env", "TACHO_WHO=all", "--env", "B:TACHO_WHO=b", "--cwd",
                     f"B:{self.directory}", "--input", f"B:{file}", f"echo $TACHO_WHO $(cat) $PWD >> {log}",
                     f"echo $TACHO_WHO $(cat) $PWD >> {log}", cwd="/")
        self.assertEqual(result.code, 0, result.stderr)
        self.assertEqual(set(log.read_text().splitlines()), {"all /", f"b from the file {self.directory}"})

    def test_names_are_shown(self):
        result = run("compare", "-r", "6", "-n", "old", "-n", "new", "true", "true")
        self.assertRegex(result.stdout.splitlines()[0], r"\bold\b.*\bnew\b|\bnew\b.*\bold\b")

    def test_every_run_reads_its_input_from_the_start(self):
        file = self.directory / "input"
        file.write_text("x" * 1000)
        document = self.document("-r", "8", "--expect-output", "same", "--input", file, "cat", "cat")
        self.assertEqual({each["output_bytes"] for each in document["runs"]}, {1000})
        self.assertEqual(document["warnings"], [])

    def test_a_command_that_prints_something_else_is_reported(self):
        result = run("compare", "-r", "2", "--expect-output", "same", "echo a", "echo b")
        self.assertIn("B prints something else than A", " ".join(result.stdout.split()))

    def test_a_fixed_layout_puts_the_stack_at_one_place(self):
        commands = ('cut -d " " -f 28 /proc/self/stat', 'cut --delimiter=" " --fields=28 /proc/self/stat')  # startstack
        places = {}
        for layout in ("kernel", "fixed", "shuffled"):
            runs = self.document("-r", "3", "--layout", layout, *commands)["runs"]
            places[layout] = len({run["output_digest"] for run in runs if run["member"] < 2})
        self.assertEqual(places["fixed"], 1)
        self.assertGreater(places["shuffled"], 4)
        self.assertGreater(places["kernel"], 4)

    def test_the_share_of_the_layout_is_printed(self):
        document = self.document("-r", "12", "--layout", "shuffled", "true", "true")
        low, high = document["layout_share"]["ci95"]
        self.assertLessEqual(low, document["layout_share"]["value"])
        self.assertLessEqual(document["layout_share"]["value"], high)
        self.assertEqual(len(document["runs"]), 4 * 13)


class Baselines(Compare):
    def save(self, *commands):
        file = self.directory / f"saved{len(list(self.directory.iterdir()))}.json"
        result = run("compare", "-r", "10", "--save", file, *commands)
        self.assertEqual(result.code, 0, result.stderr)
        return file

    def test_a_saved_run_is_a_baseline(self):
        file = self.save("true", "true")
        result = run("compare", "--against", file, f"{example('naive')} 200")
        self.assertEqual(result.code, 0, result.stderr)
        self.assertRegex(result.stdout, r"^B takes [\d.]+ times the CPU time of A")
        self.assertIn("not side by side", " ".join(result.stdout.split()))

    def test_two_saved_files_are_compared_without_a_run(self):
        before, after = self.save("true", "true"), self.save(f"{example('naive')} 200", "true")
        result = run("compare", before, after)
        self.assertEqual(result.code, 0, result.stderr)
        self.assertRegex(result.stdout, r"^B takes [\d.]+ times the CPU time of A")

    @needs_simulator
    def test_a_baseline_of_another_pmu_has_nothing_to_compare(self):
        for first, then in (((), SIMULATED), (SIMULATED, ())):
            file = self.directory / "other.json"
            run("compare", *first, "-r", "2", "--save", file, "true", "true")
            result = run("compare", *then, "--against", file, "true")
            self.assertEqual(result.code, 0, result.stderr)
            self.assertRegex(" ".join(result.stdout.split()), "is not known.*was counted by")

    def test_a_full_disk_loses_no_verdict(self):
        result = run("compare", "-r", "6", "--save", "/dev/full", "true", "true")
        self.assertEqual(result.code, 125)
        self.assertIn("No space left", result.stderr)
        self.assertIn("CPU time", result.stdout)


@needs_simulator
class Simulated(Compare):
    def test_counts_that_are_alike_in_two_runs_are_exact(self):
        document = self.document(*SIMULATED, f"{example('naive')} 30", f"{example('naive')} 30")
        self.assertEqual(len(document["runs"]), 4)
        instructions = self.change(document, "instructions")
        self.assertEqual((instructions["change"], instructions["ci95"]), (0, [0, 0]))
        document = self.document(*SIMULATED, f"{example('naive')} 30", f"{example('interchange')} 30")
        counts = {run["member"]: run["values"][0] for run in document["runs"]}
        self.assertAlmostEqual(self.change(document, "instructions")["change"], counts[1] / counts[0] - 1, places=12)

    def test_several_runs_that_are_alike_are_exact_too(self):
        result = run("compare", *SIMULATED, "-r", "3", f"{example('naive')} 20", f"{example('naive')} 30")
        self.assertIn("(exactly)", result.stdout.splitlines()[0])

    def test_growth_is_that_of_the_work(self):
        sweep = (*SIMULATED, "--sweep", "n=60,80,100,120,140", f"{example('naive')} {{n}}")
        text = run("compare", *sweep).stdout
        exponent = float(re.search(r"instructions +n\^([\d.]+)", text)[1])
        self.assertTrue(1.8 < exponent < 3, text)  # n³ multiplications, and a start
        rows = {row["metric"]: row for row in csv.DictReader(io.StringIO(run("compare", "--csv", *sweep).stdout))}
        self.assertAlmostEqual(float(rows["instructions"]["exponent"]), exponent, delta=0.006)
        self.assertIn("Growth of cycles", run("compare", "--markdown", *sweep).stdout)

    def test_gates_pass_fail_and_stay_undecided(self):
        """A CI job: exact counts, so the status says what is true of the code and not of the machine."""
        old, new = f"{example('naive')} 30", f"{example('naive')} 32"
        self.assertEqual(run("compare", *SIMULATED, "--gate", "instructions<=+1%", old, old).code, 0)
        broken = run("compare", *SIMULATED, "--gate", "instructions<=+1%", old, new)
        self.assertEqual(broken.code, 1, broken.stdout)
        self.assertIn("instructions<=+1%: broken", broken.stdout)
        # Two pairs of native runs can't show a bound.
        undecided = run("compare", "-r", "2", "--gate", "cpu<=+1%", old, old)
        self.assertEqual(undecided.code, 2, undecided.stdout)
        self.assertIn("cpu<=+1%: undecided", undecided.stdout)


class Mistakes(Compare):
    def check(self, *arguments, says, code=125, **options):
        result = run("compare", *arguments, **options)
        self.assertEqual((result.code, result.stdout), (code, ""), result.stderr)
        self.assertIn(says, result.stderr)
        self.assertIn("remedy: ", result.stderr)
        self.assertLessEqual(result.stderr.count("\n"), 12)

    def test_bad_words_are_one_error_each(self):
        self.check("true", says="needs two commands")
        self.check(says="needs two commands")
        self.check("true", "", says="empty")
        self.check("true", "  ", says="empty")
        self.check("true", "a 'b", says="has no end")
        self.check("true", "a | b", says="for a shell")
        self.check("--", "true", "---", says="empty")
        self.check("--gate", "cpu", "true", "true", says="--gate 'cpu'")
        self.check("--gate", "nothing<=1%", "true", "true", says="no metric 'nothing'")
        self.check("--looks", "10,5", "true", "true", says="must increase")
        self.check("--precision", "x", "true", "true", says="--precision 'x'")
        self.check("--env", "B:x", "true", "true", says="is not NAME=VALUE")
        self.check("--looks", ",".join(map(str, range(1, 40))), "true", "true", says="too many")
        self.check("--against", "/dev/null", "--save", "x", "true", says="exclude each other")
        self.check("--gate", "cpu<=+-3%", "true", "true", says="not a number")
        self.check("saved.json", "true", says="is a saved file")
        self.check("-r", "5", "--looks", "5", "true", "true", says="exclude each other")
        self.check("--against", "/no/such/file", "true", says="/no/such/file")
        self.check("--cwd", "/no/such/directory", "true", "true", says="/no/such/directory", code=127)
        self.check("--input", "/no/such/file", "true", "true", says="/no/such/file")
        self.check("-o", "/no/such/directory/x", "true", "true", says="cannot write")

    def test_a_command_that_is_not_there(self):
        self.check("true", "no-such-command", says="command not found", code=127)
        self.check("true", self.directory, says="cannot run", code=126)

    def test_a_command_that_fails_shows_its_output(self):
        failing = self.script("failing", "echo to stdout; echo to stderr >&2; exit 3")
        self.check("true", failing, says="to stderr")
        self.check("true", failing, says="to stdout")
        self.check("true", failing, says="ended with status 3")
        killed = self.script("killed", "kill -9 $$")
        self.check("true", killed, says="killed by signal 9")
        result = run("compare", "-r", "2", "--ignore-failure", "true", failing)
        self.assertEqual(result.code, 0, result.stderr)
        self.assertIn("different statuses", " ".join(result.stdout.split()))
        self.check("--prepare", "exit 4", "true", "true", says="ended with status 4")

    def test_a_command_that_hangs_is_killed(self):
        hanging = self.script("hanging", "trap '' TERM INT; sleep 1000 & sleep 1000")
        begun = time.monotonic()
        self.check("--timeout", "0.3", "true", hanging, says="still ran after 0.3 s")
        self.assertLess(time.monotonic() - begun, 20)

    def test_a_shell_command_that_hangs_is_killed(self):
        self.check("--prepare", "sleep 1000", "--timeout", "0.3", "true", "true", says="still ran after 0.3 s")

    def test_a_fifo_is_no_input(self):
        os.mkfifo(self.directory / "fifo")
        self.check("--input", self.directory / "fifo", "cat", "cat", says="is a FIFO")

    def test_a_signal_before_the_first_pair_has_no_verdict(self):
        mark = self.directory / "mark"
        process = start("compare", "--setup", f"touch {mark}; sleep 1000", "true", "true")
        while not mark.exists():
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        result = finish(process)
        self.assertEqual(result.code, 143, result.stderr)
        self.assertIn("is not known", result.stdout)

    def test_a_gigabyte_of_output_is_taken(self):
        result = run("compare", "-r", "1", "--shell", "head -c 1000000000 /dev/zero", "true", timeout=120)
        self.assertEqual(result.code, 0, result.stderr)
        self.assertLess(len(result.stdout), 10_000)

    def test_a_daemon_that_keeps_the_output_open_does_not_hang_it(self):
        daemon = self.script("daemon", "sleep 1000 & exit 0")
        document = self.document("-r", "1", "true", daemon)
        self.assertEqual(document["pairs"], 1)

    def test_ctrl_c_gives_the_verdict_so_far(self):
        marks = self.directory / "marks"
        process = start("compare", "--shell", "--looks", "1000", f"echo >> {marks}", "true")
        while not marks.exists() or marks.stat().st_size < 5:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        result = finish(process)
        self.assertEqual(result.code, 130, result.stderr)
        self.assertRegex(" ".join(result.stdout.split()), r"a signal ended the comparison after \d+ of at most 1000")

    def test_a_terminal_shows_progress_and_keeps_the_output_clean(self):
        master, slave = pty.openpty()
        shown = []

        def read():
            while True:
                try:
                    data = os.read(master, 4096)
                except OSError:
                    return
                if not data:
                    return
                shown.append(data)

        reader = threading.Thread(target=read)
        reader.start()
        result = run("compare", "-r", "5", "true", "true", stderr=slave)
        os.close(slave)
        reader.join(10)
        os.close(master)
        self.assertEqual(result.code, 0)
        text = b"".join(shown).decode()
        self.assertIn("pair 5 of 5", text)
        self.assertNotIn("pair 5 of", result.stdout)


if __name__ == "__main__":
    unittest.main()
