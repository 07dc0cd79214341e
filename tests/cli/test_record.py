"""`tacho record`: perf reads the recordings, and their samples are compared with the kernel's counts.

The kernel counts the page faults of touch_pages, which prints them (getrusage(2)). If every event is
sampled, each fault is one sample.
"""
import collections
import os
import pathlib
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys
import time
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))

import perf_data  # noqa: E402
from perf_data import SAMPLE  # noqa: E402
from tacho_cli import (  # noqa: E402
    TACHO, Scratch, event, example, finish, needs_kernel_counts, needs_mount, run, sanitized, start, stat_json, workload)

PERFPARSER = next(pathlib.Path("/usr/lib").glob("*/libexec/hotspot-perfparser"), None)  # what hotspot reads with
needs_perf = unittest.skipUnless(shutil.which("perf"), "reading recordings back needs perf (Debian: linux-perf)")
PAGES = 5_000


def script(path, fields, *options):
    """The lines of `perf script`, one for each sample. perf may only complain of records that a busy machine lost."""
    done = subprocess.run(["perf", "script", "-i", path, "-F", fields, *options], capture_output=True, text=True)
    complaints = [line for line in done.stderr.splitlines()
                  if line and not re.search("addr2line|lost|overload|^Warning:$", line)]
    assert done.returncode == 0 and not complaints, done.stderr
    return done.stdout.splitlines()


def record_types(path):
    """The number of records of each type in a recording."""
    return collections.Counter(kind for kind, _, _ in perf_data.records(path))


@needs_kernel_counts
class Record(Scratch):
    def setUp(self):
        super().setUp()
        self.file = str(self.directory / "perf.data")

    def record(self, *args, **options):
        result = run("record", "-o", self.file, *args, **options)
        self.assertEqual(result.code, 0, result.stderr)
        return result

    def report(self):
        result = run("report", "-i", self.file, "--json")
        self.assertEqual(result.code, 0, result.stderr)
        return result.json()

    def test_every_fault_is_a_sample(self):
        _, counted = stat_json(self.directory, "-e", "page-faults", "--", workload("touch_pages"), 0, 0)
        result = self.record("-e", "page-faults", "-c", 1, "--", workload("touch_pages"), PAGES, 0)
        truth = int(result.stdout) + event(counted, "page-faults")["count"]
        samples = record_types(self.file)[SAMPLE]
        # The page cache decides how many of a program's pages one fault at start-up brings in.
        self.assertAlmostEqual(samples, truth, delta=20)
        self.assertIn(f"{samples} samples of page-faults in ", result.stderr.replace(",", ""))
        self.assertNotIn("warning", result.stderr, "the kernel counts faults all the time, on each CPU")

    def test_the_report_says_that_it_is_exact_if_every_event_was_sampled(self):
        self.record("-e", "page-faults", "-c", 1, "--", workload("touch_pages"), PAGES, 0)
        text = run("report", "-i", self.file).stdout
        self.assertRegex(text, r"event     page-faults: [\d,]+ samples, one each time, standing for [\d,]+ events\n")
        self.assertIn("Each event was a sample: the shares and their order are exact.", text)
        self.assertNotRegex(text, "told apart|confidence|~")
        for row in run("report", "-i", self.file, "--json").json()["rows"]:
            self.assertEqual(row["events"][0]["ci95"], [row["count"], row["count"]])
        self.record("-e", "page-faults", "-c", 7, "--", workload("touch_pages"), PAGES, 0)
        self.assertNotIn("exact", run("report", "-i", self.file).stdout)

    @needs_perf
    def test_perf_reads_what_was_recorded(self):
        self.record("-e", "page-faults", "-c", 1, "--", workload("touch_pages"), PAGES, 0)
        lines = script(self.file, "ip,sym,period,event")
        self.assertEqual(len(lines), record_types(self.file)[SAMPLE])
        touched = [line for line in lines if "touch_chunk" in line or "main" in line]
        self.assertGreaterEqual(len(touched), PAGES)
        self.assertTrue(all(re.match(r"\s*1 page-faults:", line) for line in lines), lines[0])
        header = subprocess.run(["perf", "report", "-i", self.file, "--header-only"], capture_output=True, text=True)
        self.assertRegex(header.stdout, r"event : name = page-faults")
        self.assertIn(f" record -o {self.file} -e page-faults -c 1 -- {workload('touch_pages')} {PAGES} 0", header.stdout)
        for field in ("hostname", "os release", "arch", "nrcpus online", "cpudesc", "total memory", "time of first sample"):
            self.assertIn(f"# {field} : ", header.stdout)

    @unittest.skipUnless(PERFPARSER, "hotspot is not installed: its parser is missing (hotspot-perfparser)")
    def test_hotspot_reads_what_was_recorded(self):
        self.record("-e", "{cpu-clock,page-faults}", "-F", 2000, "-g", "--", example("naive"), 200)
        out = self.directory / "parsed"
        subprocess.run([PERFPARSER, "--input", self.file, "--output", out], check=True, capture_output=True)
        stream, types = out.read_bytes(), collections.Counter()
        self.assertEqual(stream[:12], b"QPERFSTREAM\0")
        at = 16  # after the version: messages with their length; the first byte is the type
        while at < len(stream):
            types[stream[at + 4]] += 1
            at += 4 + struct.unpack_from("<I", stream, at)[0]
        error, sample = 8, 13
        self.assertEqual((types[sample], types[error]), (record_types(self.file)[SAMPLE], 0))

    @needs_perf
    def test_mapped_files_have_their_build_ids(self):
        self.record("--", example("naive"), 100)
        listed = subprocess.run(["perf", "buildid-list", "-i", self.file], capture_output=True, text=True).stdout
        notes = subprocess.run(["readelf", "-n", example("naive")], capture_output=True, text=True).stdout
        self.assertIn(f"{re.search('Build ID: ([0-9a-f]+)', notes)[1]} {example('naive')}", listed)

    @needs_perf
    def test_samples_of_several_events_are_distinguished(self):
        result = self.record("-e", "page-faults,minor-faults,cpu-clock/period=1000000/", "-c", 1_000, "--",
                             workload("touch_pages"), 20_000, 2_000)
        names = collections.Counter(line.split(":")[0].split("/")[0].split()[0] for line in script(self.file, "event"))
        faults = int(result.stdout)
        for name in ("page-faults", "minor-faults"):
            self.assertAlmostEqual(names[name], faults / 1_000, delta=2)
        self.assertGreater(names["cpu-clock"], 0)
        self.assertEqual(sum(names.values()), record_types(self.file)[SAMPLE])

    @needs_perf
    def test_a_clock_is_sampled_as_often_as_the_kernel_can(self):
        """A short program: where a sample costs more than 10 us, as on some virtual machines, it takes seconds."""
        result = self.record("-e", "cpu-clock", "-c", 1_000, "--", "true")
        self.assertIn("cpu-clock was sampled once in 10000 ns", result.stderr)
        self.assertEqual({line.strip() for line in script(self.file, "period")}, {"10000"})

    @needs_perf
    def test_groups_are_groups_to_perf(self):
        result = self.record("-e", "minor-faults,{cpu-clock,page-faults}", "--", workload("touch_pages"), 20_000, 2_000)
        told = subprocess.run(["perf", "evlist", "-g", "-i", self.file], capture_output=True, text=True, check=True)
        self.assertEqual(told.stdout.split(), ["minor-faults", "{cpu-clock,page-faults}"])
        faults = int(result.stdout)
        for each in self.report()["events"]:
            self.assertGreater(each["samples"], 0)
            if each["name"] != "cpu-clock":
                self.assertGreater(each["count"], faults / 2)  # by frequency a sample counts the events before it

    @needs_perf
    def test_the_recording_has_the_cost_of_sampling(self):
        self.record("-e", "cpu-clock", "--", example("naive"), 200)
        told = self.report()
        samples = sum(event["samples"] for event in told["events"])
        self.assertGreater(told["sample_cost_ns"], 300)
        counted = told["events"][0]["counted"]
        header = subprocess.run(["perf", "report", "--header-only", "-i", self.file], capture_output=True, text=True)
        self.assertRegex(header.stdout, rf"perf version : tacho, counted {counted}, \d+ ns of CPU time, "
                                        r"(sampled from \d+ to \d+ ns, )?"
                                        rf"{told['sample_cost_ns']:.0f} ns a sample\n")
        # The process has used some time before it became the program, and that was not sampled.
        cpu_ns = int(re.search(r"(\d+) ns of CPU time", header.stdout)[1])
        self.assertGreaterEqual(cpu_ns, 0.98 * counted)
        self.assertAlmostEqual(told["overhead"] * cpu_ns / (samples * told["sample_cost_ns"]), 1, delta=0.01)

    def test_the_cost_of_sampling_is_unknown_for_events_that_a_loop_does_not_have(self):
        self.record("-e", "page-faults", "-c", 100, "--", workload("touch_pages"), PAGES, 0)
        told = self.report()
        self.assertEqual((told["sample_cost_ns"], told["overhead"]), (None, None))

    @needs_perf
    def test_perf_and_tacho_read_the_same_samples(self):
        """Compares the samples of each event, and those of each function of the workload, whose names both read there."""
        self.record("-e", "page-faults,minor-faults", "-c", 7, "--", workload("touch_pages"), 20_000, 0)
        lines = [line.split() for line in script(self.file, "event,ip,sym,dso")]
        for name in ("page-faults", "minor-faults"):
            rows = run("report", "-i", self.file, "--event", name, "--json").json()["rows"]
            mine = [line for line in lines if line[0] == name + ":"]
            self.assertEqual(sum(row["samples"] for row in rows), len(mine))
            theirs = collections.Counter(line[2] for line in mine if line[-1] == f"({workload('touch_pages')})")
            self.assertEqual({row["function"]: row["samples"] for row in rows if row["module"] == "touch_pages"},
                             theirs)

    @needs_perf
    def test_threads_and_children_are_sampled_under_their_names(self):
        command = f"{workload('touch_pages')} 1000 0; {workload('touch_pages')} 2000 0"
        self.record("-e", "page-faults", "-c", 1, "--", "sh", "-c", command)
        pids = collections.Counter(line for line in script(self.file, "comm,pid") if "touch_pages" in line)
        first, second = sorted(pids.values())
        self.assertTrue(1_000 <= first < 1_500 and 2_000 <= second < 2_500, pids)

    @needs_perf
    def test_call_chains_name_the_callers(self):
        """By frame pointers in the kernel; from the stack in a program without frame pointers."""
        for how, caller in ((["-g"], "asm_exc_page_fault"), (["--call-graph", "dwarf"], "__libc_start_call_main")):
            with self.subTest(how=how):
                self.record("-e", "cpu-clock", "-c", 1_000_000, *how, "--", workload("touch_pages"), 40_000, 0)
                self.assertTrue(any(caller in line for line in script(self.file, "ip,sym")), f"nobody called by {caller}")

    def test_stacks_are_unwound_without_frame_pointers(self):
        """Each fault is a sample, so the number of samples of each call path is known. All copies fit into the buffer."""
        self.record("-e", "page-faults:u", "-c", 1, "--call-graph", "dwarf,1024", "--", workload("deep_calls"), 60)
        way = "main" + 5 * ";descend"
        expected = {f"{way};touch_few;touch": 60, f"{way};touch_many;touch": 180}
        folded = run("report", "-i", self.file, "--folded")
        found = collections.Counter()
        for line in folded.stdout.splitlines():
            chain, _, count = line.rpartition(" ")
            if ";main;" in chain and chain.endswith(";touch"):
                found[chain[chain.index(";main;") + 1:]] += int(count)
        self.assertEqual(dict(found), expected, folded.stderr)
        if shutil.which("perf"):
            self.assertEqual(self.ways_perf_sees(), expected)

    @unittest.skipUnless(shutil.which("cc"), "no C compiler (cc) builds programs here")
    def test_stacks_are_unwound_through_the_vdso(self):
        """main called each of the samples. The image of the vDSO has no file and no frame pointers."""
        source = self.directory / "clock.c"
        source.write_text("#include <time.h>\nint main(void) {\n  struct timespec now;\n"
                          "  for (int i = 0; i < 10000000; ++i) clock_gettime(CLOCK_MONOTONIC, &now);\n}\n")
        program = self.directory / "clock"
        subprocess.run(["cc", "-O1", "-o", program, source], check=True)
        self.record("-e", "cpu-clock:u", "-c", 500_000, "--call-graph", "dwarf,1024", "--", program)
        called = collections.Counter()
        for line in run("report", "-i", self.file, "--folded").stdout.splitlines():
            chain, _, count = line.rpartition(" ")
            # The loader has functions of its own whose names have "vdso" in them, such as setup_vdso.
            if re.match(r"__(vdso|kernel)_|\[vdso\]", chain.rpartition(";")[2]):
                called[";main;" in chain] += int(count)
        if not called:
            self.skipTest("clocks are not read in the vDSO here")
        self.assertEqual(called[False], 0, called)

    def test_a_program_that_runs_from_memory_has_its_names(self):
        source = self.directory / "from_memory.py"
        source.write_text("import os, sys\nmemory = os.memfd_create('program')\n"
                          "os.write(memory, open(sys.argv[1], 'rb').read())\nos.execve(memory, sys.argv[1:], os.environ)\n")
        with start(source, workload("two_functions"), "100000", "50", program=sys.executable) as target:
            while not os.readlink(f"/proc/{target.pid}/exe").startswith("/memfd:"):
                time.sleep(0.01)
            self.record("-p", target.pid, "--", "sleep", "0.3")
            names = {row["function"] for row in self.report()["rows"] if "memfd" in row["module"]}
            target.kill()
        self.assertIn("first", names)

    def test_buffers_are_emptied_in_time_if_the_first_thread_has_ended(self):
        # Copies of stacks fill a buffer in less than 0.1 s, the longest time between two drains.
        pages = 1_000
        with start(pages, program=workload("outlived"), stdin=subprocess.PIPE) as target:
            self.assertEqual(target.stdout.readline(), "ready\n")
            self.record("-p", target.pid, "-e", "page-faults", "-c", 1, "--call-graph", "dwarf", "--", "sh", "-c",
                        f"echo >/proc/{target.pid}/fd/0; while [ -e /proc/{target.pid} ]; do sleep 0.05; done")
        told = self.report()["events"][0]
        self.assertGreaterEqual(told["samples"] + told["lost"], pages)
        self.assertLess(told["lost"], pages / 3)

    def ways_perf_sees(self):
        """The call paths from main to touch that perf finds. A stack ends with an empty line."""
        made = subprocess.run(["perf", "script", "-i", self.file, "-F", "ip,sym"], capture_output=True, text=True)
        ways = collections.Counter()
        for stack in made.stdout.split("\n\n"):
            names = [line.split()[1] for line in stack.splitlines() if len(line.split()) > 1]
            if "main" in names and "touch" in names:
                ways[";".join(reversed(names[names.index("touch"):names.index("main") + 1]))] += 1
        return dict(ways)

    @needs_perf
    @unittest.skipUnless(os.geteuid() == 0, "only root may raise a priority")
    def test_the_recorder_comes_before_the_workload_that_it_records(self):
        before = os.getpriority(os.PRIO_PROCESS, 0)
        recorder = start("record", "-q", "-o", self.directory / "perf.data", "--", "sleep", "1")
        children = pathlib.Path(f"/proc/{recorder.pid}/task/{recorder.pid}/children")
        while recorder.poll() is None and os.getpriority(os.PRIO_PROCESS, recorder.pid) != -20:
            time.sleep(0.01)
        self.assertEqual(os.getpriority(os.PRIO_PROCESS, int(children.read_text())), before)
        self.assertEqual(finish(recorder).code, 0)

    def test_a_running_process_is_attached_to_with_its_mappings(self):
        with start(PAGES * 100, 1_000, program=workload("touch_pages")) as target:
            self.record("-p", target.pid, "-e", "page-faults", "-c", 10, "--", "sleep", "0.3")
            target.kill()
        named = [line for line in script(self.file, "comm,ip,sym") if "touch_pages" in line and "main" in line]
        self.assertGreater(len(named), 0)

    @needs_perf
    def test_every_cpu_is_sampled_with_what_ran_there(self):
        with start(PAGES * 100, 1_000, program=workload("touch_pages")) as target:
            self.record("-a", "-e", "page-faults", "-c", 10, "--", "sleep", "0.3")
            target.kill()
        lines = script(self.file, "comm,cpu,ip,sym")
        self.assertTrue(any("touch_pages" in line and re.search(r"\[00\d\]", line) for line in lines))

    def test_the_exit_status_of_the_command_is_passed_on(self):
        self.assertEqual(run("record", "-q", "-o", self.file, "--", "sh", "-c", "exit 7").code, 7)
        self.assertEqual(run("record", "-q", "-o", self.file, "--", "sh", "-c", "kill -SEGV $$").code, 128 + signal.SIGSEGV)
        self.assertGreater(record_types(self.file)[SAMPLE], 0)

    def test_a_name_has_the_process_and_variables(self):
        recorder = start("record", "-o", "%q{TACHO_TEST_JOB}.%p.100%%.data", "--", "true", cwd=self.directory,
                         env={"TACHO_TEST_JOB": "seven"})
        said = recorder.communicate(timeout=30)[1]
        name = f"seven.{recorder.pid}.100%.data"
        self.assertEqual((recorder.returncode, os.listdir(self.directory)), (0, [name]), said)
        self.assertIn(name, said)
        for wrong, reason in (("a.%H", "'a.%H' has %H, which has no meaning"),
                              ("a.%q{TACHO_NO_SUCH}", "needs the environment variable 'TACHO_NO_SUCH', which is not set")):
            refused = run("record", "-o", wrong, "--", "touch", "ran", cwd=self.directory)
            self.assertEqual(refused.code, 125)
            self.assertIn(reason, refused.stderr)
            self.assertIn("remedy: ", refused.stderr)
        self.assertEqual(os.listdir(self.directory), [name])

    def test_an_older_recording_is_kept(self):
        self.record("--", "true")
        first = pathlib.Path(self.file).read_bytes()
        self.record("--", "true")
        self.assertEqual(pathlib.Path(self.file + ".old").read_bytes(), first)

    def test_a_command_that_can_t_run_leaves_an_older_recording_alone(self):
        self.record("--", "true")
        first = pathlib.Path(self.file).read_bytes()
        result = run("record", "-o", self.file, "--", "no-such-command")
        self.assertEqual(result.code, 127)
        self.assertIn("command not found", result.stderr)
        self.assertEqual(pathlib.Path(self.file).read_bytes(), first)

    def test_written_samples_survive_a_kill(self):
        recorder = start("record", "-e", "page-faults", "-c", 1, "-o", self.file, "--",
                         workload("touch_pages"), 10_000_000, 100)
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline and (
                not pathlib.Path(self.file).exists() or pathlib.Path(self.file).stat().st_size < 200_000):
            time.sleep(0.05)
        recorder.kill()
        recorder.communicate()
        types = record_types(self.file)
        self.assertGreater(types[SAMPLE], 1_000)
        if shutil.which("perf"):
            self.assertEqual(len(script(self.file, "ip")), types[SAMPLE])
        told = self.report()
        self.assertEqual((told["command"][1], told["events"][0]["name"]), ("record", "page-faults"))
        self.assertEqual(told["machine"]["kernel"], os.uname().release)

    def test_callers_of_a_recording_that_was_cut_off_are_found(self):
        """The name of the machine is written at the end of a recording: a recorder that is killed does not write it."""
        self.record("-e", "page-faults:u", "-c", 1, "--call-graph", "dwarf,1024", "--", workload("deep_calls"), 60)
        whole = run("report", "-i", self.file, "--folded")
        data = bytearray(pathlib.Path(self.file).read_bytes())
        at, size = struct.unpack_from("<QQ", data, 40)  # offset and size of the records (struct perf_file_header)
        data[72:104] = bytes(32)                        # the bits of the features
        pathlib.Path(self.file).write_bytes(data[:at + size])
        cut = run("report", "-i", self.file, "--folded")
        self.assertEqual((cut.code, cut.stdout), (0, whole.stdout), cut.stderr)
        self.assertNotIn("callers", cut.stderr)
        self.assertIn(";", cut.stdout)

    def test_records_of_unknown_types_are_left_out_and_counted(self):
        self.record("-e", "page-faults", "-c", 1, "--", workload("touch_pages"), 50, 0)
        samples = self.report()["events"][0]["samples"]
        data = bytearray(pathlib.Path(self.file).read_bytes())
        at, size = struct.unpack_from("<QQ", data, 40)  # offset and size of the records (struct perf_file_header)
        end, types = at + size, [4_000, 4_001, 4_001]  # no kernel has these types yet
        while at < end:
            kind, _, length = struct.unpack_from("<IHH", data, at)
            if kind == SAMPLE and types:
                struct.pack_into("<I", data, at, types.pop())
            at += length
        pathlib.Path(self.file).write_bytes(data)
        self.assertEqual(self.report()["events"][0]["samples"], samples - 3)
        told = "3 records of types that tacho does not know are left out (4000, 4001)"
        self.assertIn(told, run("report", "-i", self.file).stderr)
        self.assertIn(told, self.report()["warnings"])

    @unittest.skipIf(sanitized(), "the sanitizers need more address space than is allowed here")
    def test_too_little_memory_is_an_error_that_says_so(self):
        self.record("--", "true")

        def limited(size):  # in 64 KiB
            return lambda: resource.setrlimit(resource.RLIMIT_AS, (size << 16, size << 16))

        # Between too little to start and enough to report there is less than 1 MiB.
        said = [run("report", "-i", self.file, preexec_fn=limited(size)).stderr for size in range(10 << 4, 18 << 4)]
        self.assertTrue(any(text.startswith("tacho: error: there is not enough memory\n       remedy: raise 'ulimit -v'")
                            for text in said), said)
        self.assertFalse(any("bad_alloc" in text for text in said), said)

    def test_the_size_that_is_said_is_that_of_the_file(self):
        said = run("record", "-o", self.file, "--", "true").stderr
        size = os.path.getsize(self.file)
        self.assertAlmostEqual(float(re.search(r"([\d.]+) KiB", said)[1]), size / 1024, delta=0.06)

    def test_a_killed_recorder_left_a_part_and_report_says_so(self):
        for output in (self.file, "-"):
            with open(f"{self.file}.stream", "wb") as stream:
                recorder = subprocess.Popen([TACHO, "record", "-q", "-o", output, "--", "sh", "-c", "while :; do :; done"],
                                            stdout=stream, start_new_session=True)
                written = pathlib.Path(self.file if output == self.file else stream.name)
                end = time.monotonic() + 30
                while not (written.exists() and written.stat().st_size > 8_000) and time.monotonic() < end:
                    time.sleep(0.05)
                os.killpg(recorder.pid, signal.SIGKILL)
                recorder.wait()
            subprocess.run(["pkill", "-KILL", "-g", str(recorder.pid)], check=False)
            result = run("report", "-i", self.file if output == self.file else f"{self.file}.stream")
            self.assertEqual(result.code, 0, result.stderr)
            self.assertIn("the recorder was stopped before it completed the file", result.stderr)
        self.record("--", "true")
        self.assertNotIn("before it completed", run("report", "-i", self.file).stderr)

    def test_two_recorders_do_not_write_one_file(self):
        inner = run("record", "-o", self.file, "--", TACHO, "record", "-o", self.file, "--", "true")
        self.assertEqual(inner.code, 125)
        self.assertIn("another recorder is writing it", inner.stderr)
        self.assertIn("remedy: wait until it ends, or give another file", inner.stderr)
        self.assertEqual(os.listdir(self.directory), ["perf.data"])
        self.assertGreater(record_types(self.file)[SAMPLE], 0)
        self.record("--", "true")  # the lock was released
        self.record("--", "true")

    @needs_mount
    def test_a_full_disk_ends_the_recording_and_not_the_workload(self):
        (self.directory / "disk").mkdir()
        inner = 'mount -t tmpfs -o size=1m none disk && { "$@"; status=$?; cp disk/perf.data .; exit $status; }'
        tacho = start("-m", "sh", "-c", inner, "sh", str(TACHO), "record", "-e", "page-faults", "-c", 1,
                      "-o", "disk/perf.data", "--", workload("touch_pages"), 100_000, 0,
                      program=shutil.which("unshare"), cwd=self.directory)
        out, err = tacho.communicate(timeout=30)
        self.assertEqual(tacho.returncode, 125)
        self.assertGreaterEqual(int(out), 100_000)
        self.assertIn("cannot write 'disk/perf.data': No space left on device (ENOSPC)", err)
        types = record_types(self.file)
        self.assertGreater(types[SAMPLE], 100)
        self.assertIn(f"{types[SAMPLE]} samples", err.replace(",", ""))
        told = self.report()
        self.assertEqual((told["command"][1], told["events"][0]["samples"]), ("record", types[SAMPLE]))

    def test_bad_requests_name_the_thing_and_the_remedy(self):
        for args, what in (((), "no command to record"),
                           (("-c", 10, "-F", 10, "--", "true"), "-c and -F exclude each other"),
                           (("-p", 1, "-a"), "-p, -t, -a and -C exclude each other"),
                           (("-g", "--call-graph", "fp", "--", "true"), "-g means --call-graph fp"),
                           (("--call-graph", "dwarf,7", "--", "true"), "--call-graph: 'dwarf,7' is not a kind of call graph"),
                           (("-F", 10_000_000_000, "--", "true"), "the kernel samples at most"),
                           (("-b", "-e", "cpu-clock", "--", "true"), "cannot sample cpu-clock: no branch stacks come with it"),
                           (("-o", "/dev/null", "--", "true"), "it is not a regular file"),
                           (("-o", self.directory, "--", "true"), "Is a directory (EISDIR)"),
                           (("-e", "no-such-event", "--", "true"), "unknown event 'no-such-event'")):
            with self.subTest(args=args):
                result = run("record", *(() if "-o" in args else ("-o", self.file)), *args)
                self.assertEqual(result.code, 125)
                self.assertIn("tacho: error: ", result.stderr)
                self.assertIn(what, result.stderr)
                self.assertIn("remedy: ", result.stderr)
                self.assertFalse(os.path.exists(self.file), "a file with nothing in it was left")

    @unittest.skipUnless(os.path.exists("/sys/bus/event_source/devices/msr/events/tsc"), "needs a PMU that can't interrupt")
    def test_an_event_that_can_only_be_counted_has_its_own_error(self):
        result = run("record", "-o", self.file, "-e", "msr/tsc/", "--", "true")
        self.assertEqual(result.code, 125)
        self.assertIn("cannot sample msr/tsc/: its PMU counts, and has no interrupt to sample by", result.stderr)
        self.assertIn("tacho stat -e msr/tsc/", result.stderr)

    def test_a_pipe_is_refused_before_anything_waits_for_its_reader(self):
        os.mkfifo(self.file)
        result = run("record", "-o", self.file, "--", "touch", self.directory / "ran")
        self.assertEqual(result.code, 125)
        self.assertIn("it is not a regular file", result.stderr)
        self.assertFalse((self.directory / "ran").exists())

    def test_a_file_that_is_no_recording_is_kept(self):
        source = self.directory / "main.c"
        source.write_text("int main;")
        result = run("record", "-o", source, "--", "touch", self.directory / "ran")
        self.assertEqual(result.code, 125)
        self.assertIn("it is a file that is not a recording", result.stderr)
        self.assertEqual(source.read_text(), "int main;")
        self.assertFalse((self.directory / "ran").exists())

    def test_an_older_recording_that_cannot_be_renamed_is_an_error_before_the_workload_runs(self):
        self.record("--", "true")
        os.mkdir(self.file + ".old")
        result = run("record", "-o", self.file, "--", "touch", self.directory / "ran")
        self.assertEqual(result.code, 125)
        self.assertIn(f"cannot rename the existing '{self.file}' to '{self.file}.old'", result.stderr)
        self.assertFalse((self.directory / "ran").exists())
        self.assertGreater(os.path.getsize(self.file), 0)

    def test_a_running_program_does_not_get_the_names_of_the_file_that_replaced_it(self):
        program = self.directory / "program"
        shutil.copy(workload("two_functions"), program)
        with start("100000", "50", program=program, cwd=self.directory) as target:
            os.rename(shutil.copy(workload("touch_pages"), self.directory / "new"), program)
            self.record("-p", target.pid, "--", "sleep", "0.3")
            alive = {row["function"] for row in self.report()["rows"] if "program" in row["module"]}
            target.kill()
        self.assertIn("first", alive)
        gone = {row["function"] for row in self.report()["rows"] if "program" in row["module"]}
        self.assertEqual(gone, {None})

    def test_a_report_to_a_hyphen_goes_to_standard_output(self):
        self.record("--", "true")
        for options in ((), ("--json",), ("--folded",)):
            result = run("report", "-i", self.file, *options, "-o", "-", cwd=self.directory)
            self.assertEqual(result.stdout, run("report", "-i", self.file, *options).stdout)
        self.assertFalse((self.directory / "-").exists())

    def test_report_does_not_overwrite_the_recording_that_it_reads(self):
        self.record("--", "true")
        before = pathlib.Path(self.file).read_bytes()
        for options in (["-i", self.file], ["-i", "-"]):
            with self.subTest(options), open(self.file, "rb") as recording:
                result = finish(start("report", *options, "-o", self.file, stdin=recording))
                self.assertEqual(result.code, 125)
                self.assertIn("is the recording that is read", result.stderr)
                self.assertEqual(pathlib.Path(self.file).read_bytes(), before)


if __name__ == "__main__":
    unittest.main()
