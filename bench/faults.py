#!/usr/bin/env python3
"""Fails system calls of tacho, one in each run, and prints what came of it.

    bench/faults.py [BUILD_DIR] [--uses N] [--calls NAME …] [--commands NAME …] [--error ERRNO]

(default: build/release, 30 uses, all calls and commands, the errno that fits the call)

strace makes one call fail (-e inject) in tacho's first thread, but not in the workload. The uses are counted from the
end of the dynamic loader on, whose faults are not tacho's. A run is

    right    it has the result of a run without a fault, or says in the result or in a warning what is missing
    error    exit status 125, with an error; the workload ran whole or not at all
    wrong    a wrong number, another exit status, no word on what is missing, a workload that ended early
    hang     it did not end within 10 s, twice

Exit status: 1 if a run was wrong or hung. The wrong ones are printed with their command.
"""
import argparse
import collections
import contextlib
import dataclasses
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

LONGEST = 10  # seconds of a run

# Each call and the error that it gives. Left out are calls that cannot fail, and those where strace makes a state that
# no kernel makes: close and munmap (they fail, but free what they should), brk (the kernel returns the old end, never an
# error), futex and rt_sigprocmask (the C library aborts, because they do not fail so), execve (strace's own).
CALLS = {
    "read": "EIO", "pread64": "EIO", "write": "EIO", "pwrite64": "ENOSPC", "writev": "EIO", "openat": "EMFILE", "open": "EMFILE",
    "mmap": "ENOMEM", "mprotect": "ENOMEM", "mremap": "ENOMEM", "madvise": "ENOMEM", "ioctl": "EIO",
    "perf_event_open": "EMFILE", "pipe2": "EMFILE", "clone": "EAGAIN", "clone3": "EAGAIN", "wait4": "ECHILD", "kill": "EPERM",
    "setpgid": "EPERM", "getpgid": "EPERM", "ppoll": "ENOMEM", "poll": "ENOMEM", "epoll_create1": "EMFILE",
    "epoll_ctl": "ENOMEM", "epoll_wait": "EIO", "signalfd4": "EMFILE", "rt_sigaction": "EINVAL",
    "rt_sigtimedwait": "EINVAL", "prlimit64": "EPERM", "sched_getaffinity": "EINVAL", "sched_setaffinity": "EINVAL",
    "getrandom": "ENOSYS", "newfstatat": "EIO", "fstat": "EIO", "lseek": "EINVAL", "readlink": "EIO",
    "access": "EIO", "faccessat2": "EIO", "flock": "ENOLCK", "fallocate": "ENOSPC", "ftruncate": "EIO", "rename": "EIO",
    "unlink": "EIO", "unlinkat": "EIO", "mkdir": "ENOSPC", "getdents64": "EIO", "getcwd": "ENOENT", "statfs": "EIO",
    "memfd_create": "ENOMEM", "dup": "EMFILE", "fcntl": "EIO", "clock_nanosleep": "EINVAL", "prctl": "EPERM",
    "clock_gettime": "EINVAL", "getrusage": "EINVAL", "sysinfo": "EIO", "uname": "EIO", "setpriority": "EPERM",
    "mlock": "ENOMEM", "get_mempolicy": "ENOSYS", "mbind": "ENOSYS",
}
MARK = "TACHO_FAULTS_RUN"  # the processes of a run have this variable


@dataclasses.dataclass
class Outcome:
    code: int | None  # None: it hung
    out: str
    err: str
    files: dict  # content by name


def spawned(mark):
    """The processes of a run that are left."""
    found = []
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            alive = (process / "stat").read_text(errors="replace").rpartition(")")[2].split()[0] != "Z"
            if alive and f"{MARK}={mark}".encode() in (process / "environ").read_bytes().split(b"\0"):
                found.append(int(process.name))
    return found


class Bench:
    """Runs commands under strace in a directory of its own."""

    def __init__(self, tacho, directory):
        self.tacho = str(tacho)
        self.directory = pathlib.Path(directory)
        self.runs = 0
        self.kept = {}  # files that every run finds

    def run(self, command, *injected):
        for path in self.directory.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        for name, content in self.kept.items():
            (self.directory / name).write_bytes(content)
        (self.directory / "tmp").mkdir()
        self.runs += 1
        mark = f"{os.getpid()}-{self.runs}"
        environment = {**os.environ, MARK: mark, "TMPDIR": str(self.directory / "tmp"), "LC_ALL": "C.UTF-8"}
        process = subprocess.Popen(["strace", "-o", self.directory / "trace", *injected, "--", self.tacho, *command],
                                   cwd=self.directory, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, errors="replace", start_new_session=True)
        code = None
        try:
            out, err = process.communicate(timeout=LONGEST)
            code = process.returncode
        except subprocess.TimeoutExpired:
            for pid in [process.pid, *spawned(mark)]:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            out, err = process.communicate()
        for _ in range(20):  # a process that was killed takes a while to go
            if not (left := spawned(mark)):
                break
            time.sleep(0.02)
        for pid in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        files = {path.name: path.read_bytes() for path in self.directory.iterdir() if path.is_file()}
        files["left"] = left or os.listdir(self.directory / "tmp")
        return Outcome(code, out, err, files)

    def quietly(self, *command):
        return subprocess.run([self.tacho, *command], cwd=self.directory, capture_output=True, text=True, timeout=60)


def uses(trace):
    """How often each call was used: by the dynamic loader, and afterwards. The loader ends by unmapping its cache."""
    loader, own = collections.Counter(), collections.Counter()
    ended = not re.search(r"^openat\(.*ld\.so\.cache", trace, re.MULTILINE)
    for line in trace.splitlines():
        call = re.match(r"(\w+)\(", line)
        if not call:
            continue
        (own if ended else loader)[call[1]] += 1
        ended = ended or call[1] == "munmap"
    return loader, own


# The workload says that it began and ended, so a run shows if it was disturbed.
LOOP = "echo out; echo begun >>ran; i=0; while [ $i -lt {} ]; do i=$((i+1)); done; echo ended >>ran; exit 7"


def warned(outcome):
    return "tacho: warning" in outcome.err


class Launching:
    """A command that launches the workload."""
    code = 7
    out = "out\n"

    def judge(self, outcome, clean):
        ran = outcome.files.get("ran", b"").decode().split()
        if outcome.code is None:
            return "hang", ""
        if ran not in ([], ["begun", "ended"]):
            return "wrong", f"the workload was harmed: {ran}"
        if outcome.files["left"]:
            return "wrong", f"left behind: {outcome.files['left']}"
        if outcome.code == 125:
            return ("error", "") if "tacho: error: " in outcome.err else ("wrong", "125 without an error")
        if outcome.code != self.code or outcome.out != self.out or not ran:
            return "wrong", f"exit status {outcome.code}, output {outcome.out!r}, ran {ran}"
        why = self.wrong(outcome, clean)
        return ("wrong", why) if why else ("right", "")


class Stat(Launching):
    def __init__(self, *options, loop=3000):
        self.command = ["stat", *options, "--json", "-o", "out.json", "--", "sh", "-c", LOOP.format(loop)]

    def wrong(self, outcome, clean):
        """An event that was not counted must not have a number; one that was has about that of a clean run."""
        if "out.json" not in outcome.files:
            return "no report"
        documents = [json.loads(each.files["out.json"]) for each in (outcome, clean)]
        for entry, right in zip(*(document["events"] for document in documents)):
            if entry["status"] in ("failed", "unsupported"):
                if entry["count"] is not None or not entry["reason"]:
                    return f"{entry['name']}: {entry['status']} with {entry['count']}, {entry['reason']}"
            else:
                number, usual = entry["estimate"], right["estimate"]
                if not number or usual is None or abs(number - usual) > self.tolerance(entry["name"]) * usual:
                    return f"{entry['name']}: {entry['status']} {number} instead of {usual}"
        return ""

    @staticmethod
    def tolerance(name):
        return 0.2 if "faults" in name else 9  # times change with the machine's load


class Record(Launching):
    def __init__(self, bench, *options, loop=40000, tolerance=0.7):
        self.bench, self.tolerance = bench, tolerance
        self.command = ["record", *options, "-o", "r.data", "--", "sh", "-c", LOOP.format(loop)]

    def samples(self, outcome):
        (self.bench.directory / "read.data").write_bytes(outcome.files["r.data"])
        read = self.bench.quietly("report", "-i", "read.data", "--json")
        if read.returncode != 0:
            return None, read.stderr
        return json.loads(read.stdout)["events"][0]["samples"], read.stderr

    def wrong(self, outcome, clean):
        if "r.data" not in outcome.files:
            return "no recording"
        samples, said = self.samples(outcome)
        if samples is None:
            return f"the recording cannot be read: {said}"
        usual = clean.samples = getattr(clean, "samples", None) or self.samples(clean)[0]
        if abs(samples - usual) > self.tolerance * usual and not warned(outcome) and "tacho: warning" not in said:
            return f"{samples} samples instead of {usual}, without a warning"
        return ""


class Report:
    def __init__(self, *command):
        self.command = list(command)

    def judge(self, outcome, clean):
        if outcome.code is None:
            return "hang", ""
        if outcome.code == 125:
            return ("error", "") if "tacho: error: " in outcome.err else ("wrong", "125 without an error")
        if outcome.code != 0:
            return "wrong", f"exit status {outcome.code}"
        if outcome.out != clean.out and outcome.err.count("warning") <= clean.err.count("warning"):
            return "wrong", "another report, without a word"
        return "right", ""


class Latency(Report):
    def judge(self, outcome, clean):
        if outcome.code in (None, 125) or outcome.code != 0:
            return super().judge(outcome, clean)
        results = [json.loads(each.out) for each in (outcome, clean)]
        if len(results[0]["warnings"]) > len(results[1]["warnings"]):
            return "right", ""
        sizes = [each["sizes"] for each in results]
        slow = [one["bytes"] for one, other in zip(*sizes) if not other["ns"] / 5 < one["ns"] < other["ns"] * 5]
        if len(sizes[0]) != len(sizes[1]) or slow:
            return "wrong", f"{len(sizes[0])} sizes instead of {len(sizes[1])}; too slow or fast: {slow}"
        return "right", ""


def commands(bench):
    made = {
        "stat": Stat("-e", "task-clock,page-faults"),
        "turns": Stat("--counters", "1", "-e", "cpu-clock,cpu-clock:u,task-clock", loop=30000),
        "record": Record(bench),
        "report": Report("report", "-i", "good.data", "--csv", "--sort", "line"),
        "latency": Latency("latency", "--json", "--sizes", "16K,64K"),
    }
    if "--pmu simulated" not in bench.quietly("stat", "--pmu", "simulated", "--", "true").stderr and \
            bench.quietly("stat", "--pmu", "simulated", "--", "true").returncode == 0:
        made["simulated"] = Record(bench, "--pmu", "simulated:arm1176", loop=500, tolerance=0.1)
    return made


def injections(trace, most, chosen, error_for_all=None):
    """(call, error, number of the use from the start of the process, number from the end of the loader)."""
    loader, own = uses(trace)
    for call, error in CALLS.items():
        if chosen and call not in chosen:
            continue
        for use in range(1, min(most, own[call]) + 1):
            yield call, error_for_all or error, loader[call] + use, use


def sweep(bench, name, command, most, chosen, error=None, say=print):
    """Fails each call in turn. Returns {call: Counter of verdicts} and the wrong cases."""
    clean = bench.run(command.command)
    verdict = command.judge(clean, clean)
    if verdict[0] != "right":
        sys.exit(f"{name} without a fault: {verdict}: {clean}")
    table, wrong = collections.defaultdict(collections.Counter), []
    for call, error, when, use in injections(clean.files["trace"].decode(errors="replace"), most, chosen, error):
        injected = f"inject={call}:error={error}:when={when}"
        outcome = bench.run(command.command, "-e", injected)
        if outcome.code is None:  # a busy machine may have been the reason
            outcome = bench.run(command.command, "-e", injected)
        if "error while loading shared libraries" in outcome.err:
            continue  # the loader was still at work
        verdict, why = command.judge(outcome, clean)
        table[call][verdict] += 1
        if verdict in ("wrong", "hang"):
            wrong.append((name, call, use, why))
            said = " | ".join(outcome.err.splitlines()[:3])
            say(f"{verdict}: {name}, {call} {error}, use {use}: {why}\n    strace -e {injected} tacho "
                f"{' '.join(map(repr, command.command))}\n    {said}", flush=True)
    return table, wrong


def prepare(bench):
    made = bench.quietly("record", "-q", "-g", "-o", "good.data", "--", "sh", "-c", "i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done")
    if made.returncode != 0:
        sys.exit(f"cannot record: {made.stderr}")
    bench.kept = {"good.data": (bench.directory / "good.data").read_bytes()}


def print_table(tables):
    names = list(tables)
    print("\nruns: right / error / wrong / hang\n")
    print(f"{'call':18}" + "".join(f"{name:>11}" for name in names))
    total = {name: collections.Counter() for name in names}
    for call in CALLS:
        cells = []
        for name in names:
            counts = tables[name].get(call, {})
            total[name].update(counts)
            cells.append("/".join(str(counts.get(each, 0)) for each in ("right", "error", "wrong", "hang")) if counts else "–")
        if any(cell != "–" for cell in cells):
            print(f"{call:18}" + "".join(f"{cell:>11}" for cell in cells))
    print(f"{'all':18}" + "".join(f"{'/'.join(str(total[n][each]) for each in ('right', 'error', 'wrong', 'hang')):>11}" for n in names))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", nargs="?", default="build/release")
    parser.add_argument("--uses", type=int, default=30)
    parser.add_argument("--calls", nargs="+", choices=CALLS, metavar="NAME")
    parser.add_argument("--commands", nargs="+", metavar="NAME")
    parser.add_argument("--error", metavar="ERRNO", help="this one for all calls, such as EINTR")
    options = parser.parse_args()
    if not shutil.which("strace"):
        sys.exit("strace is not installed (Debian: strace)")
    tacho = pathlib.Path(options.build).resolve() / "bin" / "tacho"
    tables, wrong = {}, []
    with tempfile.TemporaryDirectory() as scratch:
        bench = Bench(tacho, scratch)
        prepare(bench)
        for name, command in commands(bench).items():
            if options.commands and name not in options.commands:
                continue
            tables[name], found = sweep(bench, name, command, options.uses, options.calls, options.error)
            wrong += found
        print_table(tables)
        print(f"{bench.runs} runs")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
