#!/usr/bin/env python3
"""Compares the times of `tacho record --wall` and `--off-cpu` with independent clocks. Prints a table.

    bench/wait_truth.py [BUILD_DIR] [--runs N] [--only NAME]       (default: build/release, 100 runs)

Needs the build with its tests (make test-build). Each run is made on a quiet machine, and beside a busy loop on each CPU.
--only runs one truth:

  functions  the workload `waits` times each of its functions
  reasons    a process times its waits of each reason, with its CPU time and run delay
  threads    threads and processes log their clock, CPU time and run delay when they end; --wall and --off-cpu
  pinned     two processes spin on one CPU and log the same
  pool       5,000 threads sleep for 20 ms each, 200 at once (at most 10 runs)
  attached   as `threads`, recorded with -p, -a and -G (at most 10 runs)
  programs   real programs: the time in their blocking system calls, by strace and perf trace, each in a run of its own, which
             is not judged; and the time off the CPU of all threads, beside bpftrace in the same run

  deviation  0 while tacho's time is between the two bounds that the logs give; otherwise the distance to the nearer bound.
             Per cent of the true time; for a thread's states, of its life. A run has the largest of its threads
  allowed    the largest deviation that is within the tolerance

The run delay of the kernel (/proc/PID/task/TID/schedstat) includes the time from a wake-up to a CPU. tacho counts this time
as ready only where it records wake-ups: with tracefs those by the recorded threads, and all with -a. Elsewhere `ready`
deviates.
"""
import argparse
import collections
import contextlib
import json
import mmap
import os
import pathlib
import random
import re
import resource
import select
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

from timing import busy_cpus

NS = 1e9
clock = time.monotonic
HERE = pathlib.Path(__file__).resolve()
LIFE = 1.0  # seconds that a thread works before it logs
NAP = 0.02  # seconds
THREADS, AT_ONCE = 5_000, 200  # of `pool`
BLOCKS = 150  # that `reasons` reads in each way
PAGE = 4096  # bytes
FILE = 64 << 20  # bytes that `reasons` reads from
FEW = 10  # runs at most of `pool` and `attached`
REQUESTS = 200
LOCKS = {"lock": ("lock", "condition", "join")}  # of which tacho tells three kinds apart

# The tolerances, as shares of the true time
TIME = 0.01
LIFE_TIME = 0.005
# tacho's wait is longer than the CPU clock's: the record of the switch to a thread comes after perf's own work. Measured
# beside sched:sched_switch, on a virtual machine: by 12 to 21 us on average; the standard deviation is up to 37 us. So the
# mean of 60 waits is within 21 + 2 * 37 / sqrt(60) = 31 us. On a busy disk and CPU it can be more: then `reasons` deviates.
SWITCH = 30e-6  # seconds

FUNCTIONS = ("naps", "reads_pipe", "polls", "locks", "awaits_child", "receives", "awaits_event", "awaits_signal", "holds_file")


# The workloads: `wait_truth.py --as NAME` prints what one of them returns.
def spin(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


def run_delay(task="thread-self"):
    """Seconds that a task was ready and had no CPU, by the kernel (Documentation/scheduler/sched-stats.rst)."""
    return int(pathlib.Path(f"/proc/{task}/schedstat").read_text().split()[1]) / NS


def log_of(work, born):
    """What a thread knows about itself after `work`. `born` is the clock before its creation."""
    begin = clock()
    work(begin + LIFE)
    delay = run_delay()
    return {"tid": threading.get_native_id(), "born": born, "begin": begin, "delay": delay, "cpu": time.thread_time(),
            "end": clock()}


def sleep_and_spin(end):
    while clock() < end:
        time.sleep(NAP)
        spin(0.01)


def spin_until(end):
    while clock() < end:
        pass


def processes(work, number, with_children=False):
    """Forks processes that work and log. Returns the logs, with the clock after the end of each, and its whole run delay."""
    reading, writing = os.pipe()
    for which in range(number):
        born = clock()
        if os.fork() == 0:
            inner = processes(work, 1) if with_children and which == 0 else []
            os.write(writing, "".join(json.dumps(log) + "\n" for log in [*inner, log_of(work, born)]).encode())
            os._exit(0)
    os.close(writing)
    ends = {}
    for _ in range(number):
        pid = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT).si_pid
        whole = run_delay(pid)  # also while it ended
        os.waitpid(pid, 0)
        ends[pid] = {"whole": whole, "reaped": clock()}
    with open(reading) as logs:
        return [{"reaped": None, "whole": log["delay"], **log, **ends.get(log["tid"], {})} for log in map(json.loads, logs)]


def threads(wait_for_recorder=""):
    if wait_for_recorder:
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
        print("ready", flush=True)
        signal.sigwait([signal.SIGUSR1])
    logs = processes(sleep_and_spin, 3, with_children=True)
    own = []
    begun = [(clock(), threading.Thread(target=lambda: own.append(log_of(sleep_and_spin, None)))) for _ in range(3)]
    for _, thread in begun:
        thread.start()
    for born, thread in begun:
        thread.join()
        log = next(log for log in own if log["tid"] == thread.native_id)
        reaped = clock()
        logs.append({**log, "born": born, "reaped": reaped, "whole": log["delay"] + reaped - log["end"]})
    return logs


def pinned():
    os.sched_setaffinity(0, [max(os.sched_getaffinity(0))])
    return processes(spin_until, 2)


def pool():
    """Seconds that the threads slept, and that all threads lived at most."""
    slept, lived, start = [], [], clock()

    def nap():
        begin = clock()
        time.sleep(NAP)
        slept.append(clock() - begin)

    for _ in range(THREADS // AT_ONCE):
        batch = [(threading.Thread(target=nap), clock()) for _ in range(AT_ONCE)]
        for thread, _ in batch:
            thread.start()
        for thread, born in batch:
            thread.join()
            lived.append(clock() - born)
    return sum(slept), sum(lived) + clock() - start


def reasons(name):
    """For each reason: wall time, CPU time, run delay and number of waits. The helpers wait in select (`poll`).

    The file's pages leave the cache first. posix_fadvise does that without root."""
    logs, file, mutex = {}, os.open(name, os.O_RDWR), threading.Lock()
    os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
    os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)
    mapped = mmap.mmap(file, 0, prot=mmap.PROT_READ)
    mapped.madvise(mmap.MADV_RANDOM)
    offsets = [PAGE * page for page in random.sample(range(FILE // PAGE), 2 * BLOCKS)]

    def waits():
        return resource.getrusage(resource.RUSAGE_THREAD).ru_nvcsw

    @contextlib.contextmanager
    def phase(reason):
        before = waits(), run_delay(), time.thread_time(), clock()
        yield
        after = clock(), time.thread_time(), run_delay(), waits()  # a delay while the clocks are read is in the run delay
        logs[reason] = [later - earlier for later, earlier in zip(after, reversed(before))]

    def helper(action):
        if os.fork() == 0:
            select.select([], [], [], 0.05)
            action()
            os._exit(0)

    pipe, sockets = os.pipe(), socket.socketpair()
    with phase("sleep"):
        for _ in range(3):
            time.sleep(0.03)
    with phase("pipe"):
        helper(lambda: os.write(pipe[1], b"x"))
        os.read(pipe[0], 1)
    with phase("network"):
        helper(lambda: sockets[1].send(b"x"))
        sockets[0].recv(1)
    with phase("child"):
        helper(lambda: None)
        for _ in range(3):
            os.wait()
    for reason, part, read in (("page fault", offsets[:BLOCKS], mapped.__getitem__),
                               ("disk", offsets[BLOCKS:], lambda offset: os.pread(file, 1, offset))):
        with phase(reason):
            for offset in part:
                spin(0.0005)  # so that tacho samples each wait
                read(offset)
    with phase("sync"):
        for offset in offsets[:BLOCKS // 5]:
            os.pwrite(file, b"y", offset)
            os.fdatasync(file)
    with phase("lock"):
        mutex.acquire()
        thread = threading.Thread(target=lambda: (select.select([], [], [], 0.05), mutex.release()))
        thread.start()
        mutex.acquire()
        thread.join()
    return logs


def server():
    """A server and its requests, as one program."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen([sys.executable, "-m", "http.server", "--bind", "127.0.0.1", str(port)], **quiet) as process:
        done = 0
        while done < REQUESTS:
            try:
                with socket.create_connection(("127.0.0.1", port)) as connection:
                    connection.sendall(b"GET / HTTP/1.0\r\n\r\n")
                    while connection.recv(1 << 16):
                        pass
                done += 1
            except ConnectionRefusedError:  # it has not begun
                time.sleep(NAP)
        process.terminate()


# The truths: each compares one recording with its logs.
class Table:
    def __init__(self, condition):
        self.condition, self.rows = condition, {}

    def add(self, name, *deviations):
        """One run: (deviation, allowed) of each thread. The worst counts."""
        self.rows.setdefault(name, []).append(max(deviations, key=lambda each: abs(each[0]) - each[1]))

    def show(self):
        for name, runs in self.rows.items():
            deviations = [100 * deviation for deviation, _ in runs]
            within = sum(abs(deviation) <= allowed for deviation, allowed in runs)
            print(f"{name:34} {self.condition:7} {len(runs):5} {within:6} {statistics.median(deviations):+8.2f} "
                  f"{max(deviations, key=abs):+8.2f} {100 * statistics.median(allowed for _, allowed in runs):8.2f}", flush=True)


def apart(measured, true):
    """The distance from one interval to another, with its sign; 0 if they meet."""
    return max(measured[0] - true[1], 0) + min(measured[1] - true[0], 0)


def itself(*arguments):
    return [sys.executable, str(HERE), "--as", *arguments]


def report(bench, mode, *choice):
    done = subprocess.run([bench.tacho, "report", mode, *choice, "-i", bench.file, "--json"], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"tacho report failed: {done.stderr}")
    document = json.loads(done.stdout)
    bench.lost += any(warning.startswith("lost while recording") for warning in document["warnings"])
    return document


def record(bench, command, mode="--wall"):
    """Returns the report, and what the command printed."""
    done = subprocess.run([bench.tacho, "record", "-q", mode, "-o", bench.file, "--", *command], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"tacho record failed: {done.stderr}")
    return report(bench, mode), done.stdout


def functions_truth(bench, table):
    document, printed = record(bench, [bench.waits])
    said = {name: float(value) for name, value in map(str.split, printed.splitlines())}
    rows = {row["function"].rpartition("::")[2]: row for row in document["functions"]}
    # A function also runs: it starts threads and processes. This part was sampled.
    for name in ("spins", *FUNCTIONS):
        row, wall = rows.get(name, {"waiting_ns": 0, "ready_ns": 0, "running_ci95": (0, 0)}), said[name]
        off = (row["waiting_ns"] + row["ready_ns"]) / NS
        low, high = (off + bound / NS for bound in row["running_ci95"])
        table.add(f"functions: {name} (95 % interval)", (apart((low, high), (wall, wall)) / wall, 0 if name == "spins" else TIME))


def reasons_truth(bench, table):
    document, printed = record(bench, itself("reasons", bench.blocks))
    # Its other threads wait, too: for the interpreter's lock.
    first = min(document["threads"], key=lambda thread: thread["begin_ns"])
    rows = {row["reason"]: row for row in report(bench, "--wall", "--tid", str(first["tid"]))["reasons"]}
    for name, (wall, cpu, delay, waits) in json.loads(printed).items():
        parts = [rows[part]["ci95"] for part in LOCKS.get(name, (name,)) if part in rows]
        measured = [sum(bounds) / NS for bounds in zip(*parts)] if parts else (0, 0)
        waited = wall - cpu
        table.add(f"reasons: {name}", (apart(measured, (waited - delay, waited)) / waited, TIME + waits * SWITCH / waited))


def compare(table, name, document, logs):
    """The threads of a recording with their own logs. Returns those that it has."""
    by_id = {log["tid"]: log for log in logs}
    pairs = [(row, by_id[row["tid"]]) for row in document["threads"] if row["tid"] in by_id]
    table.add(f"{name}: threads found", (len(pairs) / len(logs) - 1, 0))
    found = {key: [] for key in ("states fill life", "life", "running", "ready")}
    for row, log in pairs:
        life, running, ready, waiting = (row[f"{key}_ns"] / NS for key in ("life", "running", "ready", "waiting"))
        found["states fill life"].append(((running + ready + waiting - life) / life, LIFE_TIME))
        if log["reaped"]:
            true = log["end"] - log["begin"], log["reaped"] - log["born"]
            found["life"].append((apart((life, life), true) / life, LIFE_TIME))
        found["running"].append(((running - log["cpu"]) / life, TIME))
        found["ready"].append((apart((ready, ready), (log["delay"], log["whole"])) / life, TIME))
    for key, deviations in found.items():
        table.add(f"{name}: {key}", *deviations)
    return pairs


def threads_truth(bench, table):
    for mode in ("--wall", "--off-cpu"):
        document, printed = record(bench, itself("threads"), mode)
        compare(table, f"threads, {mode}", document, json.loads(printed))


def pinned_truth(bench, table):
    document, printed = record(bench, itself("pinned"))
    pairs = compare(table, "pinned", document, json.loads(printed))
    table.add("pinned: ready = life - CPU time", *(
        ((row["ready_ns"] - row["life_ns"] + log["cpu"] * NS) / row["life_ns"], TIME) for row, log in pairs))
    if table.condition == "quiet":
        table.add("pinned: ready is half", *((row["ready_ns"] / row["life_ns"] - 0.5, 0.05) for row, _ in pairs))


def pool_truth(bench, table):
    document, printed = record(bench, itself("pool"))
    asked, (slept, lived) = THREADS * NAP, json.loads(printed)
    sleep = next(row for row in document["reasons"] if row["reason"] == "sleep")
    off = (document["all"]["waiting_ns"] + document["all"]["ready_ns"]) / NS
    table.add("pool: threads found", (len(document["threads"]) / (THREADS + 1) - 1, 0))
    table.add("pool: off the CPU", (apart((off, off), (asked, lived)) / asked, TIME))
    table.add("pool: sleep (95 % interval)", (apart([bound / NS for bound in sleep["ci95"]], (asked, slept)) / asked, 0))


@contextlib.contextmanager
def control_group(pid):
    """A new control group with the process in it, or None."""
    mounts = [line.split()[1] for line in open("/proc/self/mounts") if line.split()[2] == "cgroup2"]
    try:
        group = pathlib.Path(tempfile.mkdtemp(prefix="tacho-wait-truth-", dir=mounts[0]))
    except (IndexError, OSError):
        yield None
        return
    try:
        (group / "cgroup.procs").write_text(str(pid))
        yield group.name
    finally:
        while group.joinpath("cgroup.procs").read_text():
            time.sleep(NAP)
        group.rmdir()


def attached_truth(bench, table):
    for kind in ("-p", "-a", "-G"):
        with (subprocess.Popen(itself("threads", "wait"), stdout=subprocess.PIPE, text=True) as process,
              control_group(process.pid) as group):
            process.stdout.readline()
            whom = {"-p": ["-p", str(process.pid)], "-a": ["-a"], "-G": ["-G", group]}[kind]
            until_its_end = ["sh", "-c", f"kill -USR1 {process.pid}; tail --pid={process.pid} -s 0.05 -f /dev/null"]
            if kind == "-G" and not group:
                process.kill()
                bench.skipped.add("-G: cgroup v2 is not mounted, or this user may not make a group")
                continue
            with subprocess.Popen([bench.tacho, "record", "-q", "--wall", "-o", bench.file, *whom, "--", *until_its_end],
                                  stderr=subprocess.PIPE, text=True) as recorder:
                while process.poll() is None and recorder.poll() is None:
                    time.sleep(NAP)
                if process.poll() is None:
                    process.kill()
                errors = recorder.communicate()[1]
            if recorder.returncode != 0:
                bench.skipped.add(f"{kind}: {errors.strip()}")
                continue
            compare(table, f"attached, {kind}", report(bench, "--wall"), json.load(process.stdout))


TRUTHS = {"functions": functions_truth, "reasons": reasons_truth, "threads": threads_truth, "pinned": pinned_truth,
          "pool": pool_truth, "attached": attached_truth}


# Real programs
TOOLS = {"strace": (["strace", "-c", "-w", "-f", "-o"], r"^ *[\d.]+ +(?P<time>[\d.]+) +\d+ +\d+ .*?(?P<call>\w+)$", 1),
         "perf": (["perf", "trace", "-s", "-o"], r"^ +(?P<call>\w+) +\d+ +\d+ +(?P<time>[\d.]+) ", 1e3)}


def in_calls(bench, tool, command, scratch):
    """Seconds in each system call, of all threads together, and of the whole run."""
    options, row, unit = TOOLS[tool]
    if not shutil.which(tool):
        bench.skipped.add(f"{tool}: not installed")
        return None
    begin = clock()
    subprocess.run([*options, scratch / "calls", *command], capture_output=True)
    sums = collections.Counter({"": clock() - begin})
    for match in re.finditer(row, (scratch / "calls").read_text(), re.M):
        sums[match["call"]] += float(match["time"]) / unit
    return sums


# The time off the CPU of each thread: from its switch to another one, or its beginning, to the next switch to it.
OFF_CPU = """
tracepoint:sched:sched_switch {
  @since[args->prev_pid] = nsecs;
  if (@since[args->next_pid]) {
    @off[args->next_pid, args->next_comm] = sum(nsecs - @since[args->next_pid]);
    @times[args->next_pid, args->next_comm] = count();
  }
}
tracepoint:sched:sched_wakeup_new { @since[args->pid] = nsecs; }
END { clear(@since); }
"""


@contextlib.contextmanager
def bpftrace():
    """Yields a dictionary. Afterwards it has the seconds off the CPU and the number of times, of each thread."""
    found = {}
    with subprocess.Popen(["bpftrace", "-e", OFF_CPU], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                          env={**os.environ, "BPFTRACE_MAP_KEYS_MAX": "100000"}) as process:
        time.sleep(3)  # until its probes are there
        yield found
        process.send_signal(signal.SIGINT)
        output = process.communicate()[0]
    for name, tid, command, value in re.findall(r"^@(off|times)\[(\d+), (.*)\]: (\d+)$", output, re.M):
        if command != "tacho":  # before it became the program
            sums = found.setdefault(int(tid), collections.Counter())
            sums[name] += int(value)


def programs(bench, scratch):
    """Yields name, command, and the reasons of its waits with their system calls."""
    for number in range(20):
        text = "".join(f"int f{number}_{i}(int a) {{ return a % {i + 1} ? a * {i} : a / {i + 3}; }}\n" for i in range(300))
        (scratch / f"file{number}.c").write_text(text)
    (scratch / "Makefile").write_text("all: $(patsubst %.c,%.o,$(wildcard *.c))\n")
    (scratch / "insert.sql").write_text("CREATE TABLE IF NOT EXISTS t(a);" + "INSERT INTO t VALUES(1);\n" * 300)
    (scratch / "main.go").write_text(
        "package main\nimport \"time\"\nfunc main() {\nc := make(chan int)\n"
        "go func() { for i := 0; i < 200; i++ { time.Sleep(time.Millisecond); c <- i }; close(c) }()\nfor range c {\n}\n}\n")
    yield "make", ["make", "-B", "-j2", "-C", str(scratch)], {"child": "wait4 vfork clone3"}
    yield "sqlite3", ["sqlite3", str(scratch / "a.db"), f".read {scratch / 'insert.sql'}"], {"sync": "fsync fdatasync"}
    yield "http.server", itself("server"), {"poll": "poll", "network": "recvfrom accept4 connect"}
    compiler = shutil.which("go") or shutil.which("gccgo")
    if compiler:
        build = [compiler, "build"] if compiler.endswith("/go") else [compiler]
        subprocess.run([*build, "-o", "main", "main.go"], cwd=scratch, check=True, env={**os.environ, "GOCACHE": str(scratch)})
    yield "go", [str(scratch / "main") if compiler else "go"], {"lock": "futex", "poll": "epoll_wait epoll_pwait"}
    yield "logger", [bench.logger, "locked", "100"], {"lock": "futex", "sync": "fdatasync"}


def show_programs(bench, scratch):
    print(f"{'program':12} {'waiting for':12} {'tacho':>9} {'95 % interval':>18} {'strace':>9} {'perf trace':>10}   (seconds) system calls")
    off_cpu = Table("quiet")
    if not shutil.which("bpftrace"):
        bench.skipped.add("bpftrace: not installed")
    for name, command, calls in programs(bench, scratch):
        if not shutil.which(command[0]):
            bench.skipped.add(f"{name}: not installed")
            continue
        with bpftrace() if shutil.which("bpftrace") else contextlib.nullcontext() as seen:
            document, _ = record(bench, command)
        if seen:
            threads = [(thread, seen[thread["tid"]]) for thread in document["threads"] if thread["tid"] in seen]
            ours = sum(thread["waiting_ns"] + thread["ready_ns"] for thread, _ in threads)
            theirs, times = (sum(thread[key] for _, thread in threads) for key in ("off", "times"))
            off_cpu.add(f"programs: {name}, off the CPU", (ours / theirs - 1, TIME + times * SWITCH * NS / theirs))
            off_cpu.add(f"programs: {name}, threads found", (len(threads) / len(document["threads"]) - 1, 0))
        others = [in_calls(bench, tool, command, scratch) for tool in TOOLS]
        rows = {row["reason"]: (row["ns"], *row["ci95"]) for row in document["reasons"]}
        rows["(whole run)"] = 3 * [document["span_ns"]]
        for reason, names in {"(whole run)": "", **calls}.items():
            parts = [rows[part] for part in LOCKS.get(reason, (reason,)) if part in rows]
            time, low, high = (sum(figures) / NS for figures in zip(*parts)) if parts else (0, 0, 0)
            strace, perf = (f"{sum(sums[call] for call in names.split() or ['']):.3f}" if sums else "-" for sums in others)
            print(f"{name:12} {reason:12} {time:9.3f} {f'{low:.3f}...{high:.3f}':>18} {strace:>9} {perf:>10}   {names}", flush=True)
    off_cpu.show()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", nargs="?", type=pathlib.Path, default=HERE.parents[1] / "build" / "release")
    parser.add_argument("--runs", type=int, default=100, help="recordings of each truth and condition")
    parser.add_argument("--only", choices=[*TRUTHS, "programs"], help="one truth alone")
    bench = parser.parse_args()
    build = bench.build.resolve()
    bench.tacho, bench.logger = str(build / "bin" / "tacho"), str(build / "examples" / "logger")
    bench.waits = str(build / "tests" / "cli" / "workloads" / "waits")
    bench.skipped = set()
    with tempfile.TemporaryDirectory(dir="/var/tmp") as scratch:  # /tmp may be in memory: no disk to wait for
        bench.file, bench.blocks = f"{scratch}/recording", f"{scratch}/blocks"
        with open(bench.blocks, "wb") as blocks:
            blocks.write(os.urandom(FILE))
            os.fsync(blocks)
        print(f"{'truth':34} {'machine':7} {'runs':>5} {'within':>6} {'median':>8} {'worst':>8} {'allowed':>8}   (deviation, %)")
        for name, truth in TRUTHS.items():
            if bench.only not in (None, name):
                continue
            for condition, load in (("quiet", contextlib.nullcontext()), ("loaded", busy_cpus())):
                table, bench.lost = Table(condition), 0
                with load:
                    for _ in range(min(bench.runs, FEW) if name in ("pool", "attached") else bench.runs):
                        truth(bench, table)
                table.show()
                if bench.lost:
                    print(f"{name}: {bench.lost} of these recordings have lost records, as tacho warns", flush=True)
        bench.lost = 0
        if bench.only in (None, "programs"):
            show_programs(bench, pathlib.Path(scratch))
    for reason in sorted(bench.skipped):
        print(f"skipped: {reason}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--as"]:
        workload = {"reasons": reasons, "threads": threads, "pinned": pinned, "pool": pool, "server": server}[sys.argv[2]]
        print(json.dumps(workload(*sys.argv[3:])))
    else:
        main()
