"""`tacho record --wall` and `--off-cpu`, and their reports: the time that threads wait, for what and where.

The workload `waits` times each of its functions by the clock, and its first thread's CPU time. perf reads the
same recordings, and its switches give the same times.
"""
import collections
import json
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import time
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))

from tacho_cli import (  # noqa: E402
    TACHO, Scratch, finish, for_everyone, needs_kernel_counts, needs_mount, needs_simulator, run, sanitized, start, start_waiting,
    unwrapped, with_tracefs, workload)

NS = 1e9
# What each function waits for, as the report says it.
REASONS = {"naps": "sleep", "reads_pipe": "pipe", "polls": "poll", "locks": "lock", "awaits_child": "child",
           "receives": "network", "awaits_event": "message", "awaits_signal": "signal", "holds_file": "sleep"}
FEW_S = 0.003  # seconds that a busy machine takes between the clock of the workload and the switch


def report(file, *args):
    result = run("report", "-i", file, "--json", *args)
    assert result.code == 0, result.stderr
    return result.json()


def function(document, name):
    found = [row for row in document["functions"] if row["function"].rpartition("::")[2] == name]
    assert len(found) == 1, f"{name}: {[row['function'] for row in document['functions']]}"
    return found[0]


def off_cpu(document):
    return document["all"]["waiting_ns"] + document["all"]["ready_ns"]


@needs_kernel_counts
class Waits(Scratch):
    def record(self, *args, **options):
        file = str(self.directory / "perf.data")
        result = run("record", "-o", file, *args, timeout=60, **options)
        self.assertEqual(result.code, 0, result.stderr)
        return file, result

    def of_the_workload(self, *options):
        """The report of the workload, and the seconds that it says."""
        file, result = self.record(*options, "--", workload("waits"))
        said = {name: float(value) for name, value in (line.split() for line in result.stdout.splitlines())}
        return file, report(file, "--wall" if "--wall" in options else "--off-cpu"), said

    def test_each_function_has_its_time_by_the_clock(self):
        _, document, said = self.of_the_workload("--wall")
        for name in REASONS:
            row = function(document, name)
            off = (row["waiting_ns"] + row["ready_ns"]) / NS
            self.assertLess(off, said[name] + FEW_S, name)
            # What it did beside waiting was sampled: at most its interval and a period of each sampler.
            self.assertGreater(off + row["running_ci95"][1] / NS, 0.99 * said[name] - FEW_S, name)

    def test_each_function_says_what_it_waited_for(self):
        _, document, _ = self.of_the_workload("--off-cpu")
        for name, reason in REASONS.items():
            self.assertEqual(function(document, name)["reason"], reason, name)

    @unittest.skipUnless(os.uname().machine == "x86_64", "the waits of posix_spawn() have callers on x86-64 only")
    def test_a_wait_in_code_without_frame_information_has_its_callers(self):
        """glibc does not describe the frame of its system call in clone3(), where posix_spawn() waits."""
        _, document, _ = self.of_the_workload("--off-cpu")
        for place in document["places"]:
            # A new thread begins in it, too. It may lose its CPU there, before it has callers.
            if place["functions"][:1] == ["clone3"] and place["state"] == "waiting":
                self.assertIn("posix_spawn", place["functions"])
                self.assertIn("main", place["functions"])

    def test_the_longest_wait_of_a_thread_is_where_it_was(self):
        _, document, said = self.of_the_workload("--wall")
        first = document["threads"][0]
        longest = document["places"][first["longest"][0]["place"]]
        [there] = [name for name in REASONS if any(function.rpartition("::")[2] == name for function in longest["functions"])]
        took = first["longest"][0]["ns"] / NS
        self.assertGreater(took, 0.055)  # locks() waits for 60 ms, and others for less unless the machine is busy
        self.assertLess(took, said[there] + FEW_S)

    def test_the_states_of_a_thread_fill_its_life(self):
        _, document, said = self.of_the_workload("--wall")
        for thread in [*document["threads"], document["all"]]:
            parts = sum(thread[state] for state in ("running_ns", "ready_ns", "waiting_ns", "unknown_ns"))
            self.assertEqual(parts, thread["life_ns"])
            self.assertEqual(thread["unknown_ns"], 0)
        first = document["threads"][0]
        self.assertAlmostEqual(first["running_ns"] / NS, said["cpu"], delta=0.03 * said["cpu"] + FEW_S)
        self.assertEqual(len(document["threads"]), 7)  # the first, two more, and four children

    def test_places_and_reasons_have_the_whole_time_off_the_cpu(self):
        _, document, _ = self.of_the_workload("--off-cpu")
        for rows in ("places", "reasons"):
            self.assertAlmostEqual(sum(row["ns"] for row in document[rows]), off_cpu(document), delta=1000)
            for row in document[rows]:
                self.assertEqual(row["ci95"], [row["ns"], row["ns"]])  # each was counted

    @unittest.skipUnless(shutil.which("perf"), "needs perf (Debian: linux-perf)")
    def test_perf_reads_the_same_switches(self):
        file, document, _ = self.of_the_workload("--wall")
        done = subprocess.run(["perf", "script", "-i", file, "--show-switch-events", "--ns", "-F", "comm,tid,time"],
                              capture_output=True, text=True)
        out, seconds, states = {}, collections.Counter(), collections.Counter()
        for line in done.stdout.splitlines():
            match = re.search(r"(\d+)\s+(\d+\.\d+): *PERF_RECORD_SWITCH (OUT|IN)( +preempt)?", line)
            if not match:
                continue
            tid, at, way, preempted = match.groups()
            if way == "OUT":
                out[tid] = float(at), "ready_ns" if preempted else "waiting_ns"
            elif tid in out:
                begin, state = out.pop(tid)
                seconds[tid] += float(at) - begin
                states[tid, state] += float(at) - begin
        self.assertGreater(len(seconds), 3)
        for thread in document["threads"]:
            tid = str(thread["tid"])
            # Where wake-ups are recorded, the end of a wait is ready time.
            self.assertGreater(states[tid, "waiting_ns"] + 1e-5, thread["waiting_ns"] / NS)
            off = states[tid, "waiting_ns"] + states[tid, "ready_ns"]
            self.assertLess(off, (thread["waiting_ns"] + thread["ready_ns"]) / NS + 1e-5)
            self.assertGreater(off, thread["waiting_ns"] / NS - 1e-5)

    def test_viewers_get_the_time_off_the_cpu(self):
        file, document, _ = self.of_the_workload("--wall")
        folded = run("report", "-i", file, "--off-cpu", "--folded")
        self.assertEqual(folded.code, 0, folded.stderr)
        weights = [int(line.rpartition(" ")[2]) for line in folded.stdout.splitlines()]
        self.assertEqual(sum(weights), off_cpu(document))
        both = run("report", "-i", file, "--wall", "--folded")
        weights = [int(line.rpartition(" ")[2]) for line in both.stdout.splitlines()]
        self.assertAlmostEqual(sum(weights) / NS, document["all"]["life_ns"] / NS, delta=0.05)
        callers = run("report", "-i", file, "--wall", "--callers", "clock_nanosleep", "--json").json()["callers"]
        self.assertGreater(len(callers), 0)
        for row in callers:  # these times were counted: only running time that no sample shows is left
            self.assertLess(row["ci95"][1] - row["ci95"][0], 0.1)
        tree = run("report", "-i", file, "--off-cpu", "--tree")
        self.assertRegex(tree.stdout, "naps")
        # The text has times: the whole, and of a function the sum of its places.
        whole = re.search(r"Calls in ([\d.]+) s of off-cpu", tree.stdout)
        self.assertAlmostEqual(float(whole[1]), off_cpu(document) / NS, delta=0.01)
        naps = re.search(r"^ +([\d.]+) s .*naps$", tree.stdout, re.M)
        row = function(document, "naps")
        self.assertAlmostEqual(float(naps[1]), (row["waiting_ns"] + row["ready_ns"]) / NS, delta=0.001)
        text = unwrapped(run("report", "-i", file, "--off-cpu", "--callers", "clock_nanosleep").stdout)
        self.assertRegex(text, r"samples of [\d.]+ s have it in their call chains")

    def test_a_state_is_an_event_of_its_own(self):
        file, document, _ = self.of_the_workload("--wall")
        found = run("report", "-i", file, "--wall", "--sort", "function", "--json").json()
        events = {event["name"]: event for event in found["events"]}
        self.assertEqual(events["wall-clock"]["sum_of"], ["waiting", "ready", "running"])
        for state in ("waiting", "ready"):
            self.assertEqual(events[state]["count"], document["all"][f"{state}_ns"])
        # The waits were counted, so only running time makes the shares uncertain.
        share = found["rows"][0]
        self.assertEqual(share["function"], "schedule")
        uncertain = document["all"]["running_ns"] / document["all"]["life_ns"]
        self.assertLess(share["ci95"][1] - share["ci95"][0], 0.7 * uncertain)
        waiting = run("report", "-i", file, "--off-cpu", "-e", "waiting", "--folded")
        weights = [int(line.rpartition(" ")[2]) for line in waiting.stdout.splitlines()]
        self.assertEqual(sum(weights), document["all"]["waiting_ns"])

    def test_waits_before_an_exec_are_in_the_program_before_it(self):
        program = "import os, time; time.sleep(0.05); os.execvp('sleep', ['sleep', '0.05'])"
        file, _ = self.record("--off-cpu", "--", sys.executable, "-c", program)
        sleeps = [row for row in report(file, "--off-cpu")["places"] if row["reason"] == "sleep"]
        self.assertEqual(len(sleeps), 2)
        for row in sleeps:
            self.assertAlmostEqual(row["ns"] / NS, 0.05, delta=FEW_S)
        self.assertEqual(sorted(any("python" in name for name in row["functions"]) for row in sleeps), [False, True])

    def test_viewers_over_time_show_what_threads_did(self):
        """Firefox colours samples by their category; speedscope's outermost frames are the states."""
        file, document, _ = self.of_the_workload("--wall")
        firefox = run("report", "-i", file, "--wall", "--firefox").json()
        names = [category["name"] for category in firefox["meta"]["categories"]]
        self.assertEqual(names, ["Other", "waiting", "ready", "running"])
        weights = collections.Counter()
        for thread in firefox["threads"]:
            samples, stacks = thread["samples"], thread["stackTable"]
            self.assertEqual(samples["weightType"], "tracing-ms")  # each wait weighs as much as its time
            self.assertEqual(sorted(samples["time"]), samples["time"])
            for stack, weight in zip(samples["stack"], samples["weight"]):
                weights[names[stacks["category"][stack]]] += weight
        for state in ("waiting", "ready"):
            self.assertAlmostEqual(weights[state], document["all"][f"{state}_ns"] / 1e6, delta=0.01)
        self.assertEqual(weights["Other"], 0)
        # The longest wait is between two samples of its category, of which only the first has a weight.
        longest = max(document["threads"], key=lambda thread: thread["longest"][0]["ns"])
        thread = next(each for each in firefox["threads"] if each["tid"] == longest["tid"])
        heaviest = max(range(len(thread["samples"]["time"])), key=lambda i: thread["samples"]["weight"][i])
        begin, end = thread["samples"]["time"][heaviest:heaviest + 2]
        self.assertAlmostEqual(end - begin, longest["longest"][0]["ns"] / 1e6, delta=0.01)
        self.assertEqual(thread["samples"]["weight"][heaviest + 1], 0)

        speedscope = run("report", "-i", file, "--wall", "--speedscope").json()
        frames = [frame["name"] for frame in speedscope["shared"]["frames"]]
        profile = next(each for each in speedscope["profiles"] if f"({longest['tid']}) over time" in each["name"])
        states = collections.Counter()
        for sample, weight in zip(profile["samples"], profile["weights"]):
            states[frames[sample[0]]] += weight
        self.assertEqual(states["waiting"], longest["waiting_ns"])
        self.assertEqual(states["ready"], longest["ready_ns"])
        self.assertEqual(profile["endValue"], sum(states.values()))

    def test_a_process_that_only_waits_is_shown(self):
        sleeper = subprocess.Popen(["sleep", "30"])
        self.addCleanup(sleeper.kill)
        time.sleep(0.3)
        file, _ = self.record("--off-cpu", "-p", str(sleeper.pid), "--", "sleep", "0.5")
        document = report(file, "--off-cpu")
        self.assertEqual([thread["tid"] for thread in document["threads"]], [sleeper.pid])
        self.assertAlmostEqual(document["all"]["waiting_ns"] / NS, 0.5, delta=0.2)

    def hanging(self, *before, program=None, arguments=(), threads=6):
        """The process number of `hangs` or another program, when all its threads wait."""
        return start_waiting(self, *before, program or workload("hangs"), *arguments, threads=threads)

    def test_waits_that_began_before_the_recording_have_their_place(self):
        pid = self.hanging()
        file, result = self.record("--off-cpu", "-p", str(pid), "--", "sleep", "0.7")
        self.assertIn("the state of 6 threads at the start", result.stderr)
        document = report(file, "--off-cpu")
        [life] = {thread["life_ns"] for thread in document["threads"]}
        for name, reason in (("awaits_lock", "lock"), ("awaits_condition", "condition"), ("reads_pipe", "pipe"),
                             ("sleeps", "sleep"), ("main", "join")):
            row = function(document, name)
            self.assertEqual(row["waiting_ns"], life, name)
            self.assertEqual(row["reason"], reason, name)
        # This one began before, and another followed: both have their place.
        naps = next(thread for thread in document["threads"] if thread["running_ns"] > 0)
        self.assertEqual(function(document, "naps")["waiting_ns"], naps["waiting_ns"])
        self.assertNotIn("unknown", {row["reason"] for row in document["reasons"]})
        self.assertEqual(document["warnings"], [])

    @unittest.skipUnless(platform.machine() == "x86_64" and shutil.which("gcc"), "frame pointers are found on x86-64; needs gcc")
    def test_waits_before_the_recording_in_code_with_frame_pointers_have_their_callers(self):
        """Each of the threads waits in a function of the library whose frame pointer no other function saves."""
        (self.directory / "library.c").write_text("""
            #define _GNU_SOURCE
            #include <signal.h>
            #include <unistd.h>
            #include <sys/syscall.h>
            long waits_inside(void) { volatile char room[200] = {0}; return syscall(SYS_pause) + room[7]; }
            """)
        (self.directory / "program.c").write_text("""
            #include <pthread.h>
            extern long waits_inside(void);
            long (*volatile pointer)(void) = waits_inside;
            #define THREAD(name, call) \
              __attribute__((noinline)) long calls_##name(void) { return call() + 1; } \
              void *name(void *unused) { return (void *)(calls_##name() + (long)unused); }
            THREAD(by_name, waits_inside)
            THREAD(by_pointer, pointer)
            int main(void) {
              pthread_t first, second;
              pthread_create(&first, 0, by_name, 0);
              pthread_create(&second, 0, by_pointer, 0);
              pthread_join(first, 0);
              pthread_join(second, 0);
            }
            """)
        framed = ["gcc", "-O1", "-fno-omit-frame-pointer", "-fno-optimize-sibling-calls", "-fPIC"]
        stubs = {"plt": [], "endbr": ["-fcf-protection=full", "-Wl,-z,ibtplt"], "got": ["-fno-plt"], "static": []}
        for kind, flags in stubs.items():
            with self.subTest(kind):
                library, program = self.directory / f"lib{kind}.so", self.directory / kind
                if kind == "static":
                    subprocess.run([*framed, "-o", program, self.directory / "program.c", self.directory / "library.c",
                                    "-pthread"], check=True)
                    subprocess.run(["strip", program], check=True)
                else:
                    subprocess.run([*framed, "-shared", "-o", library, self.directory / "library.c"], check=True)
                    subprocess.run([*framed, *flags, "-o", program, self.directory / "program.c", library, "-pthread",
                                    f"-Wl,-rpath,{self.directory}"], check=True)
                pid = self.hanging(program=str(program), threads=3)
                file, _ = self.record("--off-cpu", "-p", str(pid), "--", "sleep", "0.1")
                document = report(file, "--off-cpu")
                if kind == "static":  # it has no names, but its call chain is whole: start_thread and clone are there
                    whole = [row for row in document["places"] if row["reason"] == "signal" and len(row["functions"]) > 3]
                    self.assertEqual(len(whole), 1, document["places"])
                else:
                    self.assertGreater(function(document, "calls_by_name")["waiting_ns"], 0)
                    self.assertGreater(function(document, "by_name")["waiting_ns"], 0)
                    self.assertNotIn("calls_by_pointer", {row["function"] for row in document["functions"]})
                    self.assertIn("1 of 3 call chains were cut", "".join(document["warnings"]))

    @unittest.skipUnless(platform.machine() == "x86_64" and shutil.which("gcc"), "frame pointers are found on x86-64; needs gcc")
    def test_a_caller_that_is_not_certain_is_left_out(self):
        """Calls that are over, through pointers, and of wrappers: the chain is the true one, or it is cut and says so."""
        truths = {
            "recursion": (["waits", "calls", "waits", "calls", "waits", "main"], """
                long (*volatile pointer)(int);
                __attribute__((noinline)) long calls(int n) { return pointer(n) + 1; }
                long waits(int n) { volatile char room[200] = {0}; return n ? calls(n - 1) : WAIT + room[7]; }
                int main(void) { pointer = waits; return waits(2); }
                """),
            "over": (["waits", "right", "main"], """
                long (*volatile pointer)(int);
                __attribute__((noinline)) long waits(int n) {
                  volatile char room[600];
                  if (n == 0) return room[7];
                  return WAIT + room[7];
                }
                __attribute__((noinline)) long wrong(int n) { volatile char room[64]; return waits(n) + room[3]; }
                __attribute__((noinline)) long deep(int n) { volatile char room[300]; return wrong(n) + room[3]; }
                __attribute__((noinline)) long right(int n) { return pointer(n) + 1; }
                int main(void) { pointer = waits; return deep(0) + right(1); }
                """),
            "tail": (["waits", "step", "waits", "main"], """
                long waits(int n);
                __attribute__((noinline)) long hop(int n) { return waits(n); }
                __attribute__((noinline)) long step(int n) { return hop(n) + 1; }
                __attribute__((noinline)) long waits(int n) {
                  volatile char room[64] = {0};
                  return n ? step(n - 1) + 1 : WAIT + room[7];
                }
                int main(void) { return waits(1) + 1; }
                """),
            "direct": (["waits", "waits", "waits", "main"], """
                __attribute__((noinline)) long waits(int n) {
                  volatile char room[64] = {0};
                  return n ? waits(n - 1) + room[7] : WAIT + room[7];
                }
                int main(void) { return waits(2) + 1; }
                """),
        }
        whole = set()
        for name, (truth, text) in truths.items():
            for flags in (["-O0"], ["-O2", "-fno-omit-frame-pointer", "-fno-ipa-cp"]):
                with self.subTest(name, flags=flags):
                    source, program = self.directory / f"{name}.c", self.directory / f"{name}{flags[0]}"
                    source.write_text("#define _GNU_SOURCE\n#include <unistd.h>\n#include <sys/syscall.h>\n"
                                      "#define WAIT syscall(SYS_pause)\n" + text)
                    subprocess.run(["gcc", *flags, "-o", program, source], check=True)
                    pid = self.hanging(program=str(program), threads=1)
                    file, _ = self.record("--off-cpu", "-p", str(pid), "--", "sleep", "0.1")
                    document = report(file, "--off-cpu")
                    [place] = document["places"]
                    # GCC may make "calls", "right" and "hop" jumps.
                    chain = [each for each in place["functions"] if each in set(truth) | {"wrong", "deep"}]
                    jumps = {"calls", "right", "hop", "step"} if flags[0] == "-O2" else {"hop"}
                    shown = [each for each in chain if each not in jumps]
                    known = [each for each in truth if each not in jumps]
                    self.assertEqual(shown, known[:len(shown)], place["functions"])
                    is_whole = len(shown) == len(known)
                    self.assertEqual(is_whole, not any("were cut" in each for each in document["warnings"]))
                    self.assertEqual(is_whole, not place["cut"])
                    if is_whole:
                        whole.add(name)
        self.assertIn("direct", whole)

    def test_a_stack_for_which_a_record_has_no_room_is_cut(self):
        pid = self.hanging(arguments=["deep"])
        file, _ = self.record("--off-cpu", "--call-graph", "dwarf,65528", "-p", str(pid), "--", "sleep", "0.1")
        document = report(file, "--off-cpu")
        self.assertEqual(len(document["threads"]), 6)
        for name in ("waits_deep", "reads_pipe", "naps"):
            self.assertGreater(function(document, name)["waiting_ns"], 0)
        self.assertFalse([warning for warning in document["warnings"] if "damaged" in warning])

    def test_a_chosen_thread_is_alone(self):
        pid = self.hanging()
        tid = max(int(task.name) for task in pathlib.Path(f"/proc/{pid}/task").iterdir())
        file, result = self.record("--off-cpu", "-t", str(tid), "--", "sleep", "0.2")
        self.assertIn("the state of 1 thread at the start", result.stderr)
        document = report(file, "--off-cpu")
        self.assertEqual([thread["tid"] for thread in document["threads"]], [tid])
        self.assertGreater(function(document, "naps")["waiting_ns"], 0)

    def test_what_was_attached_to_is_named(self):
        pid = self.hanging()
        for targets, name in ((("-p", str(pid)), f"hangs (pid {pid})"), (("-C", "0"), "CPU 0"), (("-a",), "all CPUs")):
            file, _ = self.record("--off-cpu", *targets, "--", "sleep", "0.1")
            self.assertIn(f" target    {name}\n", run("report", "-i", file, "--off-cpu").stdout)
        self.assertNotIn("target", run("report", "-i", self.record("--off-cpu", "--", "true")[0], "--off-cpu").stdout)

    def test_idle_time_of_cpus_is_not_the_recorders_work(self):
        file, _ = self.record("--wall", "-C", "0", "--", "sleep", "0.3")
        self.assertIsNone(report(file, "--wall")["recorder_ns"])

    def test_cut_call_chains_of_waits_are_told_beside_many_samples_of_running_time(self):
        program = "import time; time.sleep(0.1); sum(range(5_000_000))"
        file, _ = self.record("--wall", "--call-graph", "dwarf,64", "-F", "4000", "--", sys.executable, "-c", program)
        document = report(file, "--wall")
        [warning] = [each for each in document["warnings"] if "call chains were cut" in each]
        self.assertIn(" ← [cut]\n", run("report", "-i", file, "--wall").stdout)
        self.assertGreater(int(warning.split(" of ")[1].split(" ")[0].replace(",", "")), document["running_samples"])

    def test_a_program_that_hangs_is_seen_in_a_stream_and_after_a_kill(self):
        pid = self.hanging()
        recorder = subprocess.Popen([TACHO, "record", "-q", "--off-cpu", "-o", "-", "-p", str(pid), "--", "sleep", "0.3"],
                                    stdout=subprocess.PIPE)
        streamed = subprocess.run([TACHO, "report", "-i", "-", "--off-cpu", "--json"], stdin=recorder.stdout,
                                  capture_output=True, text=True, check=True)
        recorder.stdout.close()
        self.assertEqual(recorder.wait(), 0)
        document = json.loads(streamed.stdout)
        self.assertAlmostEqual(function(document, "reads_pipe")["waiting_ns"] / NS, 0.3, delta=0.2)

        file = self.directory / "killed.data"
        killed = subprocess.Popen([TACHO, "record", "-q", "--off-cpu", "-o", file, "-p", str(pid)])
        self.addCleanup(killed.kill)
        for _ in range(200):
            time.sleep(0.05)
            if file.exists() and file.stat().st_size > 20000:  # it has the stacks
                break
        killed.kill()
        killed.wait()
        names = {row["function"].rpartition("::")[2] for row in report(file, "--off-cpu")["functions"]}
        self.assertLessEqual({"awaits_lock", "awaits_condition", "reads_pipe", "sleeps"}, names)

    def test_a_program_that_runs_all_the_time_does_not_wait(self):
        """Nor does it while others have the CPUs."""
        spinners = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2 * os.cpu_count())]
        for spinner in spinners:
            self.addCleanup(spinner.kill)
        time.sleep(0.3)
        for _ in range(5):
            file, _ = self.record("--off-cpu", "-p", str(spinners[0].pid), "--", "sleep", "0.02")
            [thread] = report(file, "--off-cpu")["threads"]
            self.assertEqual(thread["waiting_ns"], 0)
            self.assertEqual(thread["running_ns"] + thread["ready_ns"], thread["life_ns"])

    def test_on_some_cpus_nobody_knows_where_threads_waited_before(self):
        self.hanging()
        _, result = self.record("--off-cpu", "-C", "0", "--", "sleep", "0.1")
        self.assertNotIn("at the start", result.stderr)

    @unittest.skipUnless(shutil.which("perf"), "perf is not installed")
    def test_perf_reads_where_the_threads_waited(self):
        pid = self.hanging()
        file, _ = self.record("--off-cpu", "-p", str(pid), "--", "sleep", "0.1")
        read = subprocess.run(["perf", "script", "-i", file, "-F", "tid,event,ip,sym"], capture_output=True, text=True, check=True)
        with_chains = "".join(line for line in read.stdout.splitlines(True) if "call-graph=no" not in line)
        samples = [each for each in with_chains.split("\n\n") if "dummy" in each.partition("\n")[0]]
        self.assertEqual(len({each.split()[0] for each in samples}), 6)
        for name in ("awaits_condition", "reads_pipe", "sleeps"):
            self.assertEqual(sum(name in each for each in samples), 1, read.stdout)

    def test_a_recording_of_waits_alone_has_no_samples_to_show(self):
        for what in ("-p", str(self.hanging()), "--", "sleep", "0.01"), ("--", "sleep", "0.01"):
            file, _ = self.record("--off-cpu", *what)
            refused = run("report", "-i", file)
            self.assertEqual(refused.code, 125)
            self.assertIn("--off-cpu", refused.stderr)

    def test_a_report_without_waits_says_that_there_are_some(self):
        """More switches than samples of the clock: the clock is shown all the same."""
        file, _ = self.record("--wall", "-F", "200", "--", workload("hands_over"), "6000")
        self.assertRegex(run("report", "-i", file).stdout, r"\n waits +recorded, too: --wall and --off-cpu show them\n")
        self.assertEqual([event["name"] for event in report(file)["events"]], ["cpu-clock"])
        chosen = report(file, "-e", "context-switches")
        self.assertEqual({event["name"] for event in chosen["events"]}, {"cpu-clock", "context-switches"})

    def test_every_cpu_has_the_waits_of_other_processes(self):
        sleeper = subprocess.Popen([sys.executable, "-c", "import time\nwhile True: time.sleep(0.02)"])
        self.addCleanup(sleeper.kill)
        time.sleep(0.3)
        file, _ = self.record("--wall", "-a", "--", "sleep", "0.5")
        threads = [thread for thread in report(file, "--wall")["threads"] if thread["tid"] == sleeper.pid]
        self.assertEqual(len(threads), 1)
        self.assertGreater(threads[0]["waiting_ns"] / NS, 0.3)

    def test_many_switches_are_sampled_and_the_report_has_intervals(self):
        """Two processes hand a byte to and fro. Each function says how long it had no CPU."""
        file, result = self.record("--off-cpu", "--", workload("hands_over"), "60000")
        self.assertIn("only some switches were sampled", unwrapped(result.stderr))
        document = report(file, "--off-cpu")
        said = {name: float(value) for name, value in (line.split() for line in result.stdout.splitlines())}
        del said["took"]
        self.assertAlmostEqual(sum(row["ns"] for row in document["reasons"]), off_cpu(document),
                               delta=0.001 * off_cpu(document))
        # Both switch 60,000 times, and now and then for another program.
        self.assertAlmostEqual(sum(row["times"] for row in document["reasons"]), 120_000, delta=6_000)
        # Each switch takes longer while it is recorded, in both functions alike: so the time of both is divided as they
        # say. The bound is thrice the interval, which is wide where single waits are long.
        rows = {name: [row for row in document["places"] if any(name in each for each in row["functions"])] for name in said}
        both = sum(row["ns"] for name in said for row in rows[name])
        for name, seconds in said.items():
            found = sum(row["ns"] for row in rows[name])
            reach = 3 * sum(max(row["ci95"][1] - row["ns"], row["ns"] - row["ci95"][0]) for row in rows[name])
            self.assertAlmostEqual(found, both * seconds / sum(said.values()), delta=reach)
            self.assertGreater(found, 0)
        widest = max(document["places"], key=lambda row: row["ns"])
        self.assertLess(widest["ci95"][0], widest["ns"])
        self.assertGreater(widest["ci95"][1], widest["ns"])

    def test_a_stream_has_the_same_waits_as_a_file(self):
        file = self.directory / "stream"
        with open(file, "wb") as out:
            recorded = run("record", "-q", "--off-cpu", "-o", "-", "--", workload("hands_over"), "3000", "300000", stdout=out)
        self.assertIn("only some switches were sampled", unwrapped(recorded.stderr))
        folded = run("report", "-i", file, "--off-cpu", "--folded").stdout
        with subprocess.Popen(["cat", file], stdout=subprocess.PIPE) as stream:
            streamed = subprocess.run([TACHO, "report", "-i", "-", "--off-cpu", "--folded"], stdin=stream.stdout,
                                      capture_output=True, text=True, check=True)
        self.assertEqual(streamed.stdout, folded)
        weights = [int(line.rpartition(" ")[2]) for line in folded.splitlines()]
        known = off_cpu(report(file, "--off-cpu"))
        self.assertAlmostEqual(sum(weights), known, delta=0.001 * known)

    def test_the_recorders_work_at_switches_is_said(self):
        program = ("import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True); "
                   "used = resource.getrusage(resource.RUSAGE_CHILDREN); print('cpu', used.ru_utime + used.ru_stime)")
        for option in ("--wall", "--off-cpu"):
            file, result = self.record(option, "--", sys.executable, "-c", program, workload("hands_over"), "3000", "300000")
            document = report(file, option)
            cpu_ns = NS * float(re.search(r"^cpu (.*)$", result.stdout, re.M).group(1))
            running_ns = sum(thread["running_ns"] for thread in document["threads"] if thread["name"] == "hands_over")
            # The CPU time that the switches do not show is the recorder's, but for the start and the end of processes.
            self.assertLess(running_ns, cpu_ns)
            self.assertGreater(running_ns + document["recorder_ns"], 0.95 * cpu_ns)
            self.assertLess(document["recorder_ns"], 0.5 * cpu_ns)
            # On a busy machine, threads are off the CPU for so long that this is little of it.
            found = re.search(r"recording took up to [\d.]+ µs on average at each of (\d+) switches.*",
                              "".join(document["warnings"]))
            much = document["recorder_ns"] > 0.02 * off_cpu(document)
            if found is None:
                self.assertFalse(much)
                continue
            of_reasons = {row["reason"]: document["recorder_ns"] / int(found[1]) * row["times"] / row["ns"]
                          for row in document["reasons"] if row["ns"] > 0.02 * off_cpu(document)}
            brief = [reason for reason, part in of_reasons.items() if part > 0.05]
            self.assertTrue(much or brief)
            self.assertEqual(re.findall(r"% of ([a-z ]+)", found[0].partition("more: ")[2]), brief)
            self.assertIsNone(report(file, option, "--comm", "hands_over")["recorder_ns"])

    @unittest.skipUnless(os.geteuid() == 0 and shutil.which("setpriv"), "changing the user needs root and setpriv")
    @unittest.skipIf(sanitized(), "the sanitizer's libraries are not there for everyone")
    def test_without_permission_the_times_are_there_and_the_places_are_not(self):
        tacho = for_everyone(self.directory)
        os.chmod(self.directory, 0o777)
        file = self.directory / "other.data"
        done = finish(start("--reuid=65534", "--regid=65534", "--clear-groups", tacho, "record", "--wall", "-o", file, "--",
                            "sleep", "0.2", program="setpriv"))
        self.assertEqual(done.code, 0, done.stderr)
        self.assertIn("not where and for what", unwrapped(done.stderr))
        document = report(file, "--wall")
        self.assertGreater(document["all"]["waiting_ns"] / NS, 0.19)
        self.assertTrue(any("was not recorded" in warning for warning in document["warnings"]), document["warnings"])
        waits = [row for row in document["reasons"] if row["state"] == "waiting"]
        self.assertEqual([row["reason"] for row in waits], ["unknown"])

    @unittest.skipUnless(os.geteuid() == 0 and shutil.which("setpriv"), "changing the user needs root and setpriv")
    @unittest.skipIf(sanitized(), "the sanitizer's libraries are not there for everyone")
    def test_without_permission_waits_that_began_before_have_their_place(self):
        tacho = for_everyone(self.directory)
        os.chmod(self.directory, 0o777)
        other = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
        hangs = shutil.copy(workload("hangs"), self.directory)
        pid = self.hanging(*other, program=hangs)
        file = self.directory / "other.data"
        done = finish(start(*other[1:], tacho, "record", "--off-cpu", "-o", file, "-p", str(pid), "--", "sleep", "0.2",
                            program="setpriv"))
        self.assertEqual(done.code, 0, done.stderr)
        document = report(file, "--off-cpu")
        self.assertGreater(function(document, "reads_pipe")["waiting_ns"] / NS, 0.19)
        self.assertTrue(any("was for is unknown" in warning for warning in document["warnings"]), document["warnings"])


@needs_kernel_counts
@needs_mount
class WakeUps(Scratch):
    """What ended the waits. It needs tracefs, and the permission to read its tracepoints."""

    def record(self, *command, targets=(), **options):
        file = str(self.directory / "perf.data")
        result = with_tracefs(TACHO, "record", "--wall", "-o", file, *targets, "--", *command, **options)
        self.assertEqual(result.code, 0, result.stderr)
        document = report(file, "--wall")
        if not document["wake_ups_recorded"]:
            self.skipTest("tracefs can't be mounted here, or does not have sched:sched_waking")
        return file, result, document

    def relay(self):
        _, result, document = self.record(workload("relay"))
        return document, {name: float(value) for name, value in (line.split() for line in result.stdout.splitlines())}

    def test_wake_ups_by_timers(self):
        """A sleeper and two busy programs share a CPU. When its timer ends a sleep, it waits for the CPU."""
        sleeper = ("import time\n"
                   "begin = time.monotonic_ns()\n"
                   "for _ in range(40): time.sleep(0.005)\n"
                   "print(time.monotonic_ns() - begin - 200_000_000)\n")
        program = ("import os, subprocess, sys\n"
                   "os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})\n"
                   "busy = [subprocess.Popen(['sh', '-c', 'while :; do :; done']) for _ in range(2)]\n"
                   "sleeper = subprocess.Popen([sys.executable, '-c', sys.argv[1]])\n"
                   "os.waitid(os.P_PID, sleeper.pid, os.WEXITED | os.WNOWAIT)\n"
                   "print(sleeper.pid, open(f'/proc/{sleeper.pid}/schedstat').read().split()[1])\n"
                   "for each in busy: each.kill()\n")
        for targets in (), ("-a",):
            with self.subTest(targets=targets):
                file, result, document = self.record(sys.executable, "-c", program, sleeper, targets=targets)
                late_ns, tid, delay_ns = map(int, result.stdout.split())
                self.assertTrue(document["wake_ups_by_others_recorded"])
                self.assertNotIn("by recorded threads alone", run("report", "--wall", "-i", file).stdout)
                ready_ns = sum(row["ready_ns"] for row in document["threads"] if row["tid"] == tid)
                self.assertGreater(ready_ns, 0.9 * late_ns - FEW_S * NS)
                # The kernel's own count: since Linux 6.12, it also has a part of some waits (delayed dequeue).
                self.assertLess(ready_ns, 1.1 * delay_ns + FEW_S * NS)

    def test_wake_ups_by_another_process(self):
        """The program reads lines that a process outside of the recording writes."""
        writer = subprocess.Popen([sys.executable, "-c", "import time\n"
                                   "for _ in range(200): print('x', flush=True); time.sleep(0.005)"], stdout=subprocess.PIPE)
        self.addCleanup(writer.wait)
        self.addCleanup(writer.stdout.close)
        reader = "import sys\nfor line in sys.stdin: pass"
        file, _, document = self.record(sys.executable, "-c", reader, stdin=writer.stdout)
        rows = [row for row in document["wake_ups"] if writer.pid in row["tids"]]
        self.assertEqual({row["thread"] for row in rows}, {pathlib.Path(sys.executable).name})
        [thread] = document["threads"]
        self.assertGreater(sum(row["ns"] for row in rows), 0.8 * thread["waiting_ns"])
        with open(file, "r+b") as recording:  # without the description of the tracepoint, which comes last
            recording.truncate(os.path.getsize(file) * 2 // 3)
        self.assertEqual(len(report(file, "--wall")["threads"]), 1)

    def test_wake_ups_through_a_local_socket_of_another_process(self):
        """The kernel handles the packet in an interrupt, while the server sends it."""
        server = subprocess.Popen(
            [sys.executable, "-c", "import socket, time\n"
             "with socket.create_server(('127.0.0.1', 0)) as server:\n"
             "    print(server.getsockname()[1], flush=True)\n"
             "    connection, _ = server.accept()\n"
             "    while connection.recv(1):\n"
             "        time.sleep(0.005)\n"
             "        connection.sendall(b'x')"], stdout=subprocess.PIPE, text=True)
        self.addCleanup(server.wait)
        self.addCleanup(server.stdout.close)
        client = ("import socket, sys\n"
                  "with socket.create_connection(('127.0.0.1', int(sys.argv[1]))) as connection:\n"
                  "    for _ in range(40): connection.sendall(b'x'); connection.recv(1)")
        _, _, document = self.record(sys.executable, "-c", client, server.stdout.readline().strip())
        rows = [row for row in document["wake_ups"] if server.pid in row["tids"]]
        self.assertEqual({row["in_interrupt"] for row in rows}, {True})
        self.assertGreater(sum(row["ns"] for row in rows), 0.15 * NS)

    def test_wake_ups_of_others_are_not_written(self):
        """A process that begins later has a larger number, so the kernel's filter lets its wake-ups pass."""
        other = ("import subprocess, sys, time\ntime.sleep(0.3)\n"
                 "subprocess.run([sys.executable, '-c', 'import time\\nfor _ in range(2000): time.sleep(0.0001)'])")
        beside = subprocess.Popen([sys.executable, "-c", other])
        self.addCleanup(beside.wait)
        _, result, _ = self.record("sleep", "1")
        self.assertLess(int(re.search(r"(\d+) samples? of sched:sched_waking", result.stderr)[1]), 100, result.stderr)

    def test_the_critical_path_goes_on_in_a_child_that_ended(self):
        """A child wakes its parent while it ends."""
        _, _, document = self.record("sh", "-c", "sleep 0.3; :")
        path = collections.Counter()
        for part in document["critical_path"]["parts"]:
            path[part["state"], part["thread"]] += part["ns"] / NS
        self.assertGreater(path["waiting", "sleep"], 0.29)
        self.assertLess(path["waiting", "sh"], 0.1)
        ends = [row for row in document["wake_ups"] if row["by_end"] and row["thread"] == "sleep"]
        self.assertEqual(len(ends), 1)
        self.assertGreater(ends[0]["ns"] / NS, 0.29)

    def test_no_wake_ups_in_another_pid_namespace(self):
        """The kernel's tracepoints have the numbers of its first namespace, which mean other threads here."""
        file = str(self.directory / "perf.data")
        result = with_tracefs("unshare", "--pid", "--fork", "--mount-proc", TACHO, "record", "--wall", "-o", file, "--", "sleep", "0.1")
        if "Operation not permitted" in result.stderr:
            self.skipTest("namespaces are not allowed here")
        self.assertEqual(result.code, 0, result.stderr)
        self.assertFalse(report(file, "--wall")["wake_ups_recorded"])

    def test_the_critical_path_goes_with_the_token(self):
        document, said = self.relay()
        path = document["critical_path"]
        self.assertTrue(path["certain"], "a wake-up was not recorded")
        self.assertAlmostEqual(path["ns"], document["span_ns"], delta=0.02 * document["span_ns"])
        self.assertEqual(sum(part["ns"] for part in path["parts"] if part["thread"] == "aside"), 0)
        ran = sum(part["ns"] for part in path["parts"] if part["state"] == "running" and part["thread"] == "stage")
        # Between its computations, a stage runs only to take and give the token. What the recorder does when a stage is
        # preempted is CPU time of the stage, but the kernel's record of the switch comes before it.
        self.assertGreater(ran / NS, 0.95 * said["computed"] - FEW_S)
        self.assertLess(ran / NS, 1.1 * said["computed"] + FEW_S)
        waits = {document["places"][part["place"]]["reason"]: part["ns"] / NS
                 for part in path["parts"] if part["state"] == "waiting"}
        self.assertLess(waits["sleep"], said["slept"])
        self.assertGreater(waits["sleep"], 0.9 * 20 * 0.003)
        self.assertLess(sum(waits.values()) - waits["sleep"], 0.02 * said["slept"] + FEW_S)

    def path_of(self, program, *before):
        """Seconds of the critical path by state, and those that the first thread lived."""
        source = self.directory / "program.c"
        source.write_text(f"#include <pthread.h>\n#include <unistd.h>\n{program}")
        subprocess.run(["cc", "-o", self.directory / "program", source], check=True)
        _, _, document = self.record(*before, self.directory / "program")
        path = collections.Counter()
        for part in document["critical_path"]["parts"]:
            path[part["state"]] += part["ns"] / NS
        [first] = [thread for thread in document["threads"] if thread["tid"] == thread["pid"]]
        return path, first["life_ns"] / NS

    def test_the_path_explains_the_end_of_the_program(self):
        """A thread that is ended with its process ends later where it has to wait for a CPU."""
        cpu = ("taskset", "-c", str(min(os.sched_getaffinity(0))))
        busy = subprocess.Popen([*cpu, "sh", "-c", "while :; do :; done"])
        self.addCleanup(busy.wait)
        self.addCleanup(busy.kill)
        path, first_s = self.path_of("static void *beside(void *unused) { for (nice(19);;) unused = &unused; }\n"
                                     "int main(void) {\n"
                                     "  pthread_t made;\n"
                                     "  for (int i = 0; i < 4; ++i) pthread_create(&made, 0, beside, 0);\n"
                                     "  usleep(200000);\n"
                                     "  return 0;\n"
                                     "}\n", *cpu)
        self.assertGreater(path["waiting"], 0.19)
        self.assertAlmostEqual(sum(path.values()), first_s, delta=0.001)

    def test_the_path_goes_on_where_the_first_thread_ended_before(self):
        path, _ = self.path_of("static void *rest(void *unused) { usleep(300000); return unused; }\n"
                               "int main(void) { pthread_t made; pthread_create(&made, 0, rest, 0); pthread_exit(0); }\n")
        self.assertGreater(path["waiting"], 0.29)

    def test_only_waits_on_the_path_are_estimates(self):
        _, _, document = self.record(workload("hands_over"), "3000", "300000")
        self.assertTrue(any(row["ci95"][0] < row["ns"] for row in document["reasons"]), "each switch was sampled")
        path = document["critical_path"]
        self.assertAlmostEqual(sum(part["ns"] for part in path["parts"]), path["ns"], delta=0.001 * path["ns"])
        states = collections.Counter()
        for part in path["parts"]:
            states[part["state"]] += 1
            if part["state"] != "waiting":
                self.assertEqual(part["ci95"], [part["ns"], part["ns"]])
                self.assertIn(len(part["tids"]), (1, 2))
        self.assertEqual([states["running"], states["ready"]], [1, 1])  # both processes have one name

    def test_functions_say_how_much_of_them_is_on_the_path(self):
        document, said = self.relay()
        aside = function(document, "spins_aside")
        self.assertGreater(aside["running_ns"] / NS, 0.02)
        self.assertEqual(aside["path_ns"], 0)
        computes = function(document, "computes")
        # Running, of which there are some hundred samples, and ready: four standard deviations.
        self.assertAlmostEqual(computes["path_ns"] / NS, said["computing"], delta=0.3 * said["computing"])

    def test_what_ended_a_wait_is_the_function_that_did_it(self):
        document, _ = self.relay()
        place = {i for i, row in enumerate(document["places"]) if any("sleeps" in each for each in row["functions"])}
        ended = [row for row in document["wake_ups"] if row["place"] in place]
        self.assertLessEqual({row["thread"] for row in ended}, {None})  # a timer, and no thread
        posted = [row for row in document["wake_ups"] if any("sem_post" in each for each in row["functions"])]
        self.assertLessEqual({"stage"}, {row["thread"] for row in posted})
        self.assertTrue(all(any("stage" in each or "main" in each for each in row["functions"]) for row in posted), posted)

    @unittest.skipUnless(shutil.which("perf"), "needs perf (Debian: linux-perf)")
    def test_ready_time_has_all_delays_of_perf_sched(self):
        """perf records the same run by tracepoints of its own, and says how long threads were ready after wake-ups."""
        data = self.directory / "sched.data"
        file = str(self.directory / "perf.data")
        done = with_tracefs("perf", "sched", "record", "-q", "-o", data, "--", TACHO, "record", "-q", "-a", "--off-cpu", "-o",
                            file, "--", workload("relay"))
        if done.code != 0:
            self.skipTest(f"perf sched does not record here: {done.stderr.strip().splitlines()[-1:]}")
        document = report(file, "--off-cpu")
        ours = [thread for thread in document["threads"] if thread["name"] in ("relay", "stage", "aside")]
        tids = {thread["tid"] for thread in ours}
        told = with_tracefs("perf", "sched", "timehist", "-i", data)
        delays = 0
        for line in told.stdout.splitlines():
            # time, CPU, task[tid/pid], wait time, delay, run time; times in ms
            found = re.match(r"\s*[\d.]+ \[\d+\]\s+.*\[(\d+)(?:/\d+)?\]\s+([\d.]+)\s+([\d.]+)\s+([\d.]+)", line)
            if found and int(found[1]) in tids:
                delays += float(found[3]) / 1e3
        self.assertGreater(delays, 0, told.stdout[:2000])
        ready = sum(thread["ready_ns"] for thread in ours) / NS
        self.assertGreater(ready, 0.95 * delays - FEW_S)  # it also has preempted threads

    def test_a_user_without_tracefs_gets_waits_until_the_cpu(self):
        file = str(self.directory / "perf.data")
        hidden = "mount -t tmpfs none /sys/kernel/tracing && mount -t tmpfs none /sys/kernel/debug; exec \"$@\""
        done = finish(start("-m", "sh", "-c", hidden, "sh", TACHO, "record", "--wall", "-o", file, "--", workload("relay"),
                            program="unshare"))
        self.assertEqual(done.code, 0, done.stderr)
        document = report(file, "--wall")
        self.assertFalse(document["wake_ups_recorded"])
        self.assertIsNone(document["critical_path"])
        self.assertEqual(document["wake_ups"], [])


class Refusals(Scratch):
    def test_a_recording_without_switches(self):
        file = str(self.directory / "perf.data")
        self.assertEqual(run("record", "-e", "cpu-clock:u", "-o", file, "--", "true").code, 0)
        refused = run("report", "-i", file, "--wall")
        self.assertEqual(refused.code, 125)
        self.assertIn("does not tell when threads waited", refused.stderr)
        self.assertIn("tacho record --wall", refused.stderr)

    def test_options_that_do_not_go_together(self):
        for options, words in ((("--wall", "-c", "100"), "-c"), (("--wall", "-b"), "-b"),
                               (("--wall", "--off-cpu"), "does not go with"),
                               (("--wall", "-D", "100"), "the whole run"), (("--off-cpu", "-F", "10"), "-F"),
                               (("--off-cpu", "--call-graph", "lbr"), "lbr")):
            refused = run("record", *options, "--", "true")
            self.assertEqual(refused.code, 125, options)
            self.assertIn(words, refused.stderr)

    @needs_simulator
    def test_a_simulation_has_no_waits(self):
        refused = run("record", "--pmu", "simulated", "--wall", "--", "true")
        self.assertEqual(refused.code, 125)
        self.assertIn("simulation", refused.stderr)

    def test_reports_that_would_compare_unlike_things(self):
        file = str(self.directory / "perf.data")
        self.assertEqual(run("record", "--off-cpu", "-o", file, "--", "sleep", "0.01").code, 0)
        for options, words in ((("--wall", "--compare", file), "--compare"), (("--wall", "--tree"), "no samples of running"),
                               (("--wall", "-e", "cpu-clock"), "-e chooses"), (("--off-cpu", "--children"), "--children")):
            refused = run("report", "-i", file, *options)
            self.assertEqual(refused.code, 125, options)
            self.assertIn(words, refused.stderr)


if __name__ == "__main__":
    unittest.main()
