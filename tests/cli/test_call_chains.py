"""Where call chains come from and where they end: a processor's stack of calls (--call-graph lbr), chains that were
cut, and code without frame pointers. Programs whose callers are known are the truth."""
import pathlib
import platform
import shutil
import struct
import subprocess
import unittest

from tacho_cli import Scratch, needs_kernel_counts, needs_simulator, run, workload

USER = 2**64 - 512  # PERF_CONTEXT_USER
IP, TID, TIME, CALLCHAIN, PERIOD, BRANCH_STACK = 1, 2, 4, 1 << 5, 1 << 8, 1 << 11
USER_BRANCHES, CALL_STACK, NO_FLAGS, NO_CYCLES = 1, 1 << 11, 1 << 14, 1 << 15
COMM, MMAP2, SAMPLE = 3, 10, 9
CALLS = """
__attribute__((noinline)) int inner(int n) { return n * 3 + __builtin_popcount(n); }
__attribute__((noinline)) int outer(int n) { return inner(n) + inner(n + 1) + 7; }
int main(int argc, char** argv) { (void)argv; return outer(argc) + 5; }
"""
STACK_LIMIT = pathlib.Path("/proc/sys/kernel/perf_event_max_stack")


def record(kind, misc, body):
    body += bytes(-len(body) % 8)
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def recording(sample_type, branch_type, records):
    """A file with one event: cycles at 4000 Hz, with the trailer of thread and time on other records."""
    flags = 1 << 10 | 1 << 18  # freq, sample_id_all
    attr = struct.pack("<IIQQQQQIIQQ", 0, 96, 0, 4000, sample_type, 0, flags, 0, 0, 0, 0) + struct.pack("<Q", branch_type)
    attr = attr.ljust(96, b"\0")
    data = 104 + len(attr) + 16
    header = struct.pack("<8s8Q", b"PERFILE2", 104, len(attr) + 16, 104, len(attr) + 16, data, len(records), 0, 0)
    return header + bytes(32) + attr + struct.pack("<QQ", 0, 0) + records


@unittest.skipUnless(shutil.which("cc") and shutil.which("nm"), "no C compiler and nm (Debian: gcc) build programs here")
class CallStacks(Scratch):
    """A recording as of `perf record --call-graph lbr`: main -> outer -> inner, in a program without frame pointers."""
    def setUp(self):
        super().setUp()
        source, self.program = self.directory / "calls.c", self.directory / "calls"
        source.write_text(CALLS)
        subprocess.run(["cc", "-O1", "-no-pie", "-o", self.program, source], check=True)
        named = subprocess.run(["nm", self.program], capture_output=True, text=True, check=True).stdout
        self.at = {words[2]: int(words[0], 16) for words in map(str.split, named.splitlines()) if len(words) == 3}
        self.file = self.directory / "lbr.data"

    def write(self, chain, calls):
        trailer = struct.pack("<IIQ", 7, 7, 1000)
        path = str(self.program).encode()
        records = record(COMM, 0, struct.pack("<II", 7, 7) + b"calls".ljust(8, b"\0") + trailer)
        records += record(MMAP2, 2, struct.pack("<IIQQQIIQQII", 7, 7, 0x401000, 0x1000, 0x1000, 0, 0, 0, 0, 5, 2) +
                          path + bytes(8 - len(path) % 8) + trailer)
        for i in range(100):
            records += record(SAMPLE, 2, struct.pack("<QIIQQ", chain[1], 7, 7, 2000 + i, 250_000) +
                              struct.pack(f"<Q{len(chain)}Q", len(chain), *chain) + struct.pack("<Q", len(calls)) +
                              b"".join(struct.pack("<QQQ", source, target, 0) for source, target in calls))
        self.file.write_bytes(recording(IP | TID | TIME | CALLCHAIN | PERIOD | BRANCH_STACK,
                                        USER_BRANCHES | CALL_STACK | NO_FLAGS | NO_CYCLES, records))

    def write_calls(self):
        inner, outer, main = (self.at[name] for name in ("inner", "outer", "main"))
        self.write([USER, inner + 4, 0x358b2300358b23], [(outer + 4, inner), (main + 4, outer)])

    def test_the_callers_are_those_that_the_processor_kept(self):
        self.write_calls()
        folded = run("report", "-i", self.file, "--folded")
        self.assertEqual((folded.stdout, folded.stderr), ("main;outer;inner 25000000\n", ""))
        callers = run("report", "-i", self.file, "--callers", "inner", "--json").json()["callers"]
        self.assertEqual([(each["function"], each["samples"]) for each in callers], [("outer", 100)])

    def test_a_full_stack_of_calls_was_cut(self):
        inner, outer = self.at["inner"], self.at["outer"]
        self.write([USER, inner + 4, 0x358b2300358b23], [(outer + 4, inner)] * 32)
        report = run("report", "-i", self.file)
        self.assertIn("100 of 100 call chains were cut where the processor's stack of calls was full", report.stderr)

    def test_blocks_does_not_take_calls_for_branches(self):
        self.write_calls()
        blocks = run("blocks", "-i", self.file)
        self.assertEqual((blocks.code, blocks.stdout), (125, ""))
        self.assertIn("calls that had not returned (--call-graph lbr)", blocks.stderr)
        self.assertIn("tacho record -b", blocks.stderr)


class Options(Scratch):
    def test_call_stacks_need_the_processor(self):
        """A clock has none: on a machine with a PMU, it is refused as well."""
        result = run("record", "--call-graph", "lbr", "-e", "cpu-clock", "-o", self.directory / "x", "--", "true")
        self.assertEqual(result.code, 125)
        self.assertRegex(result.stderr, "cannot sample cpu-clock.*: no call stacks of the processor come with it")
        self.assertIn("--call-graph dwarf", result.stderr)

    def test_calls_and_branches_exclude_each_other(self):
        result = run("record", "--call-graph", "lbr", "-b", "-o", self.directory / "x", "--", "true")
        self.assertEqual(result.code, 125)
        self.assertIn("--call-graph lbr and -b exclude each other", result.stderr)

    @needs_simulator
    def test_a_simulation_needs_none(self):
        result = run("record", "--pmu", "simulated", "--call-graph", "lbr", "-o", self.directory / "x", "--", "true")
        self.assertEqual(result.code, 125)
        self.assertIn("a simulated core keeps no call stacks", result.stderr)


class Depth(Scratch):
    def report(self, how, *command, choice=()):
        """The report as text and as JSON, of a recording of the command in user mode."""
        data = self.directory / "perf.data"
        done = run("record", "-o", data, *how, "--", *command)
        self.assertEqual(done.code, 0, done.stderr)
        return (run("report", "-i", data, *choice, "--limit", "0"),
                run("report", "-i", data, *choice, "--limit", "0", "--json").json())

    @staticmethod
    def row(document, function):
        return next((row for row in document["rows"] if row["function"] == function), None)

    def test_a_deep_recursion_is_cut_and_says_so(self):
        limit = int(STACK_LIMIT.read_text())
        text, document = self.report(["-g", "-e", "cpu-clock:u"], workload("recursion"), 2 * limit, 100)
        samples = self.row(document, "work")["samples"]
        self.assertGreaterEqual(document["cut_chains"], samples)
        self.assertRegex(text.stderr, rf"call chains were cut after {limit} addresses \(kernel\.perf_event_max_stack\)")
        self.assertIn("sudo sysctl kernel.perf_event_max_stack=", text.stderr)
        self.assertEqual(text.stderr.count("were cut"), 1)
        # The chains lost main. Its total, if a sample of the start has it, is at least what it is.
        main = self.row(document, "main")
        if main:
            self.assertTrue(main["total_is_at_least"])
            self.assertGreater(main["total_ci95"][1], 0.95)
            self.assertRegex(text.stdout, r"≥ +\d+\.\d %.* main\n")
        # A sample in clock_gettime, which has no frame, may lack its caller.
        self.assertEqual(self.row(document, "descend")["total_is_at_least"], "lack a function" in text.stderr)
        callers = run("report", "-i", self.directory / "perf.data", "--callers", "descend")
        self.assertNotIn("[outermost]", callers.stdout)

    def test_a_recursion_within_the_limit_is_complete(self):
        # Of the program's own samples: in the loader's start, what lies where a frame pointer should be may point to itself.
        text, document = self.report(["-g", "-e", "cpu-clock:u"], workload("recursion"), 20, 100,
                                     choice=["--module", "recursion"])
        self.assertEqual((text.stderr, document["cut_chains"]), ("", 0))
        self.assertGreater(self.row(document, "main")["total"], 0.8)
        self.assertFalse(self.row(document, "main")["total_is_at_least"])

    def test_copies_of_stacks_are_cut_where_the_copy_ends(self):
        text, document = self.report(["--call-graph", "dwarf,1024", "-e", "cpu-clock:u"], workload("recursion"), 100, 50)
        samples = self.row(document, "work")["samples"]
        self.assertGreaterEqual(document["cut_chains"], samples)
        self.assertIn("where the copy of the stack ended (1024 bytes)", text.stderr)
        self.assertIn("--call-graph dwarf,65528", text.stderr)

    @needs_kernel_counts
    def test_code_without_frame_pointers_has_broken_chains(self):
        events = ["-e", "page-faults:u", "-c", "1"]
        text, _ = self.report(["-g", *events], workload("deep_calls"), 60)
        self.assertRegex(text.stderr, r"most call chains are broken: \d+ of \d+ do not lead to the start of a thread")
        self.assertIn("--call-graph dwarf", text.stderr)
        self.assertEqual(text.stderr.count("broken"), 1)
        text, _ = self.report(["--call-graph", "dwarf,1024", *events], workload("deep_calls"), 60)
        self.assertNotIn("broken", text.stderr)


@needs_kernel_counts
@unittest.skipUnless(platform.machine() in ("x86_64", "aarch64"), "return addresses are recorded on 64-bit x86 and ARM")
class LeafCallers(Scratch):
    """A leaf function without a frame hides its caller from the kernel. The program says who called it how long."""
    def callers(self, file):
        result = run("report", "-i", file, "--callers", "leaf", "--json")
        self.assertEqual(result.code, 0, result.stderr)
        return {each["function"]: each["share"] for each in result.json()["callers"]}, result.stderr

    def totals(self, file):
        rows = run("report", "-i", file, "--json").json()["rows"]
        return {row["function"]: row for row in rows}

    def test_the_caller_of_a_leaf_is_known(self):
        file = self.directory / "perf.data"
        result = run("record", "-g", "-F", 4000, "-o", file, "--", workload("leaf_callers"), 400)
        self.assertEqual(result.code, 0, result.stderr)
        shares, said = self.callers(file)
        self.assertAlmostEqual(shares["often"], float(result.stdout), delta=0.08)
        self.assertNotIn("lack a function", said)
        for function, share in (("often", shares["often"]), ("main", 1)):
            row = self.totals(file)[function]
            self.assertAlmostEqual(row["total"], share, delta=0.05)
            self.assertFalse(row["total_is_at_least"])

    @unittest.skipUnless(shutil.which("perf"), "perf is not installed (linux-perf)")
    @unittest.skipUnless(platform.machine() == "x86_64", "perf itself records the link register of ARM")
    def test_a_caller_that_was_not_recorded_is_said(self):
        file = self.directory / "perf.data"
        subprocess.run(["perf", "record", "-q", "-g", "-F", "4000", "-e", "cpu-clock", "-o", file, "--",
                        workload("leaf_callers"), "200"], capture_output=True, check=True)
        shares, said = self.callers(file)
        self.assertNotIn("main", shares)  # which called neither
        self.assertGreater(shares[None], 0.9)
        self.assertIn("lack a function", said)
        often = self.totals(file).get("often", {"total": 0})  # it may have samples of its own
        self.assertLess(often["total"], 0.1)
        self.assertTrue(often.get("total_is_at_least", True))


if __name__ == "__main__":
    unittest.main()
