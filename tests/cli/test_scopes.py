"""Whom `tacho stat` and `tacho record` count: processes, threads, CPUs and control groups, and tables of parts.

The programs touch known numbers of pages, each of which is one page fault.
"""
import contextlib
import json
import mmap
import os
import pathlib
import subprocess
import tempfile
import threading
import time
import unittest

from exposition import series
from tacho_cli import Scratch, assert_pages, event, finish, needs_kernel_counts, run, start, stat_json
from test_calipers import PROGRAMS

GATED = PROGRAMS / "gated"
QUIET_TRIES = 5  # to find a CPU on which other processes touch few pages
FEW = 40  # page faults beside the pages, such as those of the C library


def hierarchy():
    """Where the kernel counts control groups, if this user may make some there."""
    unified = None
    for line in pathlib.Path("/proc/mounts").read_text().splitlines():
        _, path, kind, options, *_ = line.split()
        if kind == "cgroup" and "perf_event" in options.split(","):
            return pathlib.Path(path) if os.access(path, os.W_OK) else None
        if kind == "cgroup2" and unified is None:
            unified = pathlib.Path(path)
    return unified if unified and os.access(unified, os.W_OK) and os.geteuid() == 0 else None


class Toucher:
    """A process that touches as many pages as it is told."""

    def __init__(self, case, cpu=None, group=None):
        def before():
            if cpu is not None:
                os.sched_setaffinity(0, {cpu})
            if group is not None:
                (group / "cgroup.procs").write_text(str(os.getpid()))
        self.process = subprocess.Popen([GATED, "asked"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        preexec_fn=before)
        case.addCleanup(self.end)
        self.touch(1)  # so it has started

    def touch(self, pages):
        self.process.stdin.write(f"{pages}\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline() == "done\n"

    def end(self):
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


def faults(entries):
    return next(e["count"] for e in entries if e["name"] == "page-faults")


class Counted(Scratch):
    """tacho counts while the work is done: between two commands of its control channel."""

    def count(self, options, work, ends_itself=False):
        names = [self.directory / name for name in ("commands", "answers")]
        for each in names:
            if not each.exists():
                os.mkfifo(each)
        out = self.directory / "out.json"
        tacho = start("stat", "--json", "-o", out, "-e", "page-faults,task-clock", "-D", "-1", *options, "--control",
                      "fifo:" + ",".join(map(str, names)))
        commands, answers = (os.open(each, os.O_RDWR) for each in names)
        for text in (b"enable\n",) if ends_itself else (b"enable\n", b"stop\n"):
            os.write(commands, text)
            # perf's answer. If tacho has ended, finish() says so.
            if os.read(answers, 100) and text == b"enable\n":
                work()
        os.close(commands)
        os.close(answers)
        result = finish(tacho)
        self.assertEqual(result.code, 0, result.stderr)
        return json.loads(out.read_text())


class Tasks(Counted):
    def test_several_processes_and_no_other(self):
        a, b, other = Toucher(self), Toucher(self), Toucher(self)
        pids = f"{a.process.pid},{b.process.pid}"

        def work():
            a.touch(300)
            b.touch(500)
            other.touch(4000)
        document = self.count(["-p", pids, "--per-thread"], work)
        self.assertEqual(document["label"], "processes " + pids.replace(",", ", "))
        assert_pages(self, event(document, "page-faults")["count"], 800, FEW)
        parts = [faults(part["events"]) for part in document["parts"]]
        self.assertEqual(sum(parts), event(document, "page-faults")["count"])
        assert_pages(self, parts[0], 300, FEW)

    def test_a_thread_and_no_other(self):
        """The threads are those of this very process."""
        go, tids, done = threading.Event(), {}, threading.Event()

        def touching(name):
            tids[name] = threading.get_native_id()
            go.wait(20)
            pages = {"counted": 600, "other": 3000}[name]
            memory = mmap.mmap(-1, 4096 * pages)
            memory.madvise(mmap.MADV_NOHUGEPAGE)
            for page in range(pages):
                memory[4096 * page] = 1
            done.wait(20)
        threads = [threading.Thread(target=touching, args=(name,)) for name in ("counted", "other")]
        for each in threads:
            each.start()
        while len(tids) < 2:
            time.sleep(0.01)

        def work():
            go.set()
            time.sleep(0.3)
        try:
            document = self.count(["-t", str(tids["counted"])], work)
        finally:
            done.set()
            for each in threads:
                each.join()
        self.assertEqual(document["label"], f"thread {tids['counted']}")
        assert_pages(self, event(document, "page-faults")["count"], 600, 150)

    def test_wrong_targets_are_named(self):
        for words, what in ((["-t", "4194304"], "there is no thread"), (["-p", f"{os.getpid()},{os.getpid()}"], "twice"),
                            (["-C", "4000"], "CPU 4000 is not online"), (["-C", "0-"], "no list of CPUs"),
                            (["-C", "0,0"], "-C has CPU 0 twice"), (["-a", "-p", str(os.getpid())], "exclude each other"),
                            (["--per-core"], "needs -a or -C"), (["--per-thread"], "needs -p PID, -t TID or -a"),
                            (["-G", "a", "-C", "0"], "exclude"), (["-G", ""], "is empty"),
                            (["-G", "no such group"], "no control group 'no such group'"),
                            (["--for-each-cgroup", "x("], "not a regular expression")):
            result = run("stat", *words, "--", "touch", self.directory / "ran")
            self.assertEqual(result.code, 125, result.stderr)
            self.assertIn(what, result.stderr)
            self.assertFalse((self.directory / "ran").exists(), words)

    def test_record_of_threads_and_cpus(self):
        child = Toucher(self)
        out = self.directory / "data"
        for words in (["-t", child.process.pid], ["-C", "0"]):
            result = run("record", "-o", out, "-e", "page-faults", "-c", "1", *words, "--", "taskset", "-c", "0", GATED,
                         "loop")
            self.assertEqual(result.code, 0, result.stderr)
        samples = run("report", "-i", out, "--json").json()
        self.assertGreater(sum(row["samples"] for row in samples["rows"]), 0)
        cpus = run("report", "-i", out, "--json", "-s", "cpu").json()
        self.assertEqual({row["cpu"] for row in cpus["rows"]}, {0})


@needs_kernel_counts
class Cpus(Counted):
    @unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "this machine has one CPU")
    def test_cpus_are_counted_apart_and_add_up(self):
        first, second = sorted(os.sched_getaffinity(0))[:2]
        a, b = Toucher(self, cpu=first), Toucher(self, cpu=second)

        def work():
            a.touch(5000)
            b.touch(20_000)
        for _ in range(QUIET_TRIES):
            document = self.count(["-a", "-A"], work)
            parts = {part["label"]: faults(part["events"]) for part in document["parts"]}
            self.assertEqual(sum(parts.values()), event(document, "page-faults")["count"])
            self.assertGreaterEqual(parts[f"CPU {first}"], 5000)
            self.assertGreaterEqual(parts[f"CPU {second}"], 20_000)
            document = self.count(["-C", str(first)], work)
            self.assertEqual(document["label"], f"CPU {first}")
            alone = event(document, "page-faults")["count"]
            self.assertGreaterEqual(alone, 5000)
            if max(alone, parts[f"CPU {first}"]) < 20_000:
                return
        self.fail(f"CPU {first} has the page faults of CPU {second}: {alone} and {parts}")

    def test_cores_sockets_and_nodes_add_up(self):
        child = Toucher(self)
        for option, label in (("--per-core", r"^S-?\d+-D-?\d+-C-?\d+$"), ("--per-socket", r"^S-?\d+$"),
                              ("--per-node", r"^N\d+$"), ("--per-cpu", r"^CPU \d+$")):
            document = self.count(["-a", option], lambda: child.touch(3000))
            self.assertGreaterEqual(sum(faults(part["events"]) for part in document["parts"]), 3000)
            self.assertEqual(sum(faults(part["events"]) for part in document["parts"]),
                             event(document, "page-faults")["count"])
            for part in document["parts"]:
                self.assertRegex(part["label"], label)


@unittest.skipUnless(hierarchy(), "control groups need root and a hierarchy that it may write")
class Cgroups(Counted):
    def setUp(self):
        super().setUp()
        self.root = hierarchy()
        self.top = pathlib.Path(tempfile.mkdtemp(prefix="tacho-test-", dir=self.root))
        self.addCleanup(self.top.rmdir)
        self.groups = [self.top / name for name in ("one", "with space")]
        for each in self.groups:
            each.mkdir()
            self.addCleanup(each.rmdir)

    def test_groups_are_counted_apart_and_add_up(self):
        children = [Toucher(self, group=each) for each in self.groups]
        outside = Toucher(self)

        def work():
            children[0].touch(700)
            children[1].touch(2000)
            outside.touch(9000)
        names = [str(each.relative_to(self.root)) for each in self.groups]
        document = self.count(["-G", ",".join(names)], work)
        parts = {part["label"]: faults(part["events"]) for part in document["parts"]}
        self.assertEqual(list(parts), names)
        assert_pages(self, parts[names[0]], 700, FEW)
        assert_pages(self, parts[names[1]], 2000, FEW)
        self.assertEqual(sum(parts.values()), event(document, "page-faults")["count"])
        document = self.count(["-G", str(self.groups[0])], work)  # by its absolute path
        assert_pages(self, event(document, "page-faults")["count"], 700, FEW)
        self.assertEqual([part["label"] for part in document["parts"]], [names[0]])
        document = self.count(["--for-each-cgroup", self.top.name + "(/.*)?"], work)
        self.assertEqual([part["label"] for part in document["parts"]], [self.top.name, *names])
        self.assertIn("the sum of all control groups counts the outer groups only", document["warnings"][0])
        assert_pages(self, faults(document["parts"][0]["events"]), 2700, 2 * FEW)
        self.assertEqual(faults(document["parts"][0]["events"]), event(document, "page-faults")["count"])

    def test_the_sum_counts_the_outer_groups_only(self):
        """Also in intervals and if event sets take turns. The order of the groups does not matter."""
        inner = self.groups[0] / "inner"
        inner.mkdir()
        self.addCleanup(inner.rmdir)
        self.groups.append(inner)
        children = [Toucher(self, group=each) for each in self.groups]

        def work():
            for child, pages in zip(children, (700, 2000, 3000)):
                child.touch(pages)
        for order in ((0, 1, 2), (2, 1, 0)):
            groups = [self.groups[each] for each in order]
            prom = self.directory / "groups.prom"
            document = self.count(["-G", ",".join(map(str, groups)), "--openmetrics", prom], work)
            parts = dict(zip(order, (faults(part["events"]) for part in document["parts"])))
            whole = event(document, "page-faults")["count"]
            self.assertEqual(whole, parts[0] + parts[1])
            assert_pages(self, whole, 5700, 3 * FEW)
            assert_pages(self, parts[2], 3000, FEW)
            self.assertEqual(sum(number for (name, labels), number in series(prom.read_text()).items()
                                 if name == "tacho_events_total" and ("event", "page-faults") in labels), whole)
            self.assertIn(f"'{self.top.name}/one/inner' is inside '{self.top.name}/one'", document["warnings"][0])
        out = self.directory / "turned.json"
        busy = subprocess.Popen(["sh", "-c", "while :; do :; done"], preexec_fn=lambda: (
            inner / "cgroup.procs").write_text(str(os.getpid())))
        result = run("stat", "--json", "-o", out, "-I", "100", "--timeout", "500", "--counters", "1", "-e",
                     "task-clock,page-faults,minor-faults", "-G", f"{inner},{self.groups[0]}")
        busy.kill()
        busy.wait()
        self.assertEqual(result.code, 0, result.stderr)
        keys = ("name", "count", "estimate", "share", "periods")
        for document in map(json.loads, out.read_text().splitlines()):
            whole, outer = ([{key: each.get(key) for key in keys} for each in entries]
                            for entries in (document["events"], document["parts"][1]["events"]))
            self.assertEqual(whole, outer)
            self.assertGreater(whole[0]["count"] or whole[0]["estimate"], 0)

    def test_a_group_has_one_name_however_it_is_spelled(self):
        inner = self.groups[0] / "inner"
        inner.mkdir()
        self.addCleanup(inner.rmdir)
        name = f"{self.top.name}/one"
        for other in (f"./{name}", f"{name}/.", f"{name}/inner/..", f"/{name}//", str(self.groups[0])):
            for given in ([name, other], [other, name]):
                result = run("stat", "-G", ",".join(given), "--timeout", "10")
                self.assertEqual(result.code, 125, result.stderr)
                self.assertIn(f"the control group '{name}' is named twice: as '{given[0]}' and '{given[1]}'",
                              result.stderr)
            _, document = stat_json(self.directory, "-e", "page-faults", "-G", other, "--timeout", "10")
            self.assertEqual([part["label"] for part in document["parts"]], [name])
        result = run("stat", "-G", f"{name},{name}", "--timeout", "10")
        self.assertEqual(result.code, 125, result.stderr)
        self.assertIn(f"the control group '{name}' is named twice\n", result.stderr)

    def test_a_directory_outside_the_hierarchy_is_named(self):
        for given in ("/proc", str(self.directory), "../../..", f"{self.top.name}/../..", "/sys/fs"):
            result = run("stat", "-G", given, "--timeout", "10")
            self.assertEqual(result.code, 125, result.stderr)
            self.assertIn(f"'{given}' is not in the hierarchy of control groups in which the kernel counts events "
                          f"({self.root})", result.stderr)
            self.assertIn("remedy: ", result.stderr)

    def test_containers_by_id(self):
        """The groups have the names that podman and containerd give them."""
        ids = ["8a" * 32, "8a1f" * 16]
        pod = self.top / "pod"
        pod.mkdir()
        self.addCleanup(pod.rmdir)
        for group in (self.top / f"libpod-{ids[0]}.scope", pod / f"cri-containerd-{ids[1]}.scope"):
            group.mkdir()
            self.addCleanup(group.rmdir)
            self.groups.append(group)
        children = [Toucher(self, group=each) for each in self.groups[2:]]

        def work():
            children[0].touch(700)
            children[1].touch(2000)
        document = self.count(["--container", f"{ids[1][:12]},{ids[0]}"], work)
        self.assertEqual([part["label"] for part in document["parts"]], [ids[1][:12], ids[0]])
        for part, pages in zip(document["parts"], (2000, 700)):
            assert_pages(self, faults(part["events"]), pages, FEW)
        for wrong, said in (("nobody", "no container 'nobody' runs here"), ("8a8a8a8", "no container"),
                            (f"{ids[0]},{ids[0]}", "named twice")):
            result = run("stat", "--container", wrong, "--timeout", "10")
            self.assertEqual(result.code, 125)
            self.assertIn(said, result.stderr)

    def test_an_idle_group_counts_nothing_whatever_ran_before(self):
        """Linux 6.18 gives wrong times of a group after its events were closed while it ran: the count was scaled by them,
        or 'not counted'."""
        group = self.groups[1]
        for _ in range(3):
            busy = subprocess.Popen(["sh", "-c", "while :; do :; done"], preexec_fn=lambda: (
                group / "cgroup.procs").write_text(str(os.getpid())))
            result = run("stat", "-x,", "-e", "task-clock", "-G", str(group), "--timeout", "200")
            busy.kill()
            busy.wait()
            fields = result.stderr.splitlines()[0].split(",")
            self.assertGreater(float(fields[0]), 1, "ms")
            self.assertLessEqual(int(fields[4]), 10e9, "nanoseconds on all CPUs")
            _, document = stat_json(self.directory, "-e", "task-clock", "-G", str(group), "--timeout", "50")
            clock = event(document, "task-clock")
            self.assertEqual((clock["status"], clock["count"]), ("counted", 0))

    def test_only_the_group_is_recorded(self):
        """Each page fault is a sample: as many as the process touched, and none of a process outside."""
        inside, outside = Toucher(self, group=self.groups[1]), Toucher(self)
        data = self.directory / "group.data"
        tacho = start("record", "-e", "page-faults", "-c", "1", "-G", str(self.groups[1]), "-o", data, "--", "cat",
                      stdin=-1)
        time.sleep(0.5)  # tacho opens its events
        inside.touch(3000)
        outside.touch(5000)
        tacho.communicate()
        self.assertEqual(tacho.returncode, 0)
        rows = run("report", "-i", data, "--json", "-s", "pid").json()["rows"]
        self.assertEqual([row["pid"] for row in rows], [inside.process.pid])
        assert_pages(self, rows[0]["samples"], 3000, 100)
        for words, what in ((["-G", "no such group"], "no control group"), (["--container", "nobody"], "no container"),
                            (["-G", str(self.groups[1]), "-C", "0"], "exclude")):
            result = run("record", "-o", self.directory / "other", *words, "--", "true")
            self.assertEqual(result.code, 125, words)
            self.assertIn(what, result.stderr)

    def test_groups_that_go_keep_their_counts_and_the_last_one_ends_the_run(self):
        gone = [self.top / name for name in ("first", "last")]
        for each in gone:
            each.mkdir()
        children = [Toucher(self, group=each) for each in gone]

        def work():
            for child, pages, group in zip(children, (700, 2000), gone):
                child.touch(pages)
                child.end()
                group.rmdir()
                time.sleep(0.3)  # tacho looks at the groups ten times a second
        document = self.count(["-G", ",".join(map(str, gone))], work, ends_itself=True)
        for part, pages in zip(document["parts"], (700, 2000)):
            assert_pages(self, faults(part["events"]), pages, 2 * FEW)
        self.assertEqual(["was removed meanwhile" in each for each in document["warnings"]], [True, True])

    def test_the_table_says_what_its_rows_are(self):
        text = run("stat", "-e", "page-faults", "-G", ",".join(map(str, self.groups)), "--timeout", "50").stderr
        self.assertIn("cgroup", text)
        self.assertIn("with space", text)


if __name__ == "__main__":
    unittest.main()
