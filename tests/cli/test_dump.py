"""tacho dump: beside perf script on recordings of other machines and of this one, and each record against a second
reader. The recordings stand beside the checkout (../shared/corpus) or where TACHO_CORPUS says."""
import csv
import itertools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from tacho_cli import SOURCE, TACHO, example, run

sys.path.insert(0, str(SOURCE / "tests"))
import perf_data  # noqa: E402

CORPUS = pathlib.Path(os.environ.get("TACHO_CORPUS", SOURCE.parent / "shared" / "corpus"))
PERF = shutil.which("perf")
needs_corpus = unittest.skipUnless((CORPUS / "manifest.tsv").exists(),
                                   f"no recordings in {CORPUS}: TACHO_CORPUS says where they are")
needs_perf = unittest.skipUnless(PERF, "perf is not installed: packaging/setup bench installs it")
HEAD = re.compile(r"^\S.* +\d+ (?:\[\d+\] )?+ *[\d.]+: .*: $")
FRAME = re.compile(r"^\t *([0-9a-f]+) (.*?)(\+0x[0-9a-f]+)? \((.*)\)$")
LINE = re.compile(r"^(.*: +)([0-9a-f]+) (.*?)(\+0x[0-9a-f]+)? \((.*)\)$")


def perf_script(path, *options):
    return subprocess.run([PERF, "script", "-i", path, *options], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True, errors="replace", timeout=120, check=False).stdout


def dump(*options, code=0):
    result = run("dump", *options, timeout=60)
    assert result.code == code, f"{options}: {result.code} {result.stderr}"
    return result.stdout


@needs_corpus
class RecordingsOfOtherMachines(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with open(CORPUS / "manifest.tsv", encoding="utf-8", newline="") as file:
            cls.manifest = list(csv.DictReader(file, delimiter="\t"))

    @needs_perf
    def test_have_the_lines_of_perf_script(self):
        compared = 0
        for row in self.manifest:
            # The events of AUX traces are synthesised by perf. perf 6.1 does not find the samples of newer recordings.
            if row["perf_exit"] != "0" or row["samples_perf_6.1"] == "0" or "intel_pt" in row["file"]:
                continue
            with self.subTest(row["file"]):
                options = ["-i", CORPUS / row["file"], "-G", "-F", "-sym,-symoff,-dso"]
                expected = perf_script(*options[1:])
                # Bytes that follow the last record are damage for tacho.
                found = dump(*options, code=125 if "piped.extra" in row["file"] else 0)
                self.assertEqual(found.splitlines(), expected.splitlines())
                compared += len(expected.splitlines())
        self.assertGreater(compared, 5000)

    @needs_perf
    def test_have_the_branches_of_perf_script(self):
        for file in ("branch-4.14.data", "branch_stack_hw_index.data", "raw_callgraph_branch-3.4.data"):
            with self.subTest(file):
                expected = perf_script(CORPUS / file, "-G", "-F", "ip,brstack")
                self.assertEqual(dump("-i", CORPUS / file, "-G", "-F", "ip,brstack"), expected)

    def test_that_perf_cannot_read_have_all_samples(self):
        for file in ("fibo.compressed2.pipe.data", "sleep.compressed2.data"):
            with self.subTest(file):
                lines = dump("-i", CORPUS / file, "--json").splitlines()
                self.assertGreater(len(lines), 3)
                self.assertTrue(all("ip" in json.loads(line) for line in lines))

    def test_that_are_damaged_end_in_an_error_with_its_place(self):
        for row in self.manifest:
            if row["file"].startswith("damaged/"):
                for raw in ([], ["--raw"]):
                    with self.subTest(row["file"], raw=raw):
                        result = run("dump", "-i", CORPUS / row["file"], *raw)
                        self.assertEqual(result.code, 125)
                        self.assertRegex(result.stderr, r"tacho: error: .*(is damaged at byte \d+|is no recording)")

    def test_every_record_is_dumped_raw(self):
        for file in ("branch-4.14.data", "hw_and_sw-3.4.data", "hybrid_topology.data"):
            with self.subTest(file):
                found = [json.loads(line) for line in dump("-i", CORPUS / file, "--raw", "--json").splitlines()]
                expected = [(kind, misc, len(body) + 8) for kind, misc, body in perf_data.records(CORPUS / file)]
                self.assertEqual([(each["type"], each["misc"], each["size"]) for each in found], expected)
                for each, following in zip(found, found[1:]):
                    self.assertEqual(following["offset"], each["offset"] + each["size"])
                self.assertFalse([each for each in found if "cut" in each["fields"]])


def samples_of(lines):
    """The lines of each sample: the first one, then its frames."""
    samples = []
    for line in lines:
        if line and not FRAME.match(line):
            samples.append([])
        samples[-1].append(line)
    return samples


def comparable(ours, theirs):
    """The lines of the samples that both can name: ours and theirs.

    Ours are without the callers of innermost functions that have no frame, which perf does not know. A few samples of
    the loader's start are left out: perf ends their chains in a frame of no module.
    """
    own_lines, other_lines, left_out = [], [], 0
    samples = list(itertools.zip_longest(samples_of(ours), samples_of(theirs), fillvalue=()))
    for own, other in samples:
        if any(line.endswith("[unknown] ([unknown])") for line in other):
            left_out += 1
            continue
        added = len(own) == len(other) + 1
        own_lines += [line for place, line in enumerate(own) if not added or place != 2]
        other_lines += other
    assert left_out <= len(samples) / 10, f"perf could not name {left_out} of {len(samples)} samples"
    return own_lines, other_lines


@needs_perf
class RecordingsOfThisMachine(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory(prefix="tacho-dump-")
        cls.addClassCleanup(cls.scratch.cleanup)

    def record(self, *options):
        path = pathlib.Path(self.scratch.name, "-".join(options).replace("/", "_") + ".data")
        if not path.exists():
            made = subprocess.run([PERF, "record", "-q", "-e", "cpu-clock:u", "-F", "997", "-o", path, *options, "--",
                                   example("naive"), "500"], capture_output=True, text=True, timeout=60, check=False)
            if made.returncode != 0 or not path.exists():
                self.skipTest(f"perf record can't record here: {made.stderr.strip()[-200:]}")
        return path

    def test_are_named_as_perf_names_them(self):
        path = self.record("-z")
        ours, theirs = dump("-i", path).splitlines(), perf_script(path).splitlines()
        self.assertGreater(len(ours), 20)
        self.assertEqual(len(ours), len(theirs))
        named = 0
        for line, expected in zip(ours, theirs):
            found, wanted = LINE.match(line), LINE.match(expected)
            self.assertEqual(found.group(1, 2, 5), wanted.group(1, 2, 5))
            if "[unknown]" not in (found.group(3), wanted.group(3)):
                self.assertEqual(found.group(3, 4), wanted.group(3, 4))
                named += 1
        self.assertGreater(named, len(ours) * 0.9)

    def compare_chains(self, path, same_places):
        """perf 6.1 prints offsets in files, later ones addresses, as tacho does: the lowest bits are the same."""
        ours, theirs = dump("-i", path).splitlines(), perf_script(path, "--no-inline").splitlines()
        ours, theirs = comparable(ours, theirs)
        self.assertEqual(len(ours), len(theirs))
        frames = 0
        for line, expected in zip(ours, theirs):
            found, wanted = FRAME.match(line), FRAME.match(expected)
            self.assertEqual(bool(found), bool(wanted), (line, expected))
            if not found:
                self.assertEqual(line, expected)
                continue
            frames += 1
            self.assertEqual(found.group(4), wanted.group(4))
            if "[unknown]" in (found.group(2), wanted.group(2)):
                continue
            if (found.group(2) or "").endswith("@plt"):  # perf may give it the name of the function before, _init
                continue
            if wanted.group(2) == "_dl_start_user":  # perf looks up the return address, which is behind the call of _start
                continue
            if "@@" not in wanted.group(2):  # perf keeps the version of a symbol
                self.assertEqual(found.group(2), wanted.group(2))
            if same_places:
                self.assertEqual(int(found.group(1), 16) % 4096, int(wanted.group(1), 16) % 4096)
                self.assertEqual(found.group(3), wanted.group(3))
        self.assertGreater(frames, 50)

    def test_have_perfs_call_chains(self):
        self.compare_chains(self.record("-g"), same_places=True)

    def test_have_perfs_call_chains_from_copies_of_the_stack(self):
        # perf prints the address before a return address there.
        self.compare_chains(self.record("--call-graph", "dwarf,4096"), same_places=False)

    def test_are_the_same_as_json_and_from_a_stream(self):
        path = self.record("-g")
        text = dump("-i", path, "-G", "-F", "-sym,-symoff,-dso", "--ns").splitlines()
        found = [json.loads(line) for line in dump("-i", path, "--json").splitlines()]
        self.assertEqual(len(found), len(text))
        for line, sample in zip(text, found):
            seconds, nanoseconds = re.search(r" (\d+)\.(\d{9}): ", line).groups()
            self.assertEqual(sample["time_ns"], int(seconds + nanoseconds))
            self.assertEqual(f" {sample['tid']} " in line, True)
            self.assertEqual(int(sample["ip"], 16), int(line.split()[-1], 16))
            self.assertEqual(sample["chain"][0]["ip"], sample["ip"])
        with open(path, "rb") as file:
            piped = subprocess.run([TACHO, "dump", "-i", "-", "--json"], stdin=file, capture_output=True, text=True,
                                   timeout=60, check=True)
        self.assertEqual([json.loads(line) for line in piped.stdout.splitlines()], found)

    def test_end_quietly_when_the_reader_goes(self):
        path = self.record("-g")
        done = subprocess.run(["sh", "-c", '"$0" dump -i "$1" --raw | head -n 1', TACHO, path], capture_output=True,
                              text=True, timeout=60, check=True)
        self.assertEqual((len(done.stdout.splitlines()), done.stderr), (1, ""))


if __name__ == "__main__":
    unittest.main()
