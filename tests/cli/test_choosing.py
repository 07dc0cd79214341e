"""Choosing samples (--comm, --pid, --module, --cpu, --time), rows by their owners (--sort comm, pid, tid, cpu), and the
kinds of files that a recording may be. perf script says which samples there are."""
import collections
import gzip
import lzma
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from tacho_cli import example, finish, run, start

PERF = shutil.which("perf")


def perf(*args):
    return subprocess.run([PERF, *map(str, args)], capture_output=True, stdin=subprocess.DEVNULL, text=True,
                          errors="replace", check=False)


def script(data, *args):
    """The samples as perf sees them: name, pid, tid, CPU, time in s, module."""
    out = perf("script", "-i", data, "-F", "comm,pid,tid,cpu,time,ip,dso", *args).stdout
    line = re.compile(r"^\s*(.+?)\s+(-?\d+)/(-?\d+)\s+\[(\d+)\]\s+([\d.]+):\s+[0-9a-f]+ \((.+)\)$", re.MULTILINE)
    return [(name, int(pid), int(tid), int(cpu), float(at), module)
            for name, pid, tid, cpu, at, module in line.findall(out)]


@unittest.skipUnless(PERF, "perf is not installed (linux-perf): there is no recording to compare")
class Choosing(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory(prefix="tacho-choosing-")
        cls.addClassCleanup(scratch.cleanup)
        cls.directory = pathlib.Path(scratch.name)
        cls.data = cls.directory / "perf.data"
        for name in ("alpha", "beta"):  # two commands of one recording
            shutil.copy(example("naive"), cls.directory / name)
        done = perf("record", "-q", "-e", "cpu-clock", "-F", "2000", "--sample-cpu", "-o", cls.data, "--", "sh", "-c",
                    f"{cls.directory}/alpha 200; {cls.directory}/beta 300; :")
        if done.returncode != 0:
            raise unittest.SkipTest(f"perf can't record here: {done.stderr.strip()[-200:]}")
        cls.samples = script(cls.data)

    def report(self, *args, code=0):
        result = run("report", "-i", self.data, "--json", *args)
        self.assertEqual(result.code, code, result.stderr)
        return result.json() if code == 0 else result.stderr

    def chosen(self, *args):
        document = self.report(*args)
        samples = sum(row["samples"] for row in document["rows"])
        self.assertEqual(document["chosen"]["samples"], samples)
        self.assertEqual(document["chosen"]["of"], len(self.samples))
        return samples

    def count(self, wanted):
        return sum(1 for sample in self.samples if wanted(*sample))

    def test_each_aspect_has_perfs_samples(self):
        self.assertGreater(len(self.samples), 20)
        beta = next(pid for name, pid, *_ in self.samples if name == "beta")
        cpu = collections.Counter(sample[3] for sample in self.samples).most_common(1)[0][0]
        kernel = next((module for *_, module in self.samples if module.startswith("[kernel")), None)
        for args, wanted in (
                (["--comm", "alpha"], lambda name, *_: name == "alpha"),
                (["--comm", "alpha,beta"], lambda name, *_: name in ("alpha", "beta")),
                (["--pid", beta], lambda _, pid, *more: pid == beta),
                (["--tid", beta], lambda _, pid, tid, *more: tid == beta),
                (["--cpu", cpu], lambda name, pid, tid, at, *_: at == cpu),
                (["--module", "beta"], lambda *all: all[-1].endswith("/beta")),
                (["--dso", self.directory / "alpha"], lambda *all: all[-1].endswith("/alpha")),
                (["--comm", "beta", "--module", "beta"], lambda *all: all[0] == "beta" and all[-1].endswith("/beta"))):
            with self.subTest(args):
                self.assertEqual(self.chosen(*args), self.count(wanted))
                self.assertEqual(len(run("dump", self.data, "-G", *args).stdout.splitlines()), self.count(wanted))
        if kernel:
            self.assertEqual(self.chosen("--module", "[kernel.kallsyms]"),
                             self.count(lambda *all: all[-1].startswith("[kernel")))

    def test_times_are_perfs(self):
        times = sorted(sample[4] for sample in self.samples)
        middle = times[len(times) // 2]
        for text in (f"{middle:.6f},", f",{middle:.6f}", f"{times[3]:.6f},{middle:.6f}", "10%-20%", "20%/3",
                     "0%-10%,50%-60%", "0%-100%"):
            with self.subTest(text):
                # perf script prints microseconds only: at the ends it may be one sample more or less
                self.assertAlmostEqual(self.chosen("--time", text), len(script(self.data, "--time", text)), delta=1)
        halves = [self.chosen("--time", half) for half in ("50%/1", "50%/2")]
        self.assertEqual(sum(halves), len(self.samples))
        first = times[0]
        self.assertAlmostEqual(self.chosen("--time", "+0,+0.05"), self.count(
            lambda name, pid, tid, cpu, at, module: at <= first + 0.05), delta=1)

    def test_rows_by_owner_are_perfs(self):
        for sort, key, part in (("comm", "command", 0), ("pid", "pid", 1), ("tid", "tid", 2), ("thread", "tid", 2),
                                ("cpu", "cpu", 3)):
            with self.subTest(sort):
                rows = {row[key]: row["samples"] for row in self.report("-s", sort)["rows"]}
                self.assertEqual(rows, collections.Counter(sample[part] for sample in self.samples))
        text = run("report", "-i", self.data, "-s", "thread").stdout
        self.assertRegex(text, r"share .* command +pid +tid\n")
        self.assertRegex(text, r"\n .* beta +\d+ +\d+\n")

    def test_the_basis_of_shares_is_said(self):
        self.assertIn(" shares    of all samples of cpu-clock\n", run("report", "-i", self.data).stdout)
        alpha = self.count(lambda name, *_: name == "alpha")
        text = run("report", "-i", self.data, "--comm", "alpha").stdout
        self.assertIn(f" shares    of the chosen samples of cpu-clock ({alpha} of {len(self.samples)} samples): command alpha\n",
                      text)
        annotated = run("annotate", "multiply", "-i", self.data, "--comm", "alpha")
        self.assertIn("of those of command alpha", " ".join(annotated.stdout.split()))
        folded = run("report", "-i", self.data, "--comm", "alpha", "--folded").stdout
        self.assertNotIn("beta", folded)
        compared = run("report", "-i", self.data, "--comm", "alpha", "--compare", self.data)
        self.assertIn(" shares    of the samples of command alpha\n", compared.stdout)
        self.assertNotIn("beta", compared.stdout.partition(" shares ")[2])

    def test_a_choice_of_nothing_names_what_there_is(self):
        for args, what, remedy in (
                (["--comm", "alphabet"], "is of command alphabet", "samples of beta: "),
                (["--pid", 1], "is of pid 1", " (alpha): "),
                (["--module", "libnone.so"], "is of module libnone.so", "/beta: "),
                (["--cpu", "4095"], "is of CPU 4095", "CPU "),
                (["--time", "1,2"], "is of time 1,2", "the samples are from "),
                (["--comm", "alpha", "--module", "beta"], "is of command alpha; module beta", "--comm has ")):
            with self.subTest(args):
                error = self.report(*args, code=125)
                self.assertIn(what, error)
                self.assertIn(remedy, error.partition("remedy: ")[2])
        for args, what in ((["--time", "soon"], "--time 'soon' is no stretch of time"),
                           (["--cpu", "x"], "'x' is no list of CPUs"), (["--pid", "sh"], "'sh' is not the number")):
            with self.subTest(args):
                self.assertIn(what, run("report", "-i", self.data, *args).stderr)

    def test_compressed_recordings(self):
        whole = self.report()["rows"]
        content = self.data.read_bytes()
        for name, compress in (("data.gz", gzip.compress), ("data.xz", lzma.compress)):
            with self.subTest(name):
                file = self.directory / name
                file.write_bytes(compress(content))
                result = run("report", "--json", "-i", file)
                self.assertEqual(result.code, 0, result.stderr)
                self.assertEqual(result.json()["rows"], whole)
        with subprocess.Popen(["cat", self.directory / "data.gz"], stdout=subprocess.PIPE) as cat:
            piped = finish(start("report", "--json", "-i", "-", stdin=cat.stdout))
            self.assertEqual(piped.json()["rows"], whole, piped.stderr)

    def test_directories_of_perf(self):
        directory = self.directory / "threads"
        done = perf("record", "-q", "-e", "cpu-clock", "-F", "500", "-a", "--threads=cpu", "-o", directory, "--",
                    example("naive"), "100")
        if done.returncode != 0 or not directory.is_dir():
            self.skipTest(f"perf can't write a directory here: {done.stderr.strip()[-200:]}")
        result = run("report", "--json", "-s", "cpu", "-i", directory)
        self.assertEqual(result.code, 0, result.stderr)
        found = {row["cpu"]: row["samples"] for row in result.json()["rows"]}
        self.assertEqual(found, collections.Counter(sample[3] for sample in script(directory)))

    def test_several_processes_are_recorded(self):
        running = [subprocess.Popen([example("naive"), "3000"], stdout=subprocess.DEVNULL) for _ in range(2)]
        try:
            pids = [process.pid for process in running]
            file = self.directory / "attached"
            done = run("record", "-q", "-e", "cpu-clock", "-F", "1000", "-p", f"{pids[0]},{pids[1]}", "-o", file, "--",
                       "sleep", "0.3")
            self.assertEqual(done.code, 0, done.stderr)
            twice = run("record", "-p", pids[0], "-p", pids[0], "-o", file)
            self.assertIn(f"-p has process {pids[0]} twice", twice.stderr)
        finally:
            for process in running:
                process.kill()
                process.wait()
        rows = run("report", "-i", file, "--json", "-s", "pid").json()["rows"]
        self.assertEqual({row["pid"] for row in rows}, set(pids))
        self.assertEqual({row["command"] for row in rows}, {"naive"})

    def test_pieces_of_switch_output(self):
        base = self.directory / "pieces"
        with subprocess.Popen([PERF, "record", "-q", "-e", "cpu-clock", "-F", "2000", "--switch-output", "-o", base, "--",
                               example("naive"), "900"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as running:
            while running.poll() is None and not list(self.directory.glob("pieces.2*")):
                time.sleep(0.1)
                if base.exists() and base.stat().st_size > 0:
                    running.send_signal(signal.SIGUSR2)  # the next piece
        pieces = sorted(self.directory.glob("pieces.2*"))
        if len(pieces) < 2:
            self.skipTest(f"perf made {len(pieces)} pieces")
        samples = sum(len(perf("script", "-F", "ip", "-i", piece).stdout.split()) for piece in pieces)
        for names in (pieces, [f"{base}.2*"], reversed(pieces)):
            result = run("report", *[word for name in names for word in ("-i", name)])
            self.assertEqual(result.code, 0, result.stderr)
            self.assertIn(f" files     {len(pieces)} files are read as pieces of one recording\n", result.stdout)
            self.assertIn(f"cpu-clock: {samples} samples", result.stdout.replace(",", ""))
        self.assertIn("are no pieces of one recording", run("report", "-i", self.data, "-i", pieces[0]).stderr)
        self.assertEqual(run("annotate", "multiply", "-i", f"{base}.2*").code, 0)


if __name__ == "__main__":
    unittest.main()
