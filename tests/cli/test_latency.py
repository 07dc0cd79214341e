"""tacho latency as users run it: tables, files, signals, and what it can't do. No assertion on times, but for
what no machine does otherwise."""
import contextlib
import csv
import ctypes
import io
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import time
import unittest

from latency_case import LatencyCase, latency
from tacho_cli import TACHO, finish, needs_simulator, run, sanitized, start

FEW = ("--sizes", "4K,16K,256K", "--pages", "small")
PR_SET_THP_DISABLE = 41
CPUS = sorted(os.sched_getaffinity(0))
needs_two_cpus = unittest.skipUnless(len(CPUS) > 1, "this process may use one CPU only")


def has_huge_pages():
    path = pathlib.Path("/sys/kernel/mm/transparent_hugepage/enabled")
    return path.exists() and "[never]" not in path.read_text()


class Output(LatencyCase):
    def test_json_has_what_the_schema_promises(self):
        document = self.document(*FEW)
        for key in ("tick_hz", "core_hz", "bias_ticks", "seconds", "warnings", "tiers", "tlb", "sizes", "trust"):
            self.assertIn(key, document)
        self.assertEqual([size["bytes"] for size in document["sizes"]], [4096, 16384, 262144])
        for size in document["sizes"]:
            self.assertEqual(size["bytes"] % size["lines"], 0)
            self.assertEqual(size["page_bytes"], os.sysconf("SC_PAGESIZE"))
            self.assertGreater(size["cycles"], 0)
            self.assertGreater(size["samples"], 0)
        self.assertFalse(document["partial"])
        self.assertEqual(document["tacho"]["schema"], 1)

    def test_a_load_of_64_megabytes_takes_longer_than_one_of_four_kilobytes(self):
        near, far = self.document("--sizes", "4K,64M", "--pages", "small")["sizes"]
        self.assertGreater(far["ns"], 2 * near["ns"])

    def test_text_has_a_table_of_few_sizes_and_their_histograms(self):
        result = latency(*FEW, env={"LC_ALL": "C"})
        self.assertEqual((result.code, result.stderr), (0, ""))
        self.assertRegex(result.stdout, r"list +page +cycles +ns +bias +peaks")
        self.assertRegex(result.stdout, r"\n +trust +(good|fair|poor|none)")
        self.assertRegex(result.stdout, r"\n +\d+ +\d+ #+\n")
        self.assertRegex(result.stdout, r"pair of readings\s+takes\s+\d+\s+ticks")

    def test_csv_has_a_row_a_size(self):
        result = latency("--csv", *FEW)
        rows = list(csv.DictReader(io.StringIO(result.stdout)))
        sizes = [row for row in rows if row["kind"] == "size"]
        self.assertEqual([row["bytes"] for row in sizes], ["4096", "16384", "262144"])
        self.assertTrue(all(None not in row and None not in row.values() for row in rows))

    def test_samples_are_every_sizes_histogram(self):
        path = self.directory / "samples.csv"
        document = self.document(*FEW, "--samples", path)
        rows = list(csv.DictReader(io.StringIO(path.read_text())))
        for size in document["sizes"]:
            mine = [row for row in rows if int(row["bytes"]) == size["bytes"]]
            single = sum(int(row["count"]) for row in mine if row["kind"] == "single")
            block = sum(int(row["count"]) for row in mine if row["kind"] == "block")
            bias = sum(int(row["count"]) for row in mine if row["kind"] == "bias")
            self.assertGreater(single, 0)
            self.assertEqual(bias, single + block)

    def test_output_goes_to_a_file(self):
        path = self.directory / "out.json"
        result = latency("--json", "-o", path, *FEW)
        self.assertEqual((result.code, result.stdout, result.stderr), (0, "", ""))
        self.assertEqual(len(json.loads(path.read_text())["sizes"]), 3)

    @unittest.skipUnless(has_huge_pages(), "this kernel gives no huge pages")
    def test_huge_pages_are_what_is_reported(self):
        document = self.document("--sizes", "4K,4M", "--pages", "huge")
        sizes = document["sizes"]
        self.assertEqual({size["page_bytes"] for size in sizes},
                         {int(pathlib.Path("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size").read_text())})

    @unittest.skipUnless(shutil.which("gnuplot"), "gnuplot is not installed")
    def test_a_picture_is_drawn_and_what_drew_it_is_left(self):
        for ending, magic in (("svg", b"<?xml"), ("png", b"\x89PNG")):
            with self.subTest(ending):
                picture = self.directory / f"latency.{ending}"
                result = latency(*FEW, "--plot", picture)
                self.assertEqual(result.code, 0, result.stderr)
                self.assertEqual(picture.read_bytes()[:len(magic)], magic)
                picture.unlink()
                subprocess.run(["gnuplot", self.directory / "latency.gnuplot"], check=True, cwd="/")
                self.assertEqual(picture.read_bytes()[:len(magic)], magic)
                data = (self.directory / "latency.data").read_text()
                self.assertIn("# small pages", data)
                self.assertNotIn("# huge pages", data)
                self.assertNotIn("no valid points", result.stderr)


class More(LatencyCase):
    def test_writes_and_atomic_additions(self):
        for option, access in (("--write", "write"), ("--atomic", "atomic addition")):
            with self.subTest(option):
                document = self.document(option, *FEW)
                self.assertEqual(document["access"], access)
                self.assertEqual(len(document["sizes"]), 3)

    def test_independent_chases_share_the_time(self):
        document = self.document("--sizes", "4K,32M", "--pages", "small", "--parallel", "8")
        for size in (4 << 10, 32 << 20):
            times = [each["ns_per_access"] for each in document["parallel"] if each["bytes"] == size]
            self.assertEqual(len(times), 8)
            self.assertLess(times[-1], times[0])
        for each in document["parallel"]:
            low, high = each["ns_per_access_ci95"] or [1e-9, 1e9]  # none of a machine that others take
            self.assertTrue(0 < low <= each["ns_per_access"] <= high, each)

    def test_progress_is_for_terminals(self):
        terminal, other_end = os.openpty()
        self.addCleanup(os.close, terminal)
        result = finish(start("latency", "--json", *FEW, stderr=other_end))
        os.close(other_end)
        self.assertEqual(result.code, 0)
        self.assertIn("latency: small pages", os.read(terminal, 4096).decode())

    @needs_two_cpus
    def test_while_others_stream(self):
        document = self.document("--loaded", *FEW)
        self.assertTrue(any("read and wrote memory" in each for each in document["warnings"]))

    @needs_two_cpus
    def test_others_stream_until_all_is_measured(self):
        terminal, other_end = os.openpty()
        self.addCleanup(os.close, terminal)
        process = start("latency", "--loaded", "--sizes", "32M", "--pages", "small", "--parallel", "16",
                        "--events", "page-faults", "--pmu", "software", stderr=other_end)
        os.close(other_end)
        seen = b""
        for what in (b"chases at once", b"events at"):
            while what not in seen:
                seen += os.read(terminal, 4096)
            self.assertEqual(len(os.listdir(f"/proc/{process.pid}/task")), len(CPUS), what)
        self.assertEqual(finish(process).code, 0)

    @needs_two_cpus
    def test_cores_are_a_matrix(self):
        document = self.document("--cores")
        cores = document["cores"]
        self.assertEqual((cores["rows"], cores["columns"]), (CPUS, CPUS))
        for row, cpu in zip(cores["ns"], CPUS):
            for to, ns in zip(CPUS, row):
                if to == cpu:
                    self.assertIsNone(ns)
                else:
                    self.assertGreater(ns, 0)
        for ends, row in zip(sum(cores["ns_ci95"], []), sum(cores["ns"], [])):
            self.assertTrue(ends is None or ends[0] <= row <= ends[1], (ends, row))
        text = latency("--cores").stdout
        self.assertEqual(len(text.splitlines()), 2 + len(CPUS))

    def test_a_walk_over_memory_that_is_there_has_no_page_faults(self):
        document = self.document(*FEW, "--events", "page-faults:u", "--pmu", "software")
        events = document["events"]
        self.assertEqual([each["bytes"] for each in events["sizes"]], [4096, 16384, 262144])
        for each in events["sizes"]:
            self.assertAlmostEqual(each["per_access"]["page-faults:u"], 0, delta=1e-3)
            self.assertLess(each["per_access_ci95"]["page-faults:u"], 1e-3)

    def test_what_differs_from_walk_to_walk_has_an_interval(self):
        asked = ("--sizes", "16K", "--pages", "small", "--events", "task-clock", "--pmu", "software")
        runs = [self.document(*asked)["events"]["sizes"][0] for _ in range(3)]  # one may meet other work
        size = min(runs, key=lambda run: run["per_access_ci95"]["task-clock"])
        self.assertGreater(size["per_access_ci95"]["task-clock"], 0)
        self.assertLess(size["per_access_ci95"]["task-clock"], size["per_access"]["task-clock"])

    def test_every_size_that_was_asked_for_has_its_events(self):
        document = self.document("--sizes", "3K,48K", "--pages", "small", "--events", "page-faults", "--pmu", "software")
        self.assertEqual([each["bytes"] for each in document["events"]["sizes"]], [3 << 10, 48 << 10])

    def test_events_are_of_walks_with_the_accesses_that_were_asked_for(self):
        process = start("latency", "--write", "--sizes", "32M", "--pages", "small", "--events", "page-faults",
                        "--pmu", "software", "--json")
        walk = []
        while "--walk" not in walk and process.poll() is None:
            for task in pathlib.Path(f"/proc/{process.pid}/task").glob("*/children"):
                for child in task.read_text().split():
                    with contextlib.suppress(OSError):
                        walk = pathlib.Path(f"/proc/{child}/cmdline").read_text().split("\0")
        self.assertEqual(finish(process).code, 0)
        self.assertIn("--write", walk)

    @needs_simulator
    @unittest.skipIf(sanitized(), "the simulator runs tacho itself, which it can't with the sanitizers in it")
    def test_a_walk_does_the_accesses_that_it_was_asked_for(self):
        stores = {}
        for option in ((), ("--write",), ("--atomic",)):
            path = self.directory / "walk.json"
            result = run("stat", "--json", "-o", path, "--pmu", "simulated:cachegrind", "-e", "L1-dcache-stores",
                         "--", TACHO, "latency", "--walk", "4K,200000", *option)
            self.assertEqual(result.code, 0, result.stderr)
            stores[option] = json.loads(path.read_text())["events"][0]["estimate"]
        for option in ("--write", "--atomic"):
            self.assertAlmostEqual((stores[option,] - stores[()]) / 200000, 1, delta=0.05)

    @needs_two_cpus
    def test_the_cpu_is_the_one_asked_for(self):
        for cpu in CPUS[:2]:
            self.assertEqual(self.document(*FEW, "--cpu", str(cpu))["cpu"], cpu)


class Faults(LatencyCase):
    def test_sizes_that_no_memory_has(self):
        for size, what in (("0", "must be at least 1 byte"), ("0.5", "must be at least 1 byte"), ("-4K", "is negative"),
                           ("99999999999999999999999", "is more than any memory has"), ("1e400", "is not a size"),
                           ("16777216T", "is more than any memory has"), ("nan", "is not a size"),
                           ("4X", "is not a size"), ("4KK", "is not a size")):
            with self.subTest(size):
                for option in ("--max-size", "--sizes"):
                    self.refused([f"{option}={size}"], what, "give a size such as")
        self.refused(["--sizes", ","], "--sizes '': is not a size", "give a size such as")
        self.refused(["--sizes", "4K,0"], "--sizes '0': must be at least 1 byte", "give a size such as")

    def test_a_size_larger_than_the_memory(self):
        self.refused(["--max-size", "1000T"], "is too large", "give at most")
        self.refused(["--walk", "1000T,10"], "is too large", "give at most")
        self.refused(["--walk", "1000T,10,16,spread"], "is too large", "give at most")

    def test_options_that_exclude_each_other(self):
        for args in (["--json", "--csv"], ["--write", "--atomic"], ["--sizes", "4K", "--max-size", "4K"],
                     ["--cores", "--loaded"], ["--cores", "--cpu", "0"], ["--pmu", "simulated", "--write"], ["--walk", "4K,10", "--json"],
                     ["--walk", "4K,10", "--csv"], ["--walk", "4K,10", "--sizes", "4K"], ["--walk", "4K,10", "-o", "x"]):
            with self.subTest(args):
                self.refused(args, "exclude each other", "give one of them")
        self.refused(["--pmu", "software"], "--pmu needs events", "--events")

    def test_a_cpu_that_is_not_there(self):
        self.refused(["--cpu", "8000"], "CPU 8000", "choose one of")

    def test_files_that_cannot_be_written(self):
        for option in ("-o", "--samples"):
            self.refused([*FEW, option, "nowhere/file"], "cannot write 'nowhere/file'", "create its directory")
        if shutil.which("gnuplot"):
            self.refused([*FEW, "--plot", "nowhere/file.svg"], "cannot write 'nowhere/file.svg'", "create its directory")
        self.refused([*FEW, "--plot", "file.jpeg"], "neither .svg nor .png", "choose")

    def test_one_file_under_two_names_is_refused(self):
        self.refused([*FEW, "-o", "out", "--samples", "./out"], "would go into the same file", "a file of its own")
        if shutil.which("gnuplot"):
            self.refused([*FEW, "-o", "curve.data", "--plot", "curve.svg"], "would go into the same file",
                         "a file of its own")
        self.assertEqual(list(self.directory.iterdir()), [])

    def test_a_file_that_may_not_grow_is_no_death(self):
        def none():
            resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))

        result = latency("--sizes", "4K", "-o", "l.txt", cwd=self.directory, preexec_fn=none)
        self.assertEqual(result.code, 125, result.stderr)
        self.assertIn("cannot write 'l.txt': File too large (EFBIG)", result.stderr)

    def test_without_gnuplot_nothing_is_measured(self):
        begin = time.monotonic()
        self.refused(["--plot", "x.svg"], "gnuplot is not installed", "gnuplot-nox", env={"PATH": str(self.directory)})
        self.assertFalse((self.directory / "x.svg").exists())
        self.assertLess(time.monotonic() - begin, 60)

    @unittest.skipUnless(has_huge_pages(), "this kernel gives no huge pages to anybody")
    def test_huge_pages_that_cannot_be_had(self):
        libc = ctypes.CDLL(None)  # loaded before the fork
        without = {"preexec_fn": lambda: libc.prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0)}
        for args in (["--sizes", "4K", "--pages", "huge"], ["--walk", "4K,10", "--pages", "huge"]):
            self.refused(args, "no huge pages: the program that started tacho switched them off", "--pages small", **without)
        document = self.document("--sizes", "4K,16K", **without)
        self.assertEqual([(size["bytes"], size["page_bytes"]) for size in document["sizes"]],
                         [(4096, os.sysconf("SC_PAGESIZE")), (16384, os.sysconf("SC_PAGESIZE"))])
        self.assertTrue(any("no huge pages: " in each for each in document["warnings"]), document["warnings"])

    def test_a_cpuset_of_one(self):
        one = {"preexec_fn": lambda: os.sched_setaffinity(0, CPUS[:1])}
        self.assertEqual(self.document(*FEW, **one)["cpu"], CPUS[0])
        self.refused(["--cores"], "--cores needs two CPUs", "cpuset", **one)
        self.refused(["--loaded", *FEW], "--loaded needs a second CPU", "cpuset", **one)

    def test_a_signal_in_the_middle_leaves_a_part(self):
        result = self.interrupted(signal.SIGINT, "--json")
        self.assertEqual(result.code, 128 + signal.SIGINT)
        document = json.loads(result.stdout)
        self.assertTrue(document["partial"])
        self.assertGreater(len(document["sizes"]), 0)

    def test_a_signal_while_events_are_counted_ends_it_alike(self):
        result = self.interrupted(signal.SIGTERM, "--json", *FEW, "--events", "page-faults", "--pmu", "software",
                                  when=b"events at")
        self.assertEqual(result.code, 128 + signal.SIGTERM)
        self.assertTrue(json.loads(result.stdout)["partial"])

    def test_a_partial_text_says_so(self):
        result = self.interrupted(signal.SIGTERM)
        self.assertEqual(result.code, 128 + signal.SIGTERM)
        self.assertIn("partial", result.stdout.splitlines()[0])

    @unittest.skipIf(sanitized(), "the sanitizer needs terabytes of addresses")
    def test_a_limit_of_addresses_is_an_error_of_its_own(self):
        import resource
        limit = 256 << 20
        self.refused(["--max-size", "1G", "--pages", "small"], "cannot map", "--max-size",
                     preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))

    @unittest.skipIf(sanitized(), "the sanitizer's own memory is more than the group's")
    def test_a_memory_group_is_kept_to(self):
        group = memory_group(self, 64 << 20)
        result = latency("--json", "--pages", "small", preexec_fn=lambda: join(group))
        self.assertEqual(result.code, 0, result.stderr)
        largest = max(size["bytes"] for size in json.loads(result.stdout)["sizes"])
        self.assertLessEqual(largest, 16 << 20)
        self.refused(["--max-size", "128M"], "memory", "give at most", preexec_fn=lambda: join(group))


def memory_group(case, limit):
    """A control group of a process that may use so much memory; skips where none can be made."""
    for parent, name in ((own_group("memory", "/sys/fs/cgroup/memory"), "memory.limit_in_bytes"),
                         (own_group("", "/sys/fs/cgroup"), "memory.max")):
        group = parent / f"tacho-latency-{os.getpid()}" if parent else None
        try:
            if group is None or not (parent / name).exists() and not (parent / "memory.stat").exists():
                continue
            group.mkdir()
            case.addCleanup(group.rmdir)
            (group / name).write_text(str(limit))
            return group
        except OSError:
            continue
    case.skipTest("no control group for memory can be made here")


def own_group(controller, mount):
    for line in pathlib.Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        if controller in controllers.split(","):
            whole = pathlib.Path(mount + path)
            return whole if whole.is_dir() else pathlib.Path(mount)
    return None


def join(group):
    (group / "cgroup.procs").write_text(str(os.getpid()))


@unittest.skipUnless(shutil.which("objdump"), "objdump is not installed (binutils)")
@unittest.skipUnless(os.uname().machine == "x86_64", "the machine code that is known here is x86-64's")
class MachineCode(unittest.TestCase):
    """What stands between two readings of the clock, in the program itself."""

    @classmethod
    def setUpClass(cls):
        text = subprocess.run(["objdump", "-d", "-C", "--no-show-raw-insn", TACHO], check=True, text=True,
                              capture_output=True).stdout
        cls.functions = {match[1]: match[2] for match in
                         re.finditer(r"^[0-9a-f]+ <(.*?)>:\n((?:.+\n)+)", text, re.MULTILINE)}

    def between_readings(self, function, access):
        """Lists of the instructions between each two rdtsc, without the fences."""
        name = next(each for each in self.functions
                    if f"::{function}<" in each and "Ticks" in each and each.split("Ticks")[1].count(access))
        lines = [re.sub("<.*>", "", line.split("\t")[1]).strip() for line in self.functions[name].splitlines() if "\t" in line]
        at = [i for i, line in enumerate(lines) if line.startswith("rdtsc")]
        self.assertEqual(len(at), 6, "a dummy pair, the bias's and the sample's")
        for i in at:
            self.assertEqual((lines[i - 1], lines[i + 1]), ("lfence", "lfence"))
        return [lines[a + 1:b] for a, b in zip(at[::2], at[1::2])]

    def loads(self, lines):
        return [line for line in lines if re.match(r"mov +(0x[0-9a-f]+)?\(%\w+\),", line)]

    def memory(self, lines):
        return [line for line in lines if "(" in line and not line.startswith(("lea", "nop"))]

    def test_one_load_and_nothing_else_of_memory(self):
        dummy, bias, sample = self.between_readings("singles", "Load")
        self.assertEqual((self.memory(dummy), self.memory(bias)), ([], []))
        self.assertEqual(len(self.memory(sample)), 1, sample)
        self.assertRegex(self.memory(sample)[0], r"^mov +\((%r\w+)\),\1$")

    def test_a_block_is_64_of_them(self):
        dummy, bias, sample = self.between_readings("blocks", "Load")
        self.assertEqual((self.memory(dummy), self.memory(bias)), ([], []))
        self.assertEqual(len(self.memory(sample)), 64)
        self.assertEqual(self.loads(sample), self.memory(sample))

    def test_one_atomic_addition(self):
        sample = self.between_readings("singles", "Atomic")[2]
        self.assertEqual(len(self.memory(sample)), 1, sample)
        self.assertIn("lock xadd", self.memory(sample)[0])


if __name__ == "__main__":
    unittest.main()
