"""Real recordings of other machines, read: against the counts that perf finds, sample by sample
against perf itself and a second reader, and damaged ones within bounds.

The recordings stand beside the checkout (../shared/corpus) or where TACHO_CORPUS says.
"""
import collections
import csv
import os
import pathlib
import re
import resource
import shutil
import struct
import subprocess
import tempfile
import unittest

import recording_oracle
from tacho_cli import BUILD, SOURCE, example, sanitized

CORPUS = pathlib.Path(os.environ.get("TACHO_CORPUS", SOURCE.parent / "shared" / "corpus"))
READER = BUILD / "tests" / "cli" / "recordings" / "read_recording"
PERF = shutil.which("perf")
MEGABYTES = 1 << 20

# perf report -D: "CPU TIME OFFSET [SIZE]: PERF_RECORD_SAMPLE(IP, MISC): PID/TID: IP period: N addr: N"
PERF_SAMPLE = re.compile(r"^(?:-?\d+ )??(?:(\d+) )?0x[0-9a-f]+ \[0x[0-9a-f]+\]: PERF_RECORD_SAMPLE\(.*?\): "
                         r"(-?\d+)/(-?\d+): (?:0x)?([0-9a-f]+) period: (\d+)", re.MULTILINE)
PERF_KIND = re.compile(r"^[^.\n]*\]: PERF_RECORD_(MMAP2?|KSYMBOL|COMM|FORK|EXIT|LOST|LOST_SAMPLES|THROTTLE|UNTHROTTLE|"
                       r"SWITCH|SWITCH_CPU_WIDE)\b", re.MULTILINE)
# A KSYMBOL is a mapping in the reader: of a BPF program that the kernel compiled.
KINDS = {"MMAP": "mapping", "MMAP2": "mapping", "KSYMBOL": "mapping", "COMM": "command", "FORK": "fork", "EXIT": "exit",
         "LOST": "lost", "LOST_SAMPLES": "lost", "THROTTLE": "throttle", "UNTHROTTLE": "throttle",
         "SWITCH": "switch", "SWITCH_CPU_WIDE": "switch"}


class Read:
    """The output of read_recording."""

    def __init__(self, output):
        lines = output.splitlines()
        self.error = next((line for line in lines if line.startswith("error ")), None)
        self.kinds = collections.Counter(line.split()[0] for line in lines)
        fields = [line.split(" ", 8)[1:] for line in lines if line.startswith("sample ")]
        self.samples = [(_number(f[0]), _number(f[1]), _number(f[2]), int(f[3], 16), _number(f[4]))
                        for f in fields]
        self.chains = sum(int(f[5]) for f in fields)
        self.branches = sum(int(f[6]) for f in fields)


def _number(text):
    return None if text == "-" else int(text)


def bound(megabytes):
    """For preexec_fn: limits the memory. The sanitizers need more."""
    if sanitized():
        return None
    return lambda: resource.setrlimit(resource.RLIMIT_AS, (megabytes * MEGABYTES, megabytes * MEGABYTES))


def read(path, **options):
    result = subprocess.run([READER, path], capture_output=True, text=True, errors="replace", timeout=60,
                            preexec_fn=bound(64), **options)
    assert result.returncode in (0, 1), f"{path}: {result.returncode} {result.stderr}"
    return Read(result.stdout)


class ComparedWithPerf(unittest.TestCase):
    def compare_with_perf(self, path):
        dump = subprocess.run([PERF, "report", "-D", "-i", path], capture_output=True, text=True, errors="replace",
                              stdin=subprocess.DEVNULL, timeout=120).stdout
        found = read(path)
        theirs = [(int(time or 0), int(pid), int(tid), int(ip, 16)) for time, pid, tid, ip, _ in
                  PERF_SAMPLE.findall(dump)]
        self.assertEqual([(time or 0, pid, tid, ip) for time, pid, tid, ip, _ in found.samples], theirs)
        if found.samples[0][4] is not None:  # otherwise perf shows the requested period
            self.assertEqual([sample[4] for sample in found.samples],
                             [int(period) for *_, period in PERF_SAMPLE.findall(dump)])
        chains = re.findall(r"^\.\.\. (?:FP|LBR) chain: nr:(\d+)", dump, re.MULTILINE)
        self.assertEqual(found.chains, sum(map(int, chains)))
        branches = re.findall(r"^\.\.\. branch stack: nr:(\d+)", dump, re.MULTILINE)
        self.assertEqual(found.branches, sum(map(int, branches)))
        kinds = collections.Counter(KINDS[kind] for kind in PERF_KIND.findall(dump))
        self.assertEqual({kind: found.kinds[kind] for kind in KINDS.values()}, {kind: kinds[kind] for kind in KINDS.values()})


@unittest.skipUnless((CORPUS / "manifest.tsv").exists(),
                     f"no recordings in {CORPUS}: TACHO_CORPUS says where they are")
class Recordings(ComparedWithPerf):
    @classmethod
    def setUpClass(cls):
        with open(CORPUS / "manifest.tsv", encoding="utf-8", newline="") as file:
            cls.manifest = list(csv.DictReader(file, delimiter="\t"))
        cls.whole = [row for row in cls.manifest if not row["file"].startswith("damaged/")]

    def test_have_the_samples_that_perf_finds(self):
        compared = 0
        for row in self.whole:
            if row["perf_exit"] == "0" and row["samples_perf_6.1"] != "0":
                with self.subTest(row["file"]):
                    found = read(CORPUS / row["file"])
                    self.assertEqual(len(found.samples), int(row["samples_perf_6.1"]))
                    compared += 1
        self.assertGreater(compared, 20)

    def test_that_perf_cannot_read_are_read(self):
        newer = [row["file"] for row in self.whole if row["samples_perf_6.1"] == "0"]
        self.assertGreater(len(newer), 5)
        for file in newer:
            with self.subTest(file):
                self.assertGreater(len(read(CORPUS / file).samples), 0)

    def test_have_the_samples_that_a_second_reader_finds(self):
        for row in self.whole:
            with self.subTest(row["file"]):
                try:
                    expected = recording_oracle.read_samples(CORPUS / row["file"])
                except recording_oracle.MissingZstd as missing:
                    self.skipTest(str(missing))
                found = read(CORPUS / row["file"]).samples
                self.assertEqual(found, expected)

    def test_end_without_an_error_unless_bytes_follow_them(self):
        for row in self.whole:
            with self.subTest(row["file"]):
                error = read(CORPUS / row["file"]).error
                if row["file"] in ("piped.extrabyte-3.4.data", "piped.extradata-3.4.data", "sleep.compressed2.pipe.data"):
                    self.assertRegex(error, r"is damaged at byte \d+: it ends in the middle of a record; "
                                            r"the \d+ samples before it are shown")
                else:
                    self.assertIsNone(error)

    def test_are_the_same_from_standard_input(self):
        for file in ("piped.hw_and_sw-3.4.data", "fibo.compressed2.pipe.data", "piped.intel_pt-4.14.data"):
            with self.subTest(file):
                expected = read(CORPUS / file).samples
                with subprocess.Popen(["cat", CORPUS / file], stdout=subprocess.PIPE) as cat:
                    self.assertEqual(read("-", stdin=cat.stdout).samples, expected)
        with open(CORPUS / "branch-4.14.data", "rb") as file:
            self.assertEqual(len(read("-", stdin=file).samples), 13)
        with subprocess.Popen(["cat", CORPUS / "branch-4.14.data"], stdout=subprocess.PIPE) as cat:
            self.assertEqual(read("-", stdin=cat.stdout).error,
                             "error standard input is a recording that can't be read as a stream; "
                             "give the file's name, or pipe the output of 'tacho record -o -' or 'perf record -o -'")

    def test_have_the_branches_that_their_readme_counts(self):
        found = read(CORPUS / "lbr-cycles-xeon-gold-6154.data")
        self.assertEqual((len(found.samples), found.branches), (4639, 148448))
        found = read(CORPUS / "branch-4.14.data")
        self.assertEqual((len(found.samples), found.branches), (13, 416))

    @unittest.skipUnless(PERF, "perf is not installed: packaging/setup bench installs it")
    def test_have_the_same_samples_as_in_perf(self):
        for row in self.whole:
            if row["perf_exit"] != "0" or row["samples_perf_6.1"] == "0":
                continue
            with self.subTest(row["file"]):
                self.compare_with_perf(CORPUS / row["file"])

    def test_that_are_damaged_end_in_an_error_within_64_megabytes(self):
        damaged = [row["file"] for row in self.manifest if row["file"].startswith("damaged/")]
        self.assertGreater(len(damaged), 10)
        for file in damaged:
            with self.subTest(file):
                found = read(CORPUS / file)
                self.assertRegex(found.error or "", r"is damaged at byte \d+: .*; .")


@unittest.skipUnless(PERF, "perf is not installed: packaging/setup bench installs it")
class RecordingsOfThisMachine(ComparedWithPerf):
    def compare(self, *options):
        with tempfile.TemporaryDirectory() as directory:
            path = pathlib.Path(directory, "perf.data")
            made = subprocess.run([PERF, "record", "-e", "cpu-clock:u", "-F", "2000", "-o", path, *options, "--",
                                   example("naive"), "500"], capture_output=True, text=True, timeout=60)
            if made.returncode != 0 or not path.exists():
                self.skipTest(f"perf record can't record here: {made.stderr.strip()[-200:]}")
            self.assertGreater(len(read(path).samples), 10)
            self.compare_with_perf(path)

    def test_plain(self):
        self.compare()

    def test_compressed(self):
        self.compare("-z")

    def test_with_call_chains(self):
        self.compare("-g")

    def test_with_stacks_and_registers(self):
        self.compare("--call-graph", "dwarf,1024")

    def test_of_two_events(self):
        self.compare("-e", "page-faults:u")


class LargeRecordings(unittest.TestCase):
    """A stream of samples with call chains of 8,000 bytes, far larger than the memory allowed."""

    CHAIN = 1000
    IP_TIME_CHAIN = 1 | 4 | 32

    def attr(self):
        attr = struct.pack("<II5Q", 0, 64, 0, 1, self.IP_TIME_CHAIN, 0, 0).ljust(64, b"\0")
        return b"PERFILE2" + struct.pack("<Q", 16) + struct.pack("<IHH", 64, 0, 8 + len(attr)) + attr

    def sample(self, time):
        body = struct.pack("<3Q", 0x1000, time, self.CHAIN) + bytes(8 * self.CHAIN)
        return struct.pack("<IHH", 9, 2, 8 + len(body)) + body

    def count(self, rounds, samples_of_a_round, megabytes):
        """The samples of this many rounds that are read, in order, within this much memory."""
        finished_round = struct.pack("<IHH", 68, 0, 8)
        with tempfile.TemporaryFile() as out, subprocess.Popen(
                [READER, "-"], stdin=subprocess.PIPE, stdout=out, preexec_fn=bound(megabytes)) as reader:
            reader.stdin.write(self.attr())
            for number in range(rounds):
                first = number * samples_of_a_round
                reader.stdin.write(b"".join(self.sample(time) for time in range(first + 1, first + samples_of_a_round + 1)))
                reader.stdin.write(finished_round)
            reader.stdin.close()
            self.assertEqual(reader.wait(timeout=60), 0)
            out.seek(0)
            times = [int(line.split()[1]) for line in out]
        self.assertEqual(times, sorted(times))
        return len(times)

    def test_take_no_more_memory_than_small_ones(self):
        self.assertEqual(self.count(rounds=300, samples_of_a_round=100, megabytes=24), 30_000)

    def test_without_rounds_take_no_more_memory_than_the_waiting_samples(self):
        self.assertEqual(self.count(rounds=1, samples_of_a_round=30_000, megabytes=80), 30_000)


if __name__ == "__main__":
    unittest.main()
